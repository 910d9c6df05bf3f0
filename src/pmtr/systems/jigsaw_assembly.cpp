// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/jigsaw_assembly.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <torch/types.h>

#include "pmtr/assemble/solve_joints.h"
#include "pmtr/network/tensor_view.h"
#include "pmtr/pose/procrustes.h"
#include "pmtr/systems/assignment.h"

namespace pmtr {
namespace {

constexpr double same_part_score = -1e6;
constexpr double least_rank_ratio = 1e-3;

/// Rows of the points that are taken to be on breaks, in their order.
std::vector<std::int64_t> broken_rows(const torch::Tensor& logits) {
  const std::span<const float> values = view(logits);
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0.0F) rows.push_back(static_cast<std::int64_t>(i));
  }
  if (static_cast<std::int64_t>(rows.size()) > jigsaw_most_matched) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
      return values[static_cast<std::size_t>(a)] > values[static_cast<std::size_t>(b)];
    });
    rows.resize(jigsaw_most_matched);
    std::sort(rows.begin(), rows.end());
  }
  return rows;
}

/// The matches of every pair of parts, a < b.
std::map<std::pair<int, int>, WeightedMatches> match_breaks(const JigsawBatch& batch,
                                                            const JigsawNetwork& network,
                                                            const SystemPass& pass) {
  std::map<std::pair<int, int>, WeightedMatches> found;
  const torch::Tensor features = network.encode(batch, pass);
  const std::vector<std::int64_t> rows = broken_rows(network.segment(features, pass).contiguous());
  if (rows.size() < 2) return found;
  const torch::Tensor chosen = torch::tensor(rows, torch::kLong);
  const torch::Tensor parts = batch.parts.index_select(0, chosen);
  const torch::Tensor same = parts.unsqueeze(0) == parts.unsqueeze(1);
  const torch::Tensor scores =
      network.affinity(features.index_select(0, chosen), pass).masked_fill(same, same_part_score) /
      JigsawNetwork::temperature;
  const torch::Tensor matched = torch::exp(log_sinkhorn(scores, JigsawNetwork::sinkhorn_rounds)).contiguous();
  const auto count = static_cast<std::int64_t>(rows.size());
  const std::vector<std::int32_t> partner = best_assignment(view(matched), count);
  const auto* points = reinterpret_cast<const Eigen::Vector3f*>(batch.points.data_ptr<float>());
  const auto* part = parts.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t a = i, b = partner[static_cast<std::size_t>(i)];
    const float weight = matched.data_ptr<float>()[a * count + b];
    if (part[a] == part[b]) continue;
    if (part[a] > part[b]) std::swap(a, b);
    WeightedMatches& pair = found[{static_cast<int>(part[a]), static_cast<int>(part[b])}];
    pair.a.push_back(points[rows[static_cast<std::size_t>(a)]].cast<double>());
    pair.b.push_back(points[rows[static_cast<std::size_t>(b)]].cast<double>());
    pair.weights.push_back(static_cast<double>(weight) + 1e-9);
  }
  return found;
}

struct Agreeing {
  std::vector<Eigen::Vector3d> a, b;
  std::vector<double> weights;
};

Agreeing agreeing_with(const WeightedMatches& matches, const Rigid3& a_from_b, double reach) {
  Agreeing found;
  for (std::size_t i = 0; i < matches.a.size(); ++i) {
    if ((a_from_b * matches.b[i] - matches.a[i]).norm() >= reach) continue;
    found.a.push_back(matches.a[i]);
    found.b.push_back(matches.b[i]);
    found.weights.push_back(matches.weights[i]);
  }
  return found;
}

}  // namespace

std::optional<RansacPose> ransac_pose(const WeightedMatches& matches, const RansacOptions& options,
                                      Random random) {
  constexpr double sure = 0.999;
  const std::size_t count = matches.a.size();
  if (count < 3) return std::nullopt;
  std::optional<RansacPose> best;
  int wanted = options.draws;
  for (int draw = 0; draw < wanted; ++draw) {
    std::array<std::size_t, 3> drawn{random.below(count), random.below(count), random.below(count)};
    if (drawn[0] == drawn[1] || drawn[0] == drawn[2] || drawn[1] == drawn[2]) continue;
    std::array<Eigen::Vector3d, 3> a, b;
    for (std::size_t i = 0; i < 3; ++i) {
      a[i] = matches.a[drawn[i]];
      b[i] = matches.b[drawn[i]];
    }
    const std::array<double, 3> equal{1.0, 1.0, 1.0};
    const ProcrustesFit fit = fit_procrustes(a, b, equal);
    if (fit.rank_ratio() < least_rank_ratio) continue;
    const auto agreeing =
        static_cast<int>(agreeing_with(matches, fit.a_from_b, options.agreement).weights.size());
    if (best && agreeing <= best->agreeing) continue;
    best = RansacPose{fit.a_from_b, agreeing};
    // After so many draws three right ones would have been among them.
    const double share = std::pow(static_cast<double>(agreeing) / static_cast<double>(count), 3);
    if (share >= 1.0) break;
    if (share > 0.0)
      wanted = std::min<int>(options.draws,
                             draw + 1 + static_cast<int>(std::log(1.0 - sure) / std::log(1.0 - share)));
  }
  if (!best) return std::nullopt;
  const Agreeing agreeing = agreeing_with(matches, best->a_from_b, options.agreement);
  const ProcrustesFit fit = fit_procrustes(agreeing.a, agreeing.b, agreeing.weights);
  if (agreeing.a.size() >= 3 && fit.rank_ratio() >= least_rank_ratio) best->a_from_b = fit.a_from_b;
  return best;
}

Result<Assembly> assemble_by_jigsaw(std::span<const FragmentClouds> fragments, const JigsawNetwork& network,
                                    std::uint64_t seed, Threads& threads, const Listener& listener) {
  JigsawSample sample;
  std::vector<PartShape> shapes;
  for (const FragmentClouds& fragment : fragments) {
    sample.points.insert(sample.points.end(), fragment.cloud.points.begin(), fragment.cloud.points.end());
    sample.sizes.push_back(static_cast<std::int64_t>(fragment.cloud.points.size()));
    shapes.push_back({Eigen::Vector3d::Zero(), fragment.area});
  }
  sample.groups = group_points(sample.points, sample.sizes);
  const torch::NoGradGuard no_grad;
  const auto matches = match_breaks(stack_jigsaw({&sample, 1}), network, SystemPass{Execution{&threads}});
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  std::vector<Joint> joints;
  for (const auto& [pair, own] : matches) {
    const auto stream =
        static_cast<std::uint64_t>(pair.first) * 4096 + static_cast<std::uint64_t>(pair.second);
    const auto pose = ransac_pose(own, {}, Random(seed, stream));
    if (!pose) continue;
    Joint joint;
    joint.a = pair.first;
    joint.b = pair.second;
    joint.a_from_b = pose->a_from_b;
    joint.matches = pose->agreeing;
    joint.confidence = static_cast<double>(pose->agreeing) / static_cast<double>(own.weights.size());
    joints.push_back(joint);
  }
  PMTR_TRY(Assembly assembly, solve_joints(shapes, joints, 1.0, SolveOptions{}.placing_all(), listener));
  const auto largest = std::max_element(shapes.begin(), shapes.end(),
                                        [](const auto& a, const auto& b) { return a.area < b.area; });
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    PlacedPart& part = assembly.parts[i];
    part.placed = true;
    part.component = 0;
    part.anchor = i == static_cast<std::size_t>(largest - shapes.begin());
  }
  return assembly;
}

}  // namespace pmtr
