// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace pmtr {

/// A text file that is written again with some of its numbers replaced; every other byte stays. Words are
/// views into the text and come in the order in which they stand.
class MovedText {
 public:
  explicit MovedText(std::string_view text);

  void replace(std::string_view word, double value);
  void replace(std::string_view word, float value);
  /// Replaces those of the three whose value changes: an unchanged number keeps its digits.
  void replace(const std::array<std::string_view, 3>& words, const Eigen::Vector3d& before,
               const Eigen::Vector3d& after);

  /// The whole file.
  std::vector<std::byte> finish();

 private:
  void copy_until(std::string_view word);

  std::string_view text_;
  std::string out_;
  std::size_t copied_ = 0;  ///< the bytes of text_ that are already in out_, old or replaced
};

}  // namespace pmtr
