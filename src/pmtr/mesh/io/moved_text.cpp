// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/moved_text.h"

#include "pmtr/core/check.h"
#include "pmtr/core/file.h"
#include "pmtr/formats/number_text.h"

namespace pmtr {

MovedText::MovedText(std::string_view text) : text_(text) { out_.reserve(text.size() + text.size() / 4); }

void MovedText::copy_until(std::string_view word) {
  const auto begin = static_cast<std::size_t>(word.data() - text_.data());
  PMTR_CHECK(begin >= copied_ && begin + word.size() <= text_.size(), "words come in the text's own order");
  out_.append(text_.substr(copied_, begin - copied_));
  copied_ = begin + word.size();
}

void MovedText::replace(std::string_view word, double value) {
  copy_until(word);
  append_number(out_, value);
}

void MovedText::replace(std::string_view word, float value) {
  copy_until(word);
  append_number(out_, value);
}

void MovedText::replace(const std::array<std::string_view, 3>& words, const Eigen::Vector3d& before,
                        const Eigen::Vector3d& after) {
  for (std::size_t i = 0; i < 3; ++i) {
    const auto axis = static_cast<Eigen::Index>(i);
    if (after[axis] != before[axis]) replace(words[i], after[axis]);
  }
}

std::vector<std::byte> MovedText::finish() {
  out_.append(text_.substr(copied_));
  copied_ = text_.size();
  const auto bytes = as_bytes(out_);
  return {bytes.begin(), bytes.end()};
}

}  // namespace pmtr
