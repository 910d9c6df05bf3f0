// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/ply/ply.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "pmtr/mesh/io/mesh_appearance.h"
#include "pmtr/mesh/io/ply/ply_header.h"
#include "pmtr/mesh/io/ply/ply_values.h"

namespace pmtr {
namespace {

using Roles = std::array<int, ply_role_count>;

bool all_there(const Roles& roles, std::initializer_list<int> wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](int role) { return roles[static_cast<std::size_t>(role)] >= 0; });
}

/// What appearance attributes that are not finite become: it is not worth losing the geometry for them.
float finite_or_zero(double value) {
  const bool fits = std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());  // NaN: no
  return fits ? static_cast<float>(value) : 0.0F;
}

double colour_scale(PlyType type) {
  if (!is_whole(type)) return 1.0;
  // Wider whole numbers than ushort are bytes written generously.
  return type == PlyType::uint16 ? 65535.0 : 255.0;
}

class PlyReader {
 public:
  PlyReader(std::span<const std::byte> bytes, const PlyHeader& header, const std::string& name)
      : header_(header), name_(name), values_(bytes, header, name) {}

  Result<TriangleMesh> read() {
    const PlyElement* vertex = header_.find("vertex");
    if (vertex == nullptr || vertex->count == 0)
      return error_at(name_, Cause::empty, "the PLY file has no vertices");
    if (vertex->count > std::numeric_limits<std::uint32_t>::max()) {
      return error_at(name_, Cause::too_large, fmt::format("{} vertices are too many", vertex->count));
    }
    vertex_count_ = vertex->count;
    for (const PlyElement& element : header_.elements) {
      if (element.name == "vertex") {
        PMTR_TRY_STATUS(read_vertices(element));
      } else if (element.name == "face") {
        PMTR_TRY_STATUS(read_faces(element));
      } else if (element.name == "tristrips" && element.count > 0) {
        return error_at(name_, Cause::unsupported,
                        "triangle strips (\"tristrips\") are not supported; save the mesh with plain faces");
      } else if (!values_.skip(element)) {
        return values_.failure();
      }
    }
    finish();
    return std::move(mesh_);
  }

 private:
  Status read_vertices(const PlyElement& element);
  Status read_faces(const PlyElement& element);
  Status read_corners(const PlyProperty& list);
  Status read_texture_coordinates(const PlyProperty& list);
  void add_face(std::int32_t material);
  void finish();

  const PlyHeader& header_;
  const std::string& name_;
  PlyValues values_;
  TriangleMesh mesh_;
  std::uint64_t vertex_count_ = 0;
  std::vector<Eigen::Vector2f> vertex_uvs_;
  bool has_face_uvs_ = false;
  std::vector<std::uint32_t> corners_;  // of the face being read
  std::vector<float> coordinates_;      // its UVs, flat
};

Status PlyReader::read_vertices(const PlyElement& element) {
  const Roles roles = find_vertex_roles(element);
  if (!all_there(roles, {ply_x, ply_y, ply_z}))
    return error_at(name_, Cause::malformed, "the vertices have no properties x, y and z");
  const bool normals = all_there(roles, {ply_nx, ply_ny, ply_nz});
  const bool colours = all_there(roles, {ply_red, ply_green, ply_blue});
  const bool uvs = all_there(roles, {ply_u, ply_v});

  std::vector<int> role_of(element.properties.size(), -1);
  std::array<double, ply_role_count> row{};
  row[ply_alpha] = 1;
  std::array<double, ply_role_count> scale{};
  for (int role = 0; role < ply_role_count; ++role) {
    const int property = roles[static_cast<std::size_t>(role)];
    if (property < 0) continue;
    role_of[static_cast<std::size_t>(property)] = role;
    const PlyType type = element.properties[static_cast<std::size_t>(property)].type;
    scale[static_cast<std::size_t>(role)] = role >= ply_red && role <= ply_alpha ? colour_scale(type) : 1.0;
  }

  const auto count = static_cast<std::size_t>(element.count);
  mesh_.vertices.reserve(count);
  if (normals) mesh_.normals.reserve(count);
  if (colours) mesh_.colours.reserve(count);
  if (uvs) vertex_uvs_.reserve(count);
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const PlyProperty& property = element.properties[p];
      const int role = role_of[p];
      if (role < 0) {
        if (!values_.skip(property)) return values_.failure();
        continue;
      }
      double& value = row[static_cast<std::size_t>(role)];
      if (!values_.read(property.type, value)) return values_.failure();
      if (role <= ply_z && !std::isfinite(value)) {
        return values_.error(Cause::not_finite,
                             fmt::format("coordinate {} of vertex {} is {}", property.name, v, value));
      }
      value /= scale[static_cast<std::size_t>(role)];
    }
    mesh_.vertices.emplace_back(row[ply_x], row[ply_y], row[ply_z]);
    if (normals) {
      const Eigen::Vector3d normal(row[ply_nx], row[ply_ny], row[ply_nz]);
      const Eigen::Vector3f rounded(finite_or_zero(normal.x()), finite_or_zero(normal.y()),
                                    finite_or_zero(normal.z()));
      mesh_.normals.push_back(normal.allFinite() ? rounded : Eigen::Vector3f::Zero());
    }
    if (colours) {
      Eigen::Vector4f colour;
      for (int c = 0; c < 4; ++c)
        colour[c] = std::clamp(finite_or_zero(row[ply_red + static_cast<std::size_t>(c)]), 0.0F, 1.0F);
      mesh_.colours.push_back(colour);
    }
    if (uvs) vertex_uvs_.emplace_back(finite_or_zero(row[ply_u]), finite_or_zero(row[ply_v]));
  }
  return {};
}

Status PlyReader::read_corners(const PlyProperty& list) {
  std::uint64_t count = 0;
  if (!values_.read_count(list, count)) return values_.failure();
  corners_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    double index = 0;
    if (!values_.read(list.type, index)) return values_.failure();
    if (!(index >= 0 && index < static_cast<double>(vertex_count_) && index == std::floor(index))) {
      return values_.error(
          Cause::malformed,
          fmt::format("a face uses vertex {}, but the vertices are 0 to {}", index, vertex_count_ - 1));
    }
    corners_.push_back(static_cast<std::uint32_t>(index));
  }
  return {};
}

Status PlyReader::read_texture_coordinates(const PlyProperty& list) {
  std::uint64_t count = 0;
  if (!values_.read_count(list, count)) return values_.failure();
  for (std::uint64_t i = 0; i < count; ++i) {
    double value = 0;
    if (!values_.read(list.type, value)) return values_.failure();
    coordinates_.push_back(finite_or_zero(value));
  }
  return {};
}

Status PlyReader::read_faces(const PlyElement& element) {
  int corner_list = -1;
  int uv_list = -1;
  int texture_number = -1;
  for (std::size_t p = 0; p < element.properties.size(); ++p) {
    const PlyProperty& property = element.properties[p];
    const bool list = property.count_type.has_value();
    const auto here = static_cast<int>(p);
    if (list && (property.name == "vertex_indices" || property.name == "vertex_index") && corner_list < 0)
      corner_list = here;
    if (list && property.name == "texcoord" && uv_list < 0) uv_list = here;
    if (!list && property.name == "texnumber" && texture_number < 0) texture_number = here;
  }
  if (corner_list < 0) {
    if (element.count == 0) return {};
    return error_at(name_, Cause::malformed, "the faces have no list vertex_indices");
  }
  has_face_uvs_ = uv_list >= 0;
  // Rows can be as short as one byte, so the count alone would reserve many times the file's size.
  mesh_.faces.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(element.count, 2 * vertex_count_)));
  for (std::uint64_t f = 0; f < element.count; ++f) {
    coordinates_.clear();
    std::int32_t material = 0;
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const PlyProperty& property = element.properties[p];
      if (static_cast<int>(p) == corner_list) {
        PMTR_TRY_STATUS(read_corners(property));
      } else if (static_cast<int>(p) == uv_list) {
        PMTR_TRY_STATUS(read_texture_coordinates(property));
      } else if (static_cast<int>(p) == texture_number) {
        double number = 0;
        if (!values_.read(property.type, number)) return values_.failure();
        const bool known = number >= 0 && number < static_cast<double>(header_.texture_files.size());
        material = known ? static_cast<std::int32_t>(number) : -1;
      } else if (!values_.skip(property)) {
        return values_.failure();
      }
    }
    add_face(material);
  }
  return {};
}

void PlyReader::add_face(std::int32_t material) {
  const std::size_t corners = corners_.size();
  if (corners < 3) return;  // a line or a point has no surface
  const auto first_uv = static_cast<std::uint32_t>(mesh_.uvs.size());
  if (has_face_uvs_) {
    coordinates_.resize(2 * corners, 0.0F);
    for (std::size_t i = 0; i < corners; ++i)
      mesh_.uvs.emplace_back(coordinates_[2 * i], coordinates_[2 * i + 1]);
  }
  for (std::uint32_t i = 2; i < corners; ++i) {
    mesh_.faces.push_back({corners_[0], corners_[i - 1], corners_[i]});
    if (has_face_uvs_) mesh_.face_uvs.push_back({first_uv, first_uv + i - 1, first_uv + i});
    if (!header_.texture_files.empty()) mesh_.face_materials.push_back(material);
  }
}

void PlyReader::finish() {
  if (mesh_.faces.empty()) return;  // UVs and textures mean nothing without a surface
  if (!has_face_uvs_ && !vertex_uvs_.empty()) {
    mesh_.uvs = std::move(vertex_uvs_);
    mesh_.face_uvs = mesh_.faces;
  }
  for (const std::string& file : header_.texture_files) {
    mesh_.materials.push_back({file, Eigen::Vector4f::Ones(), static_cast<int>(mesh_.textures.size())});
    mesh_.textures.push_back({file, image_mime({}, file), {}});
  }
}

}  // namespace

Result<TriangleMesh> parse_ply(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) return error_at(name, Cause::empty, "the file is empty");
  PMTR_TRY(const PlyHeader header, parse_ply_header(bytes, name));
  return PlyReader(bytes, header, name).read();
}

}  // namespace pmtr
