// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/systems/models.h"
#include "pmtr/systems/nsm_layers.h"
#include "pmtr/systems/pose_loss.h"
#include "pmtr/systems/rotations.h"

namespace pmtr {
namespace {

class NsmModel : public PoseModel {
 public:
  explicit NsmModel(const ParameterScope& scope)
      : encoder_(scope / "encoder"),
        transformer_(scope / "transformer", EdgeEncoder::width),
        layers_(scope / "regressor", {2 * EdgeEncoder::width, 256, 128}, 0.2),
        quaternion_(scope / "quaternion", 128, 4),
        translation_(scope / "translation", 128, 3) {}

  std::vector<PartPoses> forward(const PartBatch& batch, const SystemPass& pass) const override {
    std::vector<std::int64_t> partners;
    for (const std::int64_t count : batch.counts) {
      PMTR_CHECK(count == 2, "two parts");
      const auto first = static_cast<std::int64_t>(partners.size());
      partners.insert(partners.end(), {first + 1, first});
    }
    const torch::Tensor own = encoder_(batch.points, pass);
    const torch::Tensor partner = own.index_select(0, torch::tensor(partners, torch::kLong));
    const torch::Tensor both = torch::cat({own, transformer_(own, partner, pass)}, 2);
    const torch::Tensor hidden =
        layers_(largest_of_rows(both.view({-1, both.size(2)}), both.size(1), pass.execution), pass);
    PartPoses poses;
    poses.quaternion = unit_rows(quaternion_(hidden, pass.execution));
    poses.rotation = matrices_of_quaternions(poses.quaternion);
    poses.translation = translation_(hidden, pass.execution);
    return {poses};
  }

  SystemLoss loss(std::span<const PartPoses> found, const PartPoses& truth, const PartBatch& batch,
                  Threads& /*threads*/) const override {
    return nsm_loss(found.back(), truth, batch);
  }

 private:
  EdgeEncoder encoder_;
  PartTransformer transformer_;
  NormedLayers layers_;
  Linear quaternion_;
  Linear translation_;
};

}  // namespace

std::unique_ptr<PoseModel> make_nsm_model(const ParameterScope& scope) {
  return std::make_unique<NsmModel>(scope);
}

}  // namespace pmtr
