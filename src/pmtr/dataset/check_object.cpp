// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/check_object.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

namespace pmtr {
namespace {

/// Edges that are not gone along as often in one direction as in the other: 0 for a closed mesh.
std::int64_t unbalanced_edges(const TriangleMesh& mesh) {
  const TriangleMesh merged = merge_duplicate_vertices(mesh);
  std::vector<std::pair<std::uint64_t, int>> edges;
  edges.reserve(3 * merged.faces.size());
  for (const auto& face : merged.faces) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t from = face[i];
      const std::uint64_t to = face[(i + 1) % 3];
      if (from == to) continue;
      edges.emplace_back(std::min(from, to) << 32U | std::max(from, to), from < to ? 1 : -1);
    }
  }
  std::sort(edges.begin(), edges.end());
  std::int64_t unbalanced = 0;
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin;
    int sum = 0;
    for (; end < edges.size() && edges[end].first == edges[begin].first; ++end) sum += edges[end].second;
    unbalanced += sum != 0 ? 1 : 0;
    begin = end;
  }
  return unbalanced;
}

/// Groups of pieces that hang together.
int components(const BrokenObject& object) {
  std::vector<std::size_t> leader(object.pieces.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  auto count = static_cast<int>(leader.size());
  for (const MatingPair& pair : object.mating.pairs) {
    const std::size_t a = find(static_cast<std::size_t>(pair.a));
    const std::size_t b = find(static_cast<std::size_t>(pair.b));
    if (a == b) continue;
    leader[a] = b;
    --count;
  }
  return count;
}

}  // namespace

std::vector<std::string> find_problems(const BrokenObject& object) {
  std::vector<std::string> problems;
  if (object.wall_triangles > 0)
    problems.push_back(fmt::format("{} triangles of internal walls (removed)", object.wall_triangles));
  if (!object.mating.exact) problems.emplace_back("no triangles coincide: mating surfaces by distance");
  for (std::size_t p = 0; p < object.pieces.size(); ++p) {
    if (const auto open = unbalanced_edges(object.pieces[p]); open > 0)
      problems.push_back(fmt::format("{} is open at {} edges", object.piece_names[p], open));
    if (!(object.volumes[p] > 0.0))
      problems.push_back(
          fmt::format("{} encloses a volume of {:.3g}", object.piece_names[p], object.volumes[p]));
  }
  if (const int groups = components(object); groups > 1)
    problems.push_back(fmt::format("the pieces hang together in {} groups, not in one", groups));
  return problems;
}

}  // namespace pmtr
