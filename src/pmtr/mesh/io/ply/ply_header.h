// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

enum class PlyEncoding { ascii, little_endian, big_endian };

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

std::size_t size_of(PlyType type);
bool is_whole(PlyType type);
const char* type_name(PlyType type);
double largest(PlyType type);   ///< finite
double smallest(PlyType type);  ///< finite, the most negative

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::float32;
  std::optional<PlyType> count_type;  ///< set: this is a list
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  bool has_lists() const;
  /// Bytes of one row in a binary file; of its fixed part if there are lists.
  std::uint64_t row_size() const;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;
  std::vector<std::string> texture_files;  ///< of the "comment TextureFile <name>" lines
  std::size_t body = 0;                    ///< the first byte after the header
  std::uint64_t body_line = 1;             ///< and its line

  const PlyElement* find(const std::string& name) const;
};

/// The header of a PLY file. All counts are possible: the rows they promise fit into the bytes after it.
Result<PlyHeader> parse_ply_header(std::span<const std::byte> bytes, const std::string& name);

/// What a property of a vertex means. The order is that of the row in ply.cpp.
enum PlyRole {
  ply_x,
  ply_y,
  ply_z,
  ply_nx,
  ply_ny,
  ply_nz,
  ply_red,
  ply_green,
  ply_blue,
  ply_alpha,
  ply_u,
  ply_v
};
inline constexpr int ply_role_count = 12;

/// For every role the index of the first property that plays it, or -1.
std::array<int, ply_role_count> find_vertex_roles(const PlyElement& vertex);

}  // namespace pmtr
