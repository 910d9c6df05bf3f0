// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/byte_order.h"
#include "pmtr/mesh/io/moved_number.h"
#include "pmtr/mesh/io/moved_text.h"
#include "pmtr/mesh/io/ply/ply.h"
#include "pmtr/mesh/io/ply/ply_header.h"
#include "pmtr/mesh/io/ply/ply_values.h"

namespace pmtr {
namespace {

/// A number of the row at hand: where it stands and what it becomes.
struct Field {
  PlyType type = PlyType::float32;
  std::size_t begin = 0;
  std::size_t end = 0;
  double before = 0;
  double after = 0;
};

void store(std::byte* to, PlyType type, double value, std::endian order) {
  switch (type) {
    case PlyType::int8:
      return store_bytes(to, static_cast<std::int8_t>(value), order);
    case PlyType::uint8:
      return store_bytes(to, static_cast<std::uint8_t>(value), order);
    case PlyType::int16:
      return store_bytes(to, static_cast<std::int16_t>(value), order);
    case PlyType::uint16:
      return store_bytes(to, static_cast<std::uint16_t>(value), order);
    case PlyType::int32:
      return store_bytes(to, static_cast<std::int32_t>(value), order);
    case PlyType::uint32:
      return store_bytes(to, static_cast<std::uint32_t>(value), order);
    case PlyType::float32:
      return store_bytes(to, static_cast<float>(value), order);
    case PlyType::float64:
      return store_bytes(to, value, order);
  }
}

class PlyMover {
 public:
  PlyMover(std::span<const std::byte> bytes, const PlyHeader& header, const Rigid3& world_from_part,
           const std::string& name)
      : bytes_(bytes),
        header_(header),
        world_from_part_(world_from_part),
        name_(name),
        values_(bytes, header, name),
        text_out_(header.encoding == PlyEncoding::ascii ? as_text(bytes) : std::string_view()) {}

  Result<std::vector<std::byte>> move() {
    const bool ascii = header_.encoding == PlyEncoding::ascii;
    if (!ascii) binary_out_.assign(bytes_.begin(), bytes_.end());
    const PlyElement* vertex = header_.find("vertex");
    if (vertex == nullptr) return error_at(name_, Cause::empty, "the PLY file has no vertices");
    for (const PlyElement& element : header_.elements) {
      if (&element == vertex) break;
      if (!values_.skip(element)) return values_.failure();
    }
    PMTR_TRY_STATUS(move_vertices(*vertex));
    return ascii ? text_out_.finish() : std::move(binary_out_);
  }

 private:
  Status move_vertices(const PlyElement& element) {
    const std::array<int, ply_role_count> roles = find_vertex_roles(element);
    const bool normals = roles[ply_nx] >= 0 && roles[ply_ny] >= 0 && roles[ply_nz] >= 0;
    std::vector<int> field_of(element.properties.size(), -1);
    for (std::size_t role = 0; role < (normals ? 6 : 3); ++role) {
      if (roles[role] < 0)
        return error_at(name_, Cause::malformed, "the vertices have no properties x, y and z");
      field_of[static_cast<std::size_t>(roles[role])] = static_cast<int>(role);
    }
    for (std::uint64_t v = 0; v < element.count; ++v) {
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const PlyProperty& property = element.properties[p];
        if (field_of[p] < 0) {
          if (!values_.skip(property)) return values_.failure();
          continue;
        }
        Field& field = fields_[static_cast<std::size_t>(field_of[p])];
        if (!values_.read(property.type, field.before)) return values_.failure();
        field.type = property.type;
        field.begin = values_.begin();
        field.end = values_.end();
      }
      PMTR_TRY_STATUS(move_position(v));
      if (normals) move_normal();
      put(element, field_of);
    }
    return {};
  }

  Status move_position(std::uint64_t vertex) {
    const Eigen::Vector3d before(fields_[0].before, fields_[1].before, fields_[2].before);
    if (!before.allFinite())
      return values_.error(Cause::not_finite, fmt::format("vertex {} is NaN or infinite", vertex));
    const Eigen::Vector3d after = world_from_part_ * before;
    for (int i = 0; i < 3; ++i) {
      Field& field = fields_[static_cast<std::size_t>(i)];
      field.after = after[i];
      if (field.after == field.before) continue;  // kept as it is, even where the type cannot hold it
      if (is_whole(field.type)) {
        field.after = std::round(after[i]);
        if (std::abs(field.after - after[i]) > 1e-6) {
          return values_.error(Cause::unsupported,
                               fmt::format("the coordinates are whole numbers ({}), moving vertex {} would "
                                           "round them; save the file with float coordinates",
                                           type_name(field.type), vertex));
        }
      }
      if (!(field.after >= smallest(field.type) && field.after <= largest(field.type)))
        return does_not_fit(name_, fmt::format("vertex {}", vertex));
    }
    return {};
  }

  void move_normal() {
    const Eigen::Vector3d before(fields_[3].before, fields_[4].before, fields_[5].before);
    const Eigen::Vector3d after = world_from_part_.rotation * before;
    bool fits = after.allFinite();
    for (int i = 0; i < 3; ++i) {
      const PlyType type = fields_[3 + static_cast<std::size_t>(i)].type;
      if (!is_whole(type)) fits = fits && std::abs(after[i]) <= largest(type);
    }
    for (int i = 0; i < 3; ++i) {
      Field& field = fields_[3 + static_cast<std::size_t>(i)];
      // A normal that is no direction (NaN, beyond all range) stays as it is.
      field.after = fits ? after[i] : field.before;
      if (fits && is_whole(field.type))
        field.after = std::clamp(std::round(after[i]), smallest(field.type), largest(field.type));
    }
  }

  void put(const PlyElement& element, const std::vector<int>& field_of) {
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      if (field_of[p] < 0) continue;
      const Field& field = fields_[static_cast<std::size_t>(field_of[p])];
      // An unchanged number keeps its bytes: -0, "1.50", NaN.
      if (field.after == field.before || std::isnan(field.after)) continue;
      if (header_.encoding == PlyEncoding::ascii) {
        put_word(field);
      } else {
        store(binary_out_.data() + field.begin, field.type, field.after,
              header_.encoding == PlyEncoding::little_endian ? std::endian::little : std::endian::big);
      }
    }
  }

  void put_word(const Field& field) {
    const std::string_view word = as_text(bytes_).substr(field.begin, field.end - field.begin);
    if (field.type == PlyType::float32) {
      text_out_.replace(word, static_cast<float>(field.after));
    } else {
      text_out_.replace(word, field.after);
    }
  }

  std::span<const std::byte> bytes_;
  const PlyHeader& header_;
  const Rigid3& world_from_part_;
  const std::string& name_;
  PlyValues values_;
  std::array<Field, 6> fields_;
  std::vector<std::byte> binary_out_;
  MovedText text_out_;  // of an ascii file
};

}  // namespace

Result<std::vector<std::byte>> move_ply(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name) {
  PMTR_TRY(const PlyHeader header, parse_ply_header(bytes, name));
  return PlyMover(bytes, header, world_from_part, name).move();
}

}  // namespace pmtr
