// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/systems/models.h"
#include "pmtr/systems/pose_loss.h"
#include "pmtr/systems/recurrent.h"

namespace pmtr {
namespace {

constexpr std::int64_t encoder_width = 256;
constexpr std::int64_t noise_width = 16;
constexpr std::int64_t decoder_width = 2 * encoder_width + noise_width;
constexpr double lstm_dropout = 0.2;
constexpr double teacher_share = 0.5;

class LstmModel : public PoseModel {
 public:
  explicit LstmModel(const ParameterScope& scope)
      : part_(scope / "part"),
        ahead_(scope / "encoder" / "ahead", PointNet::width, encoder_width),
        behind_(scope / "encoder" / "behind", PointNet::width, encoder_width),
        decoder_(scope / "decoder", PointNet::width, decoder_width),
        code_(scope / "code", {decoder_width, 256, PointNet::width}, 0.2),
        head_(scope / "head", PointNet::width) {}

  std::vector<PartPoses> forward(const PartBatch& batch, const SystemPass& pass) const override {
    PMTR_CHECK(!pass.training || pass.random != nullptr, "training draws noise");
    const torch::Tensor features = part_(batch.points, pass);
    const Sequences sequences(batch.counts);
    const torch::Tensor noise = torch::zeros({sequences.objects(), noise_width}, features.options());
    if (pass.training) {
      torch::Tensor drawn = torch::empty(noise.sizes(), torch::kFloat);
      for (std::int64_t i = 0; i < drawn.numel(); ++i)
        drawn.data_ptr<float>()[i] = static_cast<float>(pass.random->normal());
      noise.copy_(drawn);
    }
    const torch::Tensor state = torch::cat({read(ahead_, features, sequences, false, pass),
                                            read(behind_, features, sequences, true, pass), noise},
                                           1);
    return {head_(write(features, state, sequences, pass), pass)};
  }

  SystemLoss loss(std::span<const PartPoses> found, const PartPoses& truth, const PartBatch& batch,
                  Threads& threads) const override {
    return common_loss(found.back(), truth, batch, threads);
  }

 private:
  /// The last state of every sequence.
  static torch::Tensor read(const GruCell& cell, const torch::Tensor& features, const Sequences& sequences,
                            bool backwards, const SystemPass& pass) {
    torch::Tensor state = torch::zeros({sequences.objects(), cell.hidden()}, features.options());
    for (std::int64_t step = 0; step < sequences.steps(); ++step) {
      const torch::Tensor x = features.index_select(0, sequences.rows(step, backwards));
      state = with_first_rows(cell(x, state.narrow(0, 0, x.size(0)), pass.execution), state);
    }
    return state;
  }

  /// A code per part. What a step reads is the feature of the part before, or (half of the time in training)
  /// what the step before said of it.
  torch::Tensor write(const torch::Tensor& features, torch::Tensor state, const Sequences& sequences,
                      const SystemPass& pass) const {
    const bool told = !pass.training || pass.random->uniform() < teacher_share;
    torch::Tensor mask;  // the same at every step
    if (pass.training)
      mask = dropout_mask({sequences.objects(), PointNet::width}, lstm_dropout, features, *pass.random);
    std::vector<torch::Tensor> codes;
    torch::Tensor x = torch::zeros({sequences.objects(), PointNet::width}, features.options());
    for (std::int64_t step = 0; step < sequences.steps(); ++step) {
      const std::int64_t active = sequences.active(step);
      if (step > 0)
        x = told ? features.detach().index_select(0, sequences.rows(step - 1, false)) : codes.back();
      x = x.narrow(0, 0, active);
      if (mask.defined()) x = x * mask.narrow(0, 0, active);
      const torch::Tensor next = decoder_(x, state.narrow(0, 0, active), pass.execution);
      state = with_first_rows(next, state);
      codes.push_back(code_(next, pass));
    }
    return sequences.in_order(codes, false);
  }

  PointNet part_;
  GruCell ahead_;
  GruCell behind_;
  GruCell decoder_;
  PlainLayers code_;
  PoseHead head_;
};

}  // namespace

std::unique_ptr<PoseModel> make_lstm_model(const ParameterScope& scope) {
  return std::make_unique<LstmModel>(scope);
}

}  // namespace pmtr
