// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <torch/types.h>

#include "pmtr/systems/layers.h"
#include "pmtr/systems/models.h"
#include "pmtr/systems/pose_loss.h"

namespace pmtr {
namespace {

class GlobalModel : public PoseModel {
 public:
  explicit GlobalModel(const ParameterScope& scope)
      : part_(scope / "part"), heap_(scope / "heap"), head_(scope / "head", 2 * PointNet::width) {}

  std::vector<PartPoses> forward(const PartBatch& batch, const SystemPass& pass) const override {
    const torch::Tensor parts = part_(batch.points, pass);
    std::vector<torch::Tensor> heaps;
    for (const torch::Tensor& own : heap_(batch.points, pass).split_with_sizes(batch.counts))
      heaps.push_back(std::get<0>(own.max(0)));
    const torch::Tensor heap = torch::stack(heaps).index_select(0, owners_of(batch));
    return {head_(torch::cat({heap, parts}, 1), pass)};
  }

  SystemLoss loss(std::span<const PartPoses> found, const PartPoses& truth, const PartBatch& batch,
                  Threads& threads) const override {
    return common_loss(found.back(), truth, batch, threads);
  }

 private:
  PointNet part_;
  PointNet heap_;
  PoseHead head_;
};

}  // namespace

std::unique_ptr<PoseModel> make_global_model(const ParameterScope& scope) {
  return std::make_unique<GlobalModel>(scope);
}

}  // namespace pmtr
