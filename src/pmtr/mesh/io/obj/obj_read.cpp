// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/obj/obj_read.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/number_text.h"
#include "pmtr/formats/word_reader.h"
#include "pmtr/mesh/io/mesh_appearance.h"
#include "pmtr/mesh/io/obj/obj_text.h"

namespace pmtr {
namespace {

using obj_text::take_word;

struct Corner {
  std::uint32_t vertex = no_index;
  std::uint32_t uv = no_index;
  std::uint32_t normal = no_index;
};

/// Faces may name elements that come later in the file. It is enough to remember the highest index that was
/// not there yet, and who asked for it.
struct Forward {
  std::uint64_t highest = 0;
  std::uint64_t line = 0;
};

class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  Result<ObjContent> read(std::string_view text);

 private:
  Status statement(std::string_view keyword, std::string_view rest);
  Status vertex(std::string_view rest);
  Status uv(std::string_view rest);
  Status normal(std::string_view rest);
  Status face(std::string_view rest);
  Result<Corner> corner(std::string_view word);
  Result<std::uint32_t> index(std::string_view digits, std::size_t known, Forward& forward,
                              std::string_view what);
  void use_material(std::string_view rest);
  void material_files(std::string_view rest);
  Status check_forward(const Forward& forward, std::size_t known, std::string_view what) const;
  void finish_colours();
  void finish_normals();

  Error error(Cause cause, std::string message, std::uint64_t line) const {
    return {cause, std::move(message), {name_, {}, line}};
  }
  Error error(Cause cause, std::string message) const { return error(cause, std::move(message), line_); }

  std::string name_;
  std::uint64_t line_ = 0;
  ObjContent content_;
  TriangleMesh& mesh_ = content_.mesh;
  std::vector<Eigen::Vector3f> normals_;
  std::vector<std::array<std::uint32_t, 3>> face_normals_;
  std::vector<Corner> polygon_;
  std::unordered_map<std::string, std::int32_t> material_index_;
  std::unordered_set<std::string> material_files_seen_;
  std::int32_t material_ = -1;
  Forward forward_vertex_, forward_uv_, forward_normal_;
  std::uint64_t small_faces_ = 0;
  std::uint64_t bad_uvs_ = 0;
  bool finite_normals_ = true;
  bool some_without_colour_ = false;
};

Result<ObjContent> Reader::read(std::string_view text) {
  obj_text::Statements statements(text);
  for (obj_text::Statement line; statements.next(line);) {
    line_ = line.line;
    std::string_view rest = line.text;
    const std::string_view keyword = take_word(rest);
    PMTR_TRY_STATUS(statement(keyword, rest));
  }
  PMTR_TRY_STATUS(check_forward(forward_vertex_, mesh_.vertices.size(), "vertex"));
  PMTR_TRY_STATUS(check_forward(forward_uv_, mesh_.uvs.size(), "texture coordinate"));
  PMTR_TRY_STATUS(check_forward(forward_normal_, normals_.size(), "normal"));
  if (mesh_.vertices.empty()) return error_at(name_, Cause::empty, "has no vertices");
  finish_colours();
  finish_normals();
  complete_face_uvs(mesh_);
  if (mesh_.materials.empty()) mesh_.face_materials.clear();
  if (small_faces_ > 0) {
    content_.warnings.push_back(
        fmt::format("{} faces with fewer than three corners are left out", small_faces_));
  }
  if (bad_uvs_ > 0) {
    content_.warnings.push_back(
        fmt::format("{} texture coordinates are not finite and count as 0", bad_uvs_));
  }
  return std::move(content_);
}

Status Reader::statement(std::string_view keyword, std::string_view rest) {
  if (keyword == "v") return vertex(rest);
  if (keyword == "vt") return uv(rest);
  if (keyword == "vn") return normal(rest);
  if (keyword == "f") return face(rest);
  if (keyword == "usemtl") use_material(rest);
  if (keyword == "mtllib") material_files(rest);
  return {};
}

Status Reader::vertex(std::string_view rest) {
  const auto point = take_triple(rest);
  if (!point) return error(Cause::malformed, "a vertex needs three numbers");
  if (!point->value.allFinite()) return error(Cause::not_finite, "a coordinate is not finite");
  if (mesh_.vertices.size() >= no_index) return error(Cause::too_large, "has too many vertices");
  mesh_.vertices.push_back(point->value);
  std::array<float, 5> extra{};
  std::size_t count = 0;
  for (; count < extra.size(); ++count) {
    const auto value = parse_number<float>(take_word(rest));
    if (!value) break;
    extra[count] = *value;
  }
  // One number more is a weight (for curves only), three are a colour, four a colour with alpha.
  if (count != 3 && count != 4) {
    some_without_colour_ = true;
    if (!mesh_.colours.empty()) mesh_.colours.emplace_back(Eigen::Vector4f::Ones());
    return {};
  }
  // Those before had none: white.
  if (mesh_.colours.empty()) mesh_.colours.resize(mesh_.vertices.size() - 1, Eigen::Vector4f::Ones());
  Eigen::Vector4f colour(extra[0], extra[1], extra[2], count == 4 ? extra[3] : 1.0F);
  if (!colour.allFinite()) colour = Eigen::Vector4f::Ones();
  mesh_.colours.push_back(colour);
  return {};
}

Status Reader::uv(std::string_view rest) {
  const auto u = parse_number<float>(take_word(rest));
  if (!u) return error(Cause::malformed, "a texture coordinate needs a number");
  const auto v = parse_number<float>(take_word(rest)).value_or(0.0F);
  const bool finite = std::isfinite(*u) && std::isfinite(v);
  bad_uvs_ += finite ? 0 : 1;
  if (mesh_.uvs.size() >= no_index - 1) return error(Cause::too_large, "has too many texture coordinates");
  mesh_.uvs.emplace_back(finite ? *u : 0.0F, finite ? v : 0.0F);
  return {};
}

Status Reader::normal(std::string_view rest) {
  const auto direction = take_triple(rest);
  if (!direction) return error(Cause::malformed, "a normal needs three numbers");
  if (normals_.size() >= no_index) return error(Cause::too_large, "has too many normals");
  normals_.emplace_back(direction->value.cast<float>());
  finite_normals_ = finite_normals_ && normals_.back().allFinite();
  return {};
}

Status Reader::face(std::string_view rest) {
  polygon_.clear();
  for (std::string_view word = take_word(rest); !word.empty() && word[0] != '#'; word = take_word(rest)) {
    PMTR_TRY(polygon_.emplace_back(), corner(word));
  }
  if (polygon_.size() < 3) {
    ++small_faces_;
    return {};
  }
  for (std::size_t i = 1; i + 1 < polygon_.size(); ++i) {
    const Corner& a = polygon_[0];
    const Corner& b = polygon_[i];
    const Corner& c = polygon_[i + 1];
    mesh_.faces.push_back({a.vertex, b.vertex, c.vertex});
    mesh_.face_uvs.push_back({a.uv, b.uv, c.uv});
    face_normals_.push_back({a.normal, b.normal, c.normal});
    mesh_.face_materials.push_back(material_);
  }
  return {};
}

/// v, v/t, v//n or v/t/n.
Result<Corner> Reader::corner(std::string_view word) {
  const std::size_t first = word.find('/');
  const std::string_view v = word.substr(0, first);
  std::string_view t;
  std::string_view n;
  if (first != std::string_view::npos) {
    t = word.substr(first + 1);
    const std::size_t second = t.find('/');
    if (second != std::string_view::npos) {
      n = t.substr(second + 1);
      t = t.substr(0, second);
    }
  }
  Corner result;
  PMTR_TRY(result.vertex, index(v, mesh_.vertices.size(), forward_vertex_, "vertex"));
  if (!t.empty()) {
    PMTR_TRY(result.uv, index(t, mesh_.uvs.size(), forward_uv_, "texture coordinate"));
  }
  if (!n.empty()) {
    PMTR_TRY(result.normal, index(n, normals_.size(), forward_normal_, "normal"));
  }
  return result;
}

Result<std::uint32_t> Reader::index(std::string_view digits, std::size_t known, Forward& forward,
                                    std::string_view what) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || end != digits.data() + digits.size() || code == std::errc::invalid_argument) {
    return error(Cause::malformed, fmt::format("'{}' is not a {} index", digits.substr(0, 40), what));
  }
  if (value == 0 && code == std::errc{}) {
    return error(Cause::malformed, fmt::format("{} index 0: they count from 1", what));
  }
  const auto have = static_cast<std::int64_t>(known);
  if (code != std::errc{} || value < -have || value >= static_cast<std::int64_t>(no_index)) {
    return error(Cause::malformed, fmt::format("{} index {} is out of range", what, digits.substr(0, 40)));
  }
  if (value < 0) return static_cast<std::uint32_t>(have + value);
  const auto positive = static_cast<std::uint64_t>(value);
  if (positive > known && positive > forward.highest) forward = {positive, line_};
  return static_cast<std::uint32_t>(positive - 1);
}

Status Reader::check_forward(const Forward& forward, std::size_t known, std::string_view what) const {
  if (forward.highest <= known) return {};
  return error(Cause::malformed,
               fmt::format("{} index {} is out of range, there are {}", what, forward.highest, known),
               forward.line);
}

void Reader::use_material(std::string_view rest) {
  const std::string material = obj_text::rest_as_name(rest);
  if (material.empty()) {
    material_ = -1;
    return;
  }
  const auto [known, is_new] =
      material_index_.emplace(material, static_cast<std::int32_t>(mesh_.materials.size()));
  if (is_new) mesh_.materials.push_back({material, Eigen::Vector4f::Ones(), -1});
  material_ = known->second;
}

/// Several names may stand in one statement and a name may contain spaces: a name ends where ".mtl" does.
void Reader::material_files(std::string_view rest) {
  const std::string all = obj_text::rest_as_name(rest);
  const std::string lower = lower_case(all);
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t split = lower.find(".mtl ", begin);
    const std::size_t end = split == std::string::npos ? all.size() : split + 4;
    const std::string file = obj_text::rest_as_name(std::string_view(all).substr(begin, end - begin));
    if (!file.empty() && material_files_seen_.insert(file).second) content_.material_files.push_back(file);
    begin = end;
  }
}

void Reader::finish_colours() {
  if (mesh_.colours.empty()) return;
  if (some_without_colour_)
    content_.warnings.emplace_back("vertices without colour among coloured ones count as white");
  float highest = 0;
  for (const auto& colour : mesh_.colours) highest = std::max(highest, colour.head<3>().maxCoeff());
  const float unit = highest > 1.0F ? 255.0F : 1.0F;  // some programs write 0 to 255
  for (auto& colour : mesh_.colours) {
    const bool alpha_is_unit = colour[3] <= 1.0F;
    colour.head<3>() /= unit;
    if (!alpha_is_unit) colour[3] /= 255.0F;
    colour = colour.cwiseMax(0.0F).cwiseMin(1.0F);
  }
}

void Reader::finish_normals() {
  if (normals_.empty()) return;
  if (!finite_normals_) {
    content_.warnings.emplace_back("some normals are not finite: all are left out");
    return;
  }
  // Without faces to say otherwise (point clouds, stray vertices), normals belong to vertices one to one.
  const bool paired = normals_.size() == mesh_.vertices.size();
  std::vector<std::uint32_t> normal_of(mesh_.vertices.size(), no_index);
  for (std::size_t f = 0; f < mesh_.faces.size(); ++f) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t normal = face_normals_[f][c];
      if (normal == no_index) return;
      std::uint32_t& known = normal_of[mesh_.faces[f][c]];
      if (known == no_index) known = normal;
      if (normals_[known] != normals_[normal]) return;
    }
  }
  for (std::size_t v = 0; v < normal_of.size(); ++v) {
    if (normal_of[v] != no_index) continue;
    if (!paired) return;
    normal_of[v] = static_cast<std::uint32_t>(v);
  }
  mesh_.normals.reserve(normal_of.size());
  for (const std::uint32_t normal : normal_of) mesh_.normals.push_back(normals_[normal]);
}

}  // namespace

std::optional<ObjTriple> take_triple(std::string_view& rest) {
  ObjTriple triple;
  for (std::size_t i = 0; i < 3; ++i) {
    triple.words[i] = take_word(rest);
    const auto value = parse_number<double>(triple.words[i]);
    if (!value) return std::nullopt;
    triple.value[static_cast<Eigen::Index>(i)] = *value;
  }
  return triple;
}

Result<ObjContent> read_obj_content(std::span<const std::byte> bytes, const std::string& name) {
  return Reader(name).read(as_text(bytes));
}

}  // namespace pmtr
