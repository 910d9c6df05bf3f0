// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/merge/cell_graph.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <Eigen/Geometry>

#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

std::vector<std::int32_t> component_of_cells(const CellGraph& graph) {
  std::vector<std::int32_t> component(graph.size(), -1);
  std::int32_t count = 0;
  std::vector<std::size_t> stack;
  for (std::size_t start = 0; start < graph.size(); ++start) {
    if (component[start] >= 0) continue;
    component[start] = count;
    stack.assign(1, start);
    while (!stack.empty()) {
      const std::size_t cell = stack.back();
      stack.pop_back();
      for (const CellGraph::Wall& wall : graph.walls[cell]) {
        const auto next = static_cast<std::size_t>(wall.cell);
        if (component[next] >= 0) continue;
        component[next] = count;
        stack.push_back(next);
      }
    }
    ++count;
  }
  return component;
}

std::vector<Eigen::Vector3d> cell_centres(const CellComplex& complex) {
  std::vector<Eigen::Vector3d> sums(complex.cell_count(), Eigen::Vector3d::Zero());
  std::vector<double> counts(complex.cell_count(), 0.0);
  for (std::size_t f = 0; f < complex.owners.size(); ++f) {
    for (const std::int32_t owner : complex.owners[f]) {
      if (owner < 0) continue;
      for (const std::uint32_t v : complex.surfaces.faces[f])
        sums[static_cast<std::size_t>(owner)] += complex.surfaces.vertices[v];
      counts[static_cast<std::size_t>(owner)] += 3;
    }
  }
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] /= counts[c];
  return sums;
}

void join(CellGraph& graph, std::size_t a, std::size_t b) {
  const auto insert = [&](std::size_t from, std::size_t to) {
    auto& walls = graph.walls[from];
    const CellGraph::Wall bridge{static_cast<std::int32_t>(to), 0.0, true};
    walls.insert(std::lower_bound(walls.begin(), walls.end(), bridge,
                                  [](const auto& x, const auto& y) { return x.cell < y.cell; }),
                 bridge);
  };
  insert(a, b);
  insert(b, a);
}

/// Each further component is joined to what came before it.
void add_bridges(CellGraph& graph, const CellComplex& complex) {
  const std::vector<std::int32_t> component = component_of_cells(graph);
  const std::int32_t last = component.empty() ? 0 : *std::max_element(component.begin(), component.end());
  if (last == 0) return;
  const std::vector<Eigen::Vector3d> centres = cell_centres(complex);
  for (std::int32_t k = 1; k <= last; ++k) {
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t from = 0;
    std::size_t to = 0;
    for (std::size_t a = 0; a < graph.size(); ++a) {
      for (std::size_t b = 0; component[a] == k && b < graph.size(); ++b) {
        const double distance = (centres[a] - centres[b]).squaredNorm();
        if (component[b] >= k || distance >= nearest) continue;
        nearest = distance;
        from = a;
        to = b;
      }
    }
    join(graph, from, to);
  }
}

}  // namespace

CellGraph cell_graph(const CellComplex& complex) {
  CellGraph graph;
  graph.volumes = complex.volumes;
  graph.outer_areas.assign(complex.cell_count(), 0.0);
  graph.walls.resize(complex.cell_count());
  const TriangleMesh& mesh = complex.surfaces;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    if (complex.owners[f][1] >= 0) continue;
    graph.outer_areas[static_cast<std::size_t>(complex.owners[f][0])] += triangle_area(mesh, f);
  }
  std::vector<std::int32_t> each_its_own(complex.cell_count());
  std::iota(each_its_own.begin(), each_its_own.end(), 0);
  for (const MatingArea& wall : mating_areas(complex, each_its_own)) {  // ordered by a, then b
    graph.walls[static_cast<std::size_t>(wall.a)].push_back({wall.b, wall.area, false});
    graph.walls[static_cast<std::size_t>(wall.b)].push_back({wall.a, wall.area, false});
  }
  add_bridges(graph, complex);
  return graph;
}

}  // namespace pmtr
