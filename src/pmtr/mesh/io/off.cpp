// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/off.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/number_text.h"
#include "pmtr/formats/word_reader.h"
#include "pmtr/mesh/io/moved_number.h"
#include "pmtr/mesh/io/moved_text.h"
#include "pmtr/mesh/io/off_header.h"

namespace pmtr {
namespace {

/// The numbers of one line and the words they stand in.
struct Line {
  std::vector<Word> words;
  std::vector<double> numbers;
  std::uint64_t number = 0;
};

class OffLines {
 public:
  OffLines(std::string_view text, const OffHeader& header, const std::string& name)
      : words_(text, header.body, header.body_line, '#'), name_(name) {}

  /// The next line with anything on it, all of it numbers.
  Status next(Line& line) {
    line.words.clear();
    line.numbers.clear();
    Word word;
    if (!words_.next(word))
      return Error{
          Cause::truncated, "the file ends before all its vertices and faces", {name_, {}, words_.line()}};
    line.number = word.line;
    do {
      const std::optional<double> number = parse_number(word.text);
      if (!number)
        return Error{
            Cause::malformed, fmt::format("{} is not a number", shown(word.text)), {name_, {}, word.line}};
      line.words.push_back(word);
      line.numbers.push_back(*number);
    } while (words_.next_on_line(word));
    return {};
  }

 private:
  WordReader words_;
  const std::string& name_;
};

float finite_or_zero(double value) { return fits_float(value) ? static_cast<float>(value) : 0.0F; }

/// What follows the coordinates on a vertex line: normal, colour, texture, in this order.
struct VertexLayout {
  std::size_t colour_begin = 3;
  std::size_t colour_size = 0;  // 0, 3 or 4
  std::size_t size = 3;
};

Result<VertexLayout> find_layout(const OffHeader& header, const Line& line, const std::string& name) {
  const std::size_t have = line.numbers.size();
  VertexLayout layout;
  layout.colour_begin = header.normals ? 6 : 3;
  const std::size_t texture = header.textures ? 2 : 0;
  const std::size_t least = layout.colour_begin + texture;
  // Many programs write colours under a plain OFF, so they are recognised by their number.
  const bool colour = have == least + 3 || have == least + 4;
  if (!colour && (have != least || header.colours)) {
    return Error{Cause::malformed,
                 fmt::format("a vertex line with {} numbers; expected {}{}", have, least,
                             header.colours ? " and a colour of 3 or 4" : ", or a colour of 3 or 4 more"),
                 {name, {}, line.number}};
  }
  layout.colour_size = colour ? have - least : 0;
  layout.size = have;
  return layout;
}

Status check_vertex_line(const VertexLayout& layout, const Line& line, std::size_t vertex,
                         const std::string& name) {
  if (line.numbers.size() != layout.size) {
    return Error{
        Cause::malformed,
        fmt::format("vertex {} has {} numbers, the first one {}", vertex, line.numbers.size(), layout.size),
        {name, {}, line.number}};
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (!std::isfinite(line.numbers[i])) {
      return Error{Cause::not_finite,
                   fmt::format("a coordinate of vertex {} is {}", vertex, line.numbers[i]),
                   {name, {}, line.number}};
    }
  }
  return {};
}

Status read_face(const Line& line, std::size_t vertex_count, const std::string& name, TriangleMesh& mesh) {
  auto bad = [&](std::string message) -> Status {
    return Error{Cause::malformed, std::move(message), {name, {}, line.number}};
  };
  const double corners = line.numbers[0];
  if (!(corners >= 0 && corners == std::floor(corners)) ||
      corners > static_cast<double>(line.numbers.size() - 1)) {
    return bad(
        fmt::format("a face of {} corners on a line with {} more numbers", corners, line.numbers.size() - 1));
  }
  const auto count = static_cast<std::size_t>(corners);
  auto corner = [&](std::size_t i) { return static_cast<std::uint32_t>(line.numbers[1 + i]); };
  for (std::size_t i = 0; i < count; ++i) {
    const double index = line.numbers[1 + i];
    if (!(index >= 0 && index < static_cast<double>(vertex_count) && index == std::floor(index)))
      return bad(fmt::format("a face uses vertex {}, but the vertices are 0 to {}", index, vertex_count - 1));
  }
  for (std::size_t i = 2; i < count; ++i) mesh.faces.push_back({corner(0), corner(i - 1), corner(i)});
  return {};
}

/// Bytes (0 to 255) or fractions (0 to 1)? Files do not say; their largest value does.
void scale_colours(std::vector<Eigen::Vector4f>& colours, std::size_t components) {
  float most = 0;
  for (const Eigen::Vector4f& colour : colours)
    most = std::max(most, colour.head(static_cast<int>(components)).maxCoeff());
  const float scale = most > 1 ? 255.0F : 1.0F;
  for (Eigen::Vector4f& colour : colours) {
    colour = (colour / scale).cwiseMax(0.0F).cwiseMin(1.0F);
    if (components == 3) colour[3] = 1;
  }
}

}  // namespace

Result<TriangleMesh> parse_off(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) return error_at(name, Cause::empty, "the file is empty");
  PMTR_TRY(const OffHeader header, parse_off_header(as_text(bytes), name));
  if (header.vertices == 0) return error_at(name, Cause::empty, "the OFF file has no vertices");
  OffLines lines(as_text(bytes), header, name);
  Line line;
  TriangleMesh mesh;
  VertexLayout layout;
  mesh.vertices.reserve(header.vertices);
  for (std::size_t v = 0; v < header.vertices; ++v) {
    PMTR_TRY_STATUS(lines.next(line));
    if (v == 0) {
      PMTR_TRY(layout, find_layout(header, line, name));
    }
    PMTR_TRY_STATUS(check_vertex_line(layout, line, v, name));
    const std::vector<double>& n = line.numbers;
    mesh.vertices.emplace_back(n[0], n[1], n[2]);
    if (header.normals) {
      const bool finite = fits_float(n[3]) && fits_float(n[4]) && fits_float(n[5]);
      Eigen::Vector3f normal = Eigen::Vector3f::Zero();
      if (finite) normal = Eigen::Vector3d(n[3], n[4], n[5]).cast<float>();
      mesh.normals.push_back(normal);
    }
    if (layout.colour_size > 0) {
      Eigen::Vector4f colour = Eigen::Vector4f::Ones();
      for (std::size_t c = 0; c < layout.colour_size; ++c)
        colour[static_cast<int>(c)] = finite_or_zero(n[layout.colour_begin + c]);
      mesh.colours.push_back(colour);
    }
    if (header.textures)
      mesh.uvs.emplace_back(finite_or_zero(n[layout.size - 2]), finite_or_zero(n[layout.size - 1]));
  }
  scale_colours(mesh.colours, layout.colour_size);
  for (std::size_t f = 0; f < header.faces; ++f) {
    PMTR_TRY_STATUS(lines.next(line));
    PMTR_TRY_STATUS(read_face(line, header.vertices, name, mesh));
  }
  if (mesh.faces.empty()) mesh.uvs.clear();
  if (!mesh.uvs.empty()) mesh.face_uvs = mesh.faces;
  return mesh;
}

std::vector<std::byte> format_off(const TriangleMesh& mesh) {
  const Status valid = check_mesh(mesh);
  PMTR_CHECK(valid.ok(), valid.error().text());
  std::string text = fmt::format("{}{}OFF\n{} {} 0\n", mesh.colours.empty() ? "" : "C",
                                 mesh.normals.empty() ? "" : "N", mesh.vertices.size(), mesh.faces.size());
  auto put = [&](auto value) {
    append_number(text, value);
    text += ' ';
  };
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    for (const double coordinate : mesh.vertices[v]) put(coordinate);
    if (!mesh.normals.empty()) {
      for (const float component : mesh.normals[v]) put(component);
    }
    if (!mesh.colours.empty()) {
      for (const float component : mesh.colours[v])
        text += fmt::format("{} ", std::lround(std::clamp(component, 0.0F, 1.0F) * 255.0F));
    }
    text.back() = '\n';
  }
  for (const auto& [a, b, c] : mesh.faces) text += fmt::format("3 {} {} {}\n", a, b, c);
  const auto bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

Result<std::vector<std::byte>> move_off(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name) {
  const std::string_view text = as_text(bytes);
  PMTR_TRY(const OffHeader header, parse_off_header(text, name));
  OffLines lines(text, header, name);
  Line line;
  VertexLayout layout;
  MovedText out(text);
  auto replace = [&](std::size_t first, const Eigen::Vector3d& before, const Eigen::Vector3d& after) {
    out.replace({line.words[first].text, line.words[first + 1].text, line.words[first + 2].text}, before,
                after);
  };
  for (std::size_t v = 0; v < header.vertices; ++v) {
    PMTR_TRY_STATUS(lines.next(line));
    if (v == 0) {
      PMTR_TRY(layout, find_layout(header, line, name));
    }
    PMTR_TRY_STATUS(check_vertex_line(layout, line, v, name));
    const std::vector<double>& n = line.numbers;
    const Eigen::Vector3d position(n[0], n[1], n[2]);
    const Eigen::Vector3d moved = world_from_part * position;
    if (!moved.allFinite()) return does_not_fit(name, fmt::format("vertex {}", v));
    replace(0, position, moved);
    if (!header.normals) continue;
    const Eigen::Vector3d normal(n[3], n[4], n[5]);
    const Eigen::Vector3d turned = world_from_part.rotation * normal;
    if (turned.allFinite()) replace(3, normal, turned);
  }
  return out.finish();
}

}  // namespace pmtr
