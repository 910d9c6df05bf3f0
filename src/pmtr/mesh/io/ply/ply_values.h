// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "pmtr/core/result.h"
#include "pmtr/formats/word_reader.h"
#include "pmtr/mesh/io/ply/ply_header.h"

namespace pmtr {

/// The numbers after a PLY header, one after another, in any encoding. It knows where the last one stood, so
/// that the mover can replace it.
class PlyValues {
 public:
  PlyValues(std::span<const std::byte> bytes, const PlyHeader& header, const std::string& name);

  /// False: there is no number; failure() says why.
  bool read(PlyType type, double& value);
  /// The count of a list, bounded by the bytes that are left.
  bool read_count(const PlyProperty& list, std::uint64_t& count);
  bool skip(const PlyProperty& property);
  /// A whole element with all its rows.
  bool skip(const PlyElement& element);

  const Error& failure() const { return failure_; }
  /// An error at the number last read.
  Error error(Cause cause, std::string message) const;

  std::size_t begin() const { return begin_; }  ///< of the number last read
  std::size_t end() const { return end_; }

 private:
  bool fail(Cause cause, std::string message);
  bool read_word(double& value);
  bool skip_bytes(std::uint64_t count);

  std::span<const std::byte> bytes_;
  const std::string& name_;
  PlyEncoding encoding_;
  WordReader words_;
  std::size_t begin_;
  std::size_t end_;
  std::uint64_t line_;
  Error failure_;
};

}  // namespace pmtr
