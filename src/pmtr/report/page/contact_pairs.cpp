// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/contact_pairs.h"

#include <algorithm>
#include <numeric>

#include "pmtr/mesh/measures.h"
#include "pmtr/pyramid/neighbours.h"
#include "pmtr/report/page/gap_map.h"
#include "pmtr/sample/sample_surface.h"

namespace pmtr {
namespace {

/// Points relative to a centre, so that floats do for files far from the origin.
struct LocalCloud {
  PointCloud cloud;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
};

/// Empty where there is no surface to sample.
LocalCloud local_cloud(const TriangleMesh& mesh, int points, std::uint64_t seed, std::uint64_t part) {
  auto surface = sample_surface(mesh, points, 1.0, Random(seed, part));
  if (!surface.ok()) return {};
  return {std::move(surface->cloud), surface->centre};
}

}  // namespace

std::vector<std::vector<ContactPair>> find_contact_pairs(const AssemblyRecord& record,
                                                         std::span<const TriangleMesh* const> meshes,
                                                         const ContactPairOptions& options,
                                                         Threads& threads) {
  std::map<std::size_t, std::vector<ContactPair>> found;
  add_contact_pairs(record, meshes, options, threads, found);
  std::vector<std::vector<ContactPair>> out(record.assembly.joints.size());
  for (auto& [joint, pairs] : found) out[joint] = std::move(pairs);
  return out;
}

void add_contact_pairs(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes,
                       const ContactPairOptions& options, Threads& threads,
                       std::map<std::size_t, std::vector<ContactPair>>& known) {
  const std::vector<Joint>& joints = record.assembly.joints;
  std::vector<std::size_t> order(joints.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return joints[x].used != joints[y].used ? joints[x].used : joints[x].confidence > joints[y].confidence;
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(options.joints)));
  std::erase_if(order, [&](std::size_t j) { return known.contains(j); });
  if (order.empty()) return;

  std::vector<LocalCloud> clouds;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    clouds.push_back(local_cloud(*meshes[i], options.points, record.context.seed, i));
  }
  std::vector<std::vector<ContactPair>> out(order.size());
  const auto radius = static_cast<float>(options.tolerance * record.context.object_size);
  threads.parallel_for(static_cast<std::int64_t>(order.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const std::size_t j = order[static_cast<std::size_t>(k)];
      const LocalCloud& a = clouds[static_cast<std::size_t>(joints[j].a)];
      const LocalCloud& b = clouds[static_cast<std::size_t>(joints[j].b)];
      if (a.cloud.normals.empty() || b.cloud.normals.empty()) continue;
      const Rigid3 la_from_lb =
          Rigid3::from_translation(-a.centre) * joints[j].a_from_b * Rigid3::from_translation(b.centre);
      std::vector<Eigen::Vector3f> moved;
      for (const auto& p : b.cloud.points)
        moved.push_back((la_from_lb * p.cast<double>().eval()).cast<float>());
      const NeighbourTable nearest =
          find_neighbours(moved, a.cloud.points, radius, 1, TieOrder::index, Threads::none());
      std::vector<ContactPair> pairs;
      for (std::size_t i = 0; i < moved.size() && nearest.width > 0; ++i) {
        const auto at = static_cast<std::size_t>(nearest.index[i]);
        if (at >= a.cloud.points.size()) continue;
        const Eigen::Vector3f normal = la_from_lb.rotation.cast<float>() * b.cloud.normals[i];
        if (a.cloud.normals[at].dot(normal) > static_cast<float>(opposed_cosine)) continue;
        pairs.push_back(
            {a.cloud.points[at].cast<double>() + a.centre, b.cloud.points[i].cast<double>() + b.centre});
      }
      // Samples come in random order, so the first ones are spread over the contact.
      if (pairs.size() > static_cast<std::size_t>(options.pairs))
        pairs.resize(static_cast<std::size_t>(options.pairs));
      out[static_cast<std::size_t>(k)] = std::move(pairs);
    }
  });
  for (std::size_t k = 0; k < order.size(); ++k) known[order[k]] = std::move(out[k]);
}

}  // namespace pmtr
