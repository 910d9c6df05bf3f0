// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/stl.h"

#include <array>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "pmtr/core/file.h"
#include "pmtr/formats/byte_order.h"
#include "pmtr/formats/number_text.h"
#include "pmtr/formats/word_reader.h"
#include "pmtr/mesh/io/moved_number.h"
#include "pmtr/mesh/io/moved_text.h"

namespace pmtr {
namespace {

constexpr std::size_t header_size = 80;
constexpr std::size_t facets_begin = header_size + 4;
constexpr std::size_t facet_size = 50;  // normal, three corners, two attribute bytes

Eigen::Vector3d load_vector(const std::byte* from) {
  return {static_cast<double>(load_bytes<float>(from, std::endian::little)),
          static_cast<double>(load_bytes<float>(from + 4, std::endian::little)),
          static_cast<double>(load_bytes<float>(from + 8, std::endian::little))};
}

void store_vector(std::byte* to, const Eigen::Vector3d& v) {
  for (int i = 0; i < 3; ++i) store_bytes(to + 4 * i, static_cast<float>(v[i]), std::endian::little);
}

/// An unchanged number keeps its bytes, which may be -0.
void store_moved(std::byte* to, const Eigen::Vector3d& before, const Eigen::Vector3d& after) {
  for (int i = 0; i < 3; ++i) {
    if (after[i] != before[i]) store_bytes(to + 4 * i, static_cast<float>(after[i]), std::endian::little);
  }
}

/// The vector of an ascii file with the words it stands in.
struct TextVector {
  std::array<std::string_view, 3> words;
  Eigen::Vector3d value;
  std::uint64_t line = 0;  // of its last number
};

/// Walks an ascii file; `on_vector` gets every facet normal (is_normal) and every corner in order.
class AsciiStl {
 public:
  using OnVector = std::function<Status(const TextVector&, bool is_normal)>;

  AsciiStl(std::string_view text, const std::string& name, OnVector on_vector)
      : words_(text), name_(name), on_vector_(std::move(on_vector)) {}

  Status walk() {
    // Several solids may follow each other.
    while (words_.next(word_)) {
      if (lower_case(word_.text) != "solid") return unexpected("solid");
      words_.skip_line();  // the name is free text
      PMTR_TRY_STATUS(walk_solid());
    }
    return {};
  }

 private:
  Status walk_solid() {
    while (true) {
      if (!words_.next(word_)) return ended();
      if (lower_case(word_.text) == "endsolid") {
        words_.skip_line();
        return {};
      }
      if (lower_case(word_.text) != "facet") return unexpected("facet or endsolid");
      PMTR_TRY_STATUS(expect("normal"));
      PMTR_TRY_STATUS(take_vector(true));
      PMTR_TRY_STATUS(expect("outer"));
      PMTR_TRY_STATUS(expect("loop"));
      for (int corner = 0; corner < 3; ++corner) {
        PMTR_TRY_STATUS(expect("vertex"));
        PMTR_TRY_STATUS(take_vector(false));
      }
      PMTR_TRY_STATUS(expect("endloop"));
      PMTR_TRY_STATUS(expect("endfacet"));
    }
  }

  Status expect(std::string_view keyword) {
    if (!words_.next(word_)) return ended();
    if (lower_case(word_.text) != keyword) return unexpected(keyword);
    return {};
  }

  Status take_vector(bool is_normal) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!words_.next(word_)) return ended();
      const std::optional<double> number = parse_number(word_.text);
      if (!number) return unexpected("a number");
      vector_.words[i] = word_.text;
      vector_.line = word_.line;
      vector_.value[static_cast<int>(i)] = *number;
    }
    if (!is_normal && !vector_.value.allFinite())
      return Error{Cause::not_finite, "a corner has a NaN or infinite coordinate", {name_, {}, word_.line}};
    return on_vector_(vector_, is_normal);
  }

  Status unexpected(std::string_view wanted) const {
    return Error{Cause::malformed,
                 fmt::format("expected {}, found {}", wanted, shown(word_.text)),
                 {name_, {}, word_.line}};
  }
  Status ended() const {
    return Error{Cause::truncated, "the file ends inside a solid", {name_, {}, words_.line()}};
  }

  WordReader words_;
  const std::string& name_;
  OnVector on_vector_;
  Word word_;
  TextVector vector_;
};

/// The number of facets of a binary file, all of which are there.
Result<std::size_t> count_facets(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() < facets_begin) {
    return Error{Cause::truncated,
                 fmt::format("{} bytes are too few for an STL file", bytes.size()),
                 {name, bytes.size(), {}}};
  }
  const auto count = load_bytes<std::uint32_t>(bytes.data() + header_size, std::endian::little);
  const std::size_t room = (bytes.size() - facets_begin) / facet_size;
  if (count > room) {
    return Error{Cause::truncated,
                 fmt::format("the header promises {} facets, but there are bytes for {}", count, room),
                 {name, header_size, {}}};
  }
  if (count > std::numeric_limits<std::uint32_t>::max() / 3)
    return Error{Cause::too_large, fmt::format("{} facets are too many", count), {name, header_size, {}}};
  return static_cast<std::size_t>(count);
}

Result<TriangleMesh> parse_binary(std::span<const std::byte> bytes, const std::string& name) {
  PMTR_TRY(const std::size_t count, count_facets(bytes, name));
  TriangleMesh mesh;
  mesh.vertices.reserve(3 * count);
  for (std::size_t f = 0; f < count; ++f) {
    for (std::size_t corner = 1; corner <= 3; ++corner) {
      const std::size_t at = facets_begin + facet_size * f + 12 * corner;
      mesh.vertices.push_back(load_vector(bytes.data() + at));
      if (!mesh.vertices.back().allFinite()) {
        return Error{Cause::not_finite,
                     fmt::format("a corner of facet {} has a NaN or infinite coordinate", f),
                     {name, at, {}}};
      }
    }
  }
  return mesh;
}

Result<TriangleMesh> parse_ascii(std::span<const std::byte> bytes, const std::string& name) {
  TriangleMesh mesh;
  AsciiStl file(as_text(bytes), name, [&](const TextVector& vector, bool is_normal) -> Status {
    if (!is_normal) mesh.vertices.push_back(vector.value);
    return {};
  });
  PMTR_TRY_STATUS(file.walk());
  return mesh;
}

Result<std::vector<std::byte>> move_binary(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                           const std::string& name) {
  PMTR_TRY(const std::size_t count, count_facets(bytes, name));
  std::vector<std::byte> out(bytes.begin(), bytes.end());
  for (std::size_t f = 0; f < count; ++f) {
    std::byte* facet = out.data() + facets_begin + facet_size * f;
    const Eigen::Vector3d normal = load_vector(facet);
    const Eigen::Vector3d turned = world_from_part.rotation * normal;
    if (all_fit_float(turned)) store_moved(facet, normal, turned);  // one that is no direction stays
    for (std::size_t corner = 1; corner <= 3; ++corner) {
      const Eigen::Vector3d before = load_vector(facet + 12 * corner);
      const Eigen::Vector3d after = world_from_part * before;
      if (!all_fit_float(after)) return does_not_fit(name, fmt::format("facet {}", f));
      store_moved(facet + 12 * corner, before, after);
    }
  }
  return out;
}

Result<std::vector<std::byte>> move_ascii(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                          const std::string& name) {
  const std::string_view text = as_text(bytes);
  MovedText out(text);
  AsciiStl file(text, name, [&](const TextVector& vector, bool is_normal) -> Status {
    const Eigen::Vector3d after =
        is_normal ? Eigen::Vector3d(world_from_part.rotation * vector.value) : world_from_part * vector.value;
    if (!after.allFinite()) {
      if (is_normal) return {};
      return does_not_fit(name, fmt::format("corner on line {}", vector.line));
    }
    out.replace(vector.words, vector.value, after);
    return {};
  });
  PMTR_TRY_STATUS(file.walk());
  return out.finish();
}

}  // namespace

StlKind detect_stl(std::span<const std::byte> bytes) {
  if (bytes.size() >= facets_begin) {
    const auto count = load_bytes<std::uint32_t>(bytes.data() + header_size, std::endian::little);
    if (bytes.size() == facets_begin + std::uint64_t{facet_size} * count) return StlKind::binary;
    // A binary file with bytes after its end may begin with "solid" too. Its header and count are no text,
    // and unlike the coordinates they stay as they are when the file is moved.
    for (const char c : as_text(bytes).substr(0, facets_begin)) {
      if (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') return StlKind::neither;
    }
  }
  WordReader words(as_text(bytes));
  Word word;
  if (!words.next(word) || lower_case(word.text) != "solid") return StlKind::neither;
  words.skip_line();
  if (!words.next(word)) return StlKind::ascii;
  return lower_case(word.text) == "facet" || lower_case(word.text) == "endsolid" ? StlKind::ascii
                                                                                 : StlKind::neither;
}

Result<TriangleMesh> parse_stl(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) return error_at(name, Cause::empty, "the file is empty");
  // What is neither by its size nor by its words is most likely binary and cut off, or has bytes after its
  // end.
  auto mesh = detect_stl(bytes) == StlKind::ascii ? parse_ascii(bytes, name) : parse_binary(bytes, name);
  if (!mesh.ok()) return mesh;
  if (mesh->vertices.empty()) return error_at(name, Cause::empty, "the STL file has no facets");
  mesh->faces.resize(mesh->vertices.size() / 3);
  for (std::size_t f = 0; f < mesh->faces.size(); ++f) {
    const auto first = static_cast<std::uint32_t>(3 * f);
    mesh->faces[f] = {first, first + 1, first + 2};
  }
  return mesh;
}

std::vector<std::byte> format_stl(const TriangleMesh& mesh) {
  const Status valid = check_mesh(mesh);
  PMTR_CHECK(valid.ok(), valid.error().text());
  PMTR_CHECK(mesh.faces.size() <= std::numeric_limits<std::uint32_t>::max(),
             "more facets than STL can count");
  std::vector<std::byte> out(facets_begin + facet_size * mesh.faces.size());
  constexpr std::string_view title = "binary STL";  // must not begin with "solid"
  for (std::size_t i = 0; i < title.size(); ++i) out[i] = static_cast<std::byte>(title[i]);
  store_bytes(out.data() + header_size, static_cast<std::uint32_t>(mesh.faces.size()), std::endian::little);
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    std::byte* facet = out.data() + facets_begin + facet_size * f;
    const auto& [a, b, c] = mesh.faces[f];
    const Eigen::Vector3d& p = mesh.vertices[a];
    const Eigen::Vector3d normal = (mesh.vertices[b] - p).cross(mesh.vertices[c] - p).stableNormalized();
    store_vector(facet, normal.allFinite() ? normal : Eigen::Vector3d::Zero());
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const Eigen::Vector3d& vertex = mesh.vertices[mesh.faces[f][corner]];
      PMTR_CHECK(all_fit_float(vertex), "a coordinate beyond the range of float");
      store_vector(facet + 12 * (corner + 1), vertex);
    }
  }
  return out;
}

Result<std::vector<std::byte>> move_stl(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name) {
  return detect_stl(bytes) == StlKind::ascii ? move_ascii(bytes, world_from_part, name)
                                             : move_binary(bytes, world_from_part, name);
}

}  // namespace pmtr
