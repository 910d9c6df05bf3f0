// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/coincident_triangles.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace pmtr {
namespace {

using Position = std::array<std::uint64_t, 3>;

// Adding zero turns -0 into +0: they are the same place.
Position position_of(const Eigen::Vector3d& p) {
  return {std::bit_cast<std::uint64_t>(p.x() + 0.0), std::bit_cast<std::uint64_t>(p.y() + 0.0),
          std::bit_cast<std::uint64_t>(p.z() + 0.0)};
}

std::uint64_t hash_of(const Position& position) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : position) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32U;
  }
  return hash;
}

/// Numbers distinct positions in the order they are seen. Open addressing: this is where the time goes.
class Positions {
 public:
  explicit Positions(std::size_t most) : slots_(std::bit_ceil(2 * most + 1), empty) { known_.reserve(most); }

  std::uint32_t number(const Position& position) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash_of(position) & mask;; at = (at + 1) & mask) {
      if (slots_[at] == empty) {
        slots_[at] = static_cast<std::uint32_t>(known_.size());
        known_.push_back(position);
        return slots_[at];
      }
      if (known_[slots_[at]] == position) return slots_[at];
    }
  }

 private:
  static constexpr std::uint32_t empty = UINT32_MAX;
  std::vector<std::uint32_t> slots_;
  std::vector<Position> known_;
};

}  // namespace

std::vector<TriangleKey> triangle_keys(std::span<const TriangleMesh> meshes) {
  std::size_t vertices = 0;
  std::size_t faces = 0;
  for (const TriangleMesh& mesh : meshes) {
    vertices += mesh.vertices.size();
    faces += mesh.faces.size();
  }
  Positions positions(vertices);
  std::vector<TriangleKey> keys;
  keys.reserve(faces);
  std::vector<std::uint32_t> number;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const TriangleMesh& mesh = meshes[m];
    number.resize(mesh.vertices.size());
    for (std::size_t v = 0; v < number.size(); ++v)
      number[v] = positions.number(position_of(mesh.vertices[v]));
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
      const auto& face = mesh.faces[f];
      TriangleKey key{{number[face[0]], number[face[1]], number[face[2]]},
                      static_cast<std::uint32_t>(m),
                      static_cast<std::uint32_t>(f),
                      false};
      auto& [a, b, c] = key.corners;
      if (a == b || b == c || c == a) continue;
      const auto order = [&key](std::uint32_t& low, std::uint32_t& high) {
        if (low < high) return;
        std::swap(low, high);
        key.odd = !key.odd;
      };
      order(a, b);
      order(b, c);
      order(a, b);
      keys.push_back(key);
    }
  }
  std::sort(keys.begin(), keys.end(), [](const TriangleKey& x, const TriangleKey& y) {
    return std::tie(x.corners, x.mesh, x.triangle) < std::tie(y.corners, y.mesh, y.triangle);
  });
  return keys;
}

}  // namespace pmtr
