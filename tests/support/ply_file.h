// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "pmtr/formats/number_text.h"
#include "pmtr/mesh/io/ply/ply_header.h"
#include "support/mesh_bytes.h"

namespace pmtr::test {

inline constexpr std::array<PlyType, 8> all_ply_types = {PlyType::int8,    PlyType::uint8,  PlyType::int16,
                                                         PlyType::uint16,  PlyType::int32,  PlyType::uint32,
                                                         PlyType::float32, PlyType::float64};

inline std::string float_vertices(int count) {
  return "element vertex " + std::to_string(count) +
         "\nproperty float x\nproperty float y\nproperty float z\n";
}

/// Builds the same PLY file in any encoding, value by value.
class PlyFile {
 public:
  explicit PlyFile(PlyEncoding encoding)
      : encoding_(encoding),
        bytes_(encoding == PlyEncoding::big_endian ? std::endian::big : std::endian::little) {}

  void header(const std::string& lines) {
    const char* name = encoding_ == PlyEncoding::ascii           ? "ascii"
                       : encoding_ == PlyEncoding::little_endian ? "binary_little_endian"
                                                                 : "binary_big_endian";
    bytes_.text(std::string("ply\nformat ") + name + " 1.0\n" + lines + "end_header\n");
  }

  PlyFile& value(PlyType type, double v) {
    ++entries_;
    if (encoding_ == PlyEncoding::ascii) {
      std::string text;
      append_number(text, v);
      bytes_.text(text + " ");
      return *this;
    }
    switch (type) {
      case PlyType::int8:
        bytes_.put({static_cast<std::int8_t>(v)});
        break;
      case PlyType::uint8:
        bytes_.put({static_cast<std::uint8_t>(v)});
        break;
      case PlyType::int16:
        bytes_.put({static_cast<std::int16_t>(v)});
        break;
      case PlyType::uint16:
        bytes_.put({static_cast<std::uint16_t>(v)});
        break;
      case PlyType::int32:
        bytes_.put({static_cast<std::int32_t>(v)});
        break;
      case PlyType::uint32:
        bytes_.put({static_cast<std::uint32_t>(v)});
        break;
      case PlyType::float32:
        bytes_.put({static_cast<float>(v)});
        break;
      case PlyType::float64:
        bytes_.put({v});
        break;
    }
    return *this;
  }

  /// A value that moving changes; where it stands is remembered.
  PlyFile& moving_value(PlyType type, double v) {
    const std::size_t begin = bytes_.content().size();
    value(type, v);
    moving_.emplace_back(begin, bytes_.content().size());
    return *this;
  }

  void end_row() {
    entries_ = 0;
    if (encoding_ == PlyEncoding::ascii) bytes_.text("\n");
  }

  void points(int count) {
    for (int v = 0; v < count; ++v) {
      for (const double x : {1.0 * v, 0.5 * v * v, -1.0}) value(PlyType::float32, x);
      end_row();
    }
  }

  int entries() const { return entries_; }  ///< of this row so far
  const std::vector<std::byte>& content() const { return bytes_.content(); }
  /// [begin, end) of the moving values, in order.
  const std::vector<std::pair<std::size_t, std::size_t>>& moving() const { return moving_; }

 private:
  PlyEncoding encoding_;
  Bytes bytes_;
  int entries_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> moving_;
};

}  // namespace pmtr::test
