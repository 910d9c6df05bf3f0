// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <torch/types.h>

#include "pmtr/systems/layers.h"
#include "pmtr/systems/models.h"
#include "pmtr/systems/pose_loss.h"

namespace pmtr {
namespace {

constexpr int dgl_iterations = 3;
constexpr std::int64_t node_width = PointNet::width;
constexpr std::int64_t pose_width = 7;

/// All ordered pairs of parts of the same object, a part with itself among them.
struct Edges {
  torch::Tensor to;    // [edges]: part that gets a message
  torch::Tensor from;  // [edges]: part that sends it

  explicit Edges(const std::vector<std::int64_t>& counts) {
    std::vector<std::int64_t> ends, begins;
    std::int64_t first = 0;
    for (const std::int64_t count : counts) {
      for (std::int64_t i = first; i < first + count; ++i) {
        for (std::int64_t j = first; j < first + count; ++j) {
          ends.push_back(i);
          begins.push_back(j);
        }
      }
      first += count;
    }
    to = torch::tensor(ends, torch::kLong);
    from = torch::tensor(begins, torch::kLong);
  }

  /// The features of both ends side by side.
  torch::Tensor joined(const torch::Tensor& nodes) const {
    return torch::cat({nodes.index_select(0, to), nodes.index_select(0, from)}, 1);
  }
};

class DglModel : public PoseModel {
 public:
  explicit DglModel(const ParameterScope& scope)
      : part_(scope / "part"),
        pose_code_(scope / "pose_code", {pose_width, 256, node_width}, 0.0),
        relation_(scope / "relation", {2 * node_width, 256, 512, 1}, 0.0) {
    for (int i = 0; i < dgl_iterations; ++i) rounds_.emplace_back(scope / "round" / i);
  }

  std::vector<PartPoses> forward(const PartBatch& batch, const SystemPass& pass) const override {
    torch::Tensor nodes = part_(batch.points, pass);
    const Edges edges(batch.counts);
    torch::Tensor pose = torch::zeros({batch.parts(), pose_width}, nodes.options());
    pose.select(1, 0).fill_(1.0);
    torch::Tensor relation = torch::ones({edges.to.size(0), 1}, nodes.options());
    std::vector<PartPoses> found;
    for (const Round& round : rounds_) {
      if (!found.empty())
        relation = torch::sigmoid(relation_(edges.joined(torch::relu(pose_code_(pose, pass))), pass));
      const torch::Tensor messages = relation * round.edge(edges.joined(nodes), pass);
      const auto sum = [&](const torch::Tensor& values) {
        return torch::zeros({batch.parts(), values.size(1)}, nodes.options()).index_add(0, edges.to, values);
      };
      nodes = round.node(torch::cat({sum(messages) / (sum(relation) + 1e-6), nodes}, 1), pass);
      found.push_back(round.head(torch::cat({nodes, pose}, 1), pass));
      pose = torch::cat({found.back().quaternion, found.back().translation}, 1);
    }
    return found;
  }

  SystemLoss loss(std::span<const PartPoses> found, const PartPoses& truth, const PartBatch& batch,
                  Threads& threads) const override {
    SystemLoss sum;
    for (const PartPoses& poses : found) {
      SystemLoss own = common_loss(poses, truth, batch, threads);
      sum.total = sum.total.defined() ? sum.total + own.total : own.total;
      for (const auto& [name, value] : own.terms) sum.terms[name] += value;
    }
    return sum;
  }

 private:
  struct Round {
    NormedLayers edge;
    NormedLayers node;
    PoseHead head;

    explicit Round(const ParameterScope& scope)
        : edge(scope / "edge", {2 * node_width, 512, 512, node_width}, 0.0),
          node(scope / "node", {2 * node_width, 512, 512, node_width}, 0.0),
          head(scope / "head", node_width + pose_width) {}
  };

  PointNet part_;
  PlainLayers pose_code_;
  PlainLayers relation_;
  std::vector<Round> rounds_;
};

}  // namespace

std::unique_ptr<PoseModel> make_dgl_model(const ParameterScope& scope) {
  return std::make_unique<DglModel>(scope);
}

}  // namespace pmtr
