// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/internal_walls.h"

#include <algorithm>
#include <array>
#include <vector>

#include "pmtr/dataset/coincident_triangles.h"

namespace pmtr {
namespace {

template <class Values>
void keep(Values& values, const std::vector<bool>& wanted) {
  if (values.empty()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (wanted[i]) values[kept++] = values[i];
  }
  values.resize(kept);
}

void drop_unused_vertices(TriangleMesh& mesh) {
  std::vector<bool> used(mesh.vertices.size(), false);
  for (const auto& face : mesh.faces)
    for (const std::uint32_t v : face) used[v] = true;
  std::vector<std::uint32_t> new_from_old(mesh.vertices.size());
  std::uint32_t next = 0;
  for (std::size_t v = 0; v < used.size(); ++v) new_from_old[v] = used[v] ? next++ : next;
  for (auto& face : mesh.faces)
    for (std::uint32_t& v : face) v = new_from_old[v];
  keep(mesh.vertices, used);
  keep(mesh.normals, used);
  keep(mesh.colours, used);
}

}  // namespace

std::int64_t remove_internal_walls(TriangleMesh& piece) {
  const std::vector<TriangleKey> keys = triangle_keys({&piece, 1});
  std::vector<bool> wanted(piece.faces.size(), true);
  std::int64_t removed = 0;
  for (std::size_t begin = 0; begin < keys.size();) {
    std::size_t end = begin + 1;
    while (end < keys.size() && keys[end].same_corners(keys[begin])) ++end;
    // As many of one orientation as of the other cancel.
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = keys.begin() + static_cast<std::ptrdiff_t>(end);
    const auto odd = std::count_if(first, last, [](const TriangleKey& key) { return key.odd; });
    const auto each = std::min<std::ptrdiff_t>(odd, (last - first) - odd);
    std::array<std::ptrdiff_t, 2> left{each, each};
    for (auto key = first; key != last; ++key) {
      if (left[key->odd ? 1 : 0]-- <= 0) continue;
      wanted[key->triangle] = false;
      ++removed;
    }
    begin = end;
  }
  if (removed == 0) return 0;
  keep(piece.faces, wanted);
  keep(piece.face_uvs, wanted);
  keep(piece.face_materials, wanted);
  drop_unused_vertices(piece);
  return removed;
}

}  // namespace pmtr
