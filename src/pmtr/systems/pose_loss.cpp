// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/pose_loss.h"

#include <limits>
#include <utility>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/pyramid/neighbours.h"
#include "pmtr/systems/layers.h"
#include "pmtr/systems/rotations.h"

namespace pmtr {
namespace {

using Terms = std::vector<std::pair<const char*, std::pair<double, torch::Tensor>>>;

SystemLoss sum_of(const Terms& terms) {
  SystemLoss loss;
  for (const auto& [name, term] : terms) {
    const auto& [weight, value] = term;
    loss.terms[name] = value.item<double>();
    loss.total = loss.total.defined() ? loss.total + weight * value : weight * value;
  }
  return loss;
}

/// Of values per part, [parts].
torch::Tensor mean_over_objects(const torch::Tensor& values, const PartBatch& batch) {
  torch::Tensor weights = torch::empty({batch.parts()}, torch::kDouble);
  auto* weight = weights.data_ptr<double>();
  for (const std::int64_t count : batch.counts)
    weight = std::fill_n(weight, count,
                         1.0 / static_cast<double>(count) / static_cast<double>(batch.counts.size()));
  return (values * weights.to(values.scalar_type())).sum();
}

bool all_finite(const PartPoses& poses) {
  return poses.rotation.isfinite().all().item<bool>() && poses.translation.isfinite().all().item<bool>();
}

/// The search for neighbours wants numbers; the run knows what to do with a loss that is none.
SystemLoss no_loss(std::initializer_list<const char*> names) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  SystemLoss loss{torch::full({}, none), {}};
  for (const char* name : names) loss.terms[name] = none;
  return loss;
}

torch::Tensor squared(const torch::Tensor& a, const torch::Tensor& b) { return (a - b).square().sum(-1); }

std::vector<std::int64_t> point_counts_of(const PartBatch& batch) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t count : batch.counts) sizes.push_back(count * batch.points.size(1));
  return sizes;
}

}  // namespace

torch::Tensor nearest_rows_by_group(const torch::Tensor& from, const torch::Tensor& to,
                                    const std::vector<std::int64_t>& sizes, Threads& threads) {
  PMTR_CHECK(from.sizes() == to.sizes() && from.size(1) == 3, "two clouds [n, 3] in the same groups");
  const torch::Tensor a = from.detach().to(torch::kFloat).contiguous();
  const torch::Tensor b = to.detach().to(torch::kFloat).contiguous();
  const auto* a_points = reinterpret_cast<const Eigen::Vector3f*>(a.data_ptr<float>());
  const auto* b_points = reinterpret_cast<const Eigen::Vector3f*>(b.data_ptr<float>());
  std::vector<std::int64_t> begins;
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) {
    begins.push_back(total);
    total += size;
  }
  PMTR_CHECK(total == a.size(0), "groups cover all rows");
  torch::Tensor nearest = torch::empty({total}, torch::kLong);
  auto* out = nearest.data_ptr<std::int64_t>();
  threads.parallel_for(static_cast<std::int64_t>(sizes.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g) {
      const std::int64_t first = begins[static_cast<std::size_t>(g)];
      const auto size = static_cast<std::size_t>(sizes[static_cast<std::size_t>(g)]);
      const NeighbourTable table =
          find_neighbours(std::span(a_points + first, size), std::span(b_points + first, size), 1e9F, 1,
                          TieOrder::index, Threads::none());
      for (std::size_t i = 0; i < size; ++i)
        out[first + static_cast<std::int64_t>(i)] = first + table.index[i];
    }
  });
  return nearest;
}

torch::Tensor chamfer_by_group(const torch::Tensor& a, const torch::Tensor& b,
                               const std::vector<std::int64_t>& sizes, Threads& threads) {
  const torch::Tensor both = squared(a, b.index_select(0, nearest_rows_by_group(a, b, sizes, threads))) +
                             squared(b, a.index_select(0, nearest_rows_by_group(b, a, sizes, threads)));
  std::vector<torch::Tensor> means;
  for (const torch::Tensor& group : both.split_with_sizes(sizes)) means.push_back(group.mean());
  return torch::stack(means);
}

SystemLoss common_loss(const PartPoses& found, const PartPoses& truth, const PartBatch& batch,
                       Threads& threads, const CommonLossWeights& weights) {
  if (!all_finite(found))
    return no_loss({"translation", "rotated_chamfer", "shape_chamfer", "quaternion", "rotated_points"});
  const torch::Tensor turned = rotated(batch.points, found.rotation);
  const torch::Tensor true_turned = rotated(batch.points, truth.rotation);
  const torch::Tensor placed = turned + found.translation.unsqueeze(1);
  const torch::Tensor true_placed = true_turned + truth.translation.unsqueeze(1);
  const std::vector<std::int64_t> by_part(static_cast<std::size_t>(batch.parts()), batch.points.size(1));
  const auto rows = [](const torch::Tensor& points) { return points.reshape({-1, 3}); };
  return sum_of({
      {"translation",
       {weights.translation, mean_over_objects(squared(found.translation, truth.translation), batch)}},
      {"rotated_chamfer",
       {weights.rotated_chamfer,
        mean_over_objects(chamfer_by_group(rows(turned), rows(true_turned), by_part, threads), batch)}},
      {"shape_chamfer",
       {weights.shape_chamfer,
        chamfer_by_group(rows(placed), rows(true_placed), point_counts_of(batch), threads).mean()}},
      {"quaternion",
       {weights.quaternion,
        mean_over_objects(1 - (found.quaternion * truth.quaternion).sum(1).abs(), batch)}},
      {"rotated_points",
       {weights.rotated_points, mean_over_objects(squared(turned, true_turned).mean(1), batch)}},
  });
}

SystemLoss nsm_loss(const PartPoses& found, const PartPoses& truth, const PartBatch& batch) {
  const auto placed = [&](const PartPoses& poses) {
    return rotated(batch.points, poses.rotation) + poses.translation.unsqueeze(1);
  };
  const torch::Tensor same = (found.quaternion - truth.quaternion).square().mean(1);
  const torch::Tensor opposite = (found.quaternion + truth.quaternion).square().mean(1);
  return sum_of({
      {"points", {1.0, mean_over_objects(squared(placed(found), placed(truth)).mean(1), batch)}},
      {"quaternion", {1.0, mean_over_objects(torch::minimum(same, opposite), batch)}},
      {"translation",
       {1.0, mean_over_objects((found.translation - truth.translation).square().mean(1), batch)}},
  });
}

SystemLoss angle_loss(const PartPoses& found, const PartPoses& truth, const PartBatch& batch) {
  const torch::Tensor trace = (found.rotation * truth.rotation).sum({1, 2});
  // The slope of the arc cosine has no bound at its ends.
  constexpr double most = 1.0 - 1e-6;
  const torch::Tensor angle = torch::acos(((trace - 1) / 2).clamp(-most, most));
  return sum_of({
      {"angle", {1.0, mean_over_objects(angle, batch)}},
      {"translation", {1.0, mean_over_objects(squared(found.translation, truth.translation), batch)}},
  });
}

}  // namespace pmtr
