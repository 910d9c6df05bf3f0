// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <optional>

#include <torch/types.h>

#include "pmtr/systems/models.h"
#include "pmtr/systems/pose_loss.h"
#include "pmtr/systems/rotations.h"
#include "pmtr/systems/vector_neurons.h"

namespace pmtr {
namespace {

class WuModel : public PoseModel {
 public:
  WuModel(const ParameterScope& scope, bool correlated)
      : encoder_(scope / "encoder"),
        layers_(scope / "head", {3 * VectorDgcnn::width, 512, 256}, 0.2),
        axes_(scope / "axes", {256, 128, 6}, 0.2),
        translation_(scope / "translation", {256, 128, 3}, 0.2) {
    if (correlated) correlation_.emplace(scope / "correlation");
  }

  std::vector<PartPoses> forward(const PartBatch& batch, const SystemPass& pass) const override {
    torch::Tensor features = encoder_(batch.points, pass);
    if (correlation_) features = (*correlation_)(features, batch, pass);
    const torch::Tensor hidden = layers_(features.reshape({batch.parts(), -1}), pass);
    PartPoses poses;
    poses.rotation = matrices_of_axes(axes_(hidden, pass));
    poses.translation = translation_(hidden, pass);
    return {poses};
  }

  SystemLoss loss(std::span<const PartPoses> found, const PartPoses& truth, const PartBatch& batch,
                  Threads& /*threads*/) const override {
    return angle_loss(found.back(), truth, batch);
  }

 private:
  VectorDgcnn encoder_;
  std::optional<VectorCorrelation> correlation_;
  NormedLayers layers_;
  PlainLayers axes_;
  PlainLayers translation_;
};

}  // namespace

std::unique_ptr<PoseModel> make_wu_model(const ParameterScope& scope) {
  return std::make_unique<WuModel>(scope, false);
}

std::unique_ptr<PoseModel> make_correlated_wu_model(const ParameterScope& scope) {
  return std::make_unique<WuModel>(scope, true);
}

}  // namespace pmtr
