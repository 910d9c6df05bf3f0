// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <bit>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/formats/byte_order.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr::test {

/// Builds files in memory, so that the tests need no binary fixtures.
class Bytes {
 public:
  explicit Bytes(std::endian order = std::endian::little) : order_(order) {}
  Bytes& text(std::string_view text) {
    const auto bytes = as_bytes(text);
    content_.insert(content_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  template <class T>
  Bytes& put(std::initializer_list<T> values) {
    for (const T value : values) {
      content_.resize(content_.size() + sizeof(T));
      store_bytes(content_.data() + content_.size() - sizeof(T), value, order_);
    }
    return *this;
  }
  const std::vector<std::byte>& content() const { return content_; }

 private:
  std::endian order_;
  std::vector<std::byte> content_;
};

inline std::vector<std::byte> bytes_of(std::string_view text) { return Bytes().text(text).content(); }
inline std::string text_of(const std::vector<std::byte>& bytes) { return std::string(as_text(bytes)); }

/// A transform without a zero in it, so that every number changes.
inline Rigid3 some_motion() {
  Rigid3 world_from_part;
  world_from_part.rotation =
      Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, -2, 3).normalized()).toRotationMatrix();
  world_from_part.translation = Eigen::Vector3d(10, -20, 0.125);
  return world_from_part;
}

/// A tetrahedron with everything: normals, colours, UVs per vertex. Floats hold its coordinates exactly.
inline TriangleMesh coloured_tetrahedron() {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1.5, 0, 0}, {0, -2.25, 0}, {0.125, 0.5, 3}};
  mesh.faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  mesh.normals = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 0.6F, 0.8F}};
  mesh.colours = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 0}, {51.0F / 255, 102.0F / 255, 153.0F / 255, 1}};
  mesh.uvs = {{0, 0}, {1, 0}, {0, 1}, {0.1F, 0.2F}};
  mesh.face_uvs = mesh.faces;
  return mesh;
}

/// A curved sheet of n x n vertices: enough bytes to be cut in many places.
inline TriangleMesh curved_sheet(int n) {
  TriangleMesh mesh;
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      mesh.vertices.emplace_back(x * 0.1, y * 0.3 - 1, 0.01 * x * y);
      mesh.colours.emplace_back(static_cast<float>(x % 2), 0.0F, static_cast<float>(y % 2), 1.0F);
      mesh.normals.emplace_back(0.6F, 0.0F, 0.8F);
    }
  }
  for (int y = 0; y + 1 < n; ++y) {
    for (int x = 0; x + 1 < n; ++x) {
      const auto a = static_cast<std::uint32_t>(y * n + x);
      const auto b = a + static_cast<std::uint32_t>(n);
      mesh.faces.push_back({a, a + 1, b});
      mesh.faces.push_back({a + 1, b + 1, b});
    }
  }
  return mesh;
}

/// Every prefix of the file, 64 bytes apart, must be refused. In text the last `tail` bytes are left out: a
/// number that has lost its last digits is still a number.
template <class Parse>
void expect_prefixes_refused(const std::vector<std::byte>& file, Parse parse, std::size_t tail = 0) {
  for (std::size_t size = 0; size < file.size() - tail; size += 64) {
    const std::vector<std::byte> prefix(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(parse(prefix).ok()) << "a prefix of " << size << " of " << file.size() << " bytes";
  }
}

/// Words and the gaps between them, in turn; for comparing text files word by word.
inline std::vector<std::string> words_and_gaps(const std::string& text) {
  std::vector<std::string> pieces(1);
  bool in_gap = true;
  for (const char c : text) {
    const bool gap = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (gap != in_gap) pieces.emplace_back();
    in_gap = gap;
    pieces.back() += c;
  }
  return pieces;
}

}  // namespace pmtr::test
