// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/network/network_options_fields.h"
#include "pmtr/train/config.h"

// The one list of what a configuration can say, struct by struct: visit(key, member). Reading, writing,
// --print-config and the messages about unknown keys all come from it.
namespace pmtr {

constexpr std::array<std::string_view, 2> words_of(Decay) { return {"constant", "cosine"}; }

template <MaybeConst<TrainOptions> Options, class Visit>
void for_each_field(Options& o, Visit&& visit) {
  visit("seed", o.seed);
  visit("steps", o.steps);
  visit("batch", o.batch);
  visit("learning_rate", o.learning_rate);
  visit("warm_up", o.warm_up);
  visit("decay", o.decay);
  visit("final_rate", o.final_rate);
  visit("clip", o.clip);
  visit("average", o.average);
  visit("log_every", o.log_every);
  visit("checkpoint_every", o.checkpoint_every);
  visit("checkpoints_kept", o.checkpoints_kept);
  visit("validate_every", o.validate_every);
  visit("validation_pairs", o.validation_pairs);
}

template <MaybeConst<LossOptions> Options, class Visit>
void for_each_field(Options& o, Visit&& visit) {
  visit("matching_from", o.matching_from);
  visit("coarse", o.coarse);
  visit("contrast", o.contrast);
  visit("fine", o.fine);
  visit("points", o.points);
  visit("orthonormal", o.orthonormal);
  visit("zero", o.zero);
  visit("fracture", o.fracture);
  visit("fracture_positive", o.fracture_positive);
  visit("fine_radius", o.fine_radius);
  visit("transport_iterations", o.transport.iterations);
}

template <MaybeConst<PairTruthOptions> Options, class Visit>
void for_each_field(Options& o, Visit&& visit) {
  visit("overlap_radius", o.radius);
  visit("superpoint_pairs", o.superpoint_pairs);
  visit("min_overlap", o.min_overlap);
}

/// What experiments with the data itself change (rotate, swap, unit_size) is left out.
template <MaybeConst<PairOptions> Options, class Visit>
void for_each_field(Options& o, Visit&& visit) {
  visit("points_per_object", o.points_per_object);
  visit("dense_points_per_object", o.dense_points_per_object);
  visit("min_points", o.min_points);
  visit("least_overlap", o.least_overlap);
  visit("most_overlap", o.most_overlap);
  visit("noise", o.noise);
  visit("vary_noise", o.vary_noise);
  visit("scale_jitter", o.scale_jitter);
  visit("density_jitter", o.density_jitter);
  visit("decimated", o.decimated);
  visit("least_triangles", o.least_triangles);
  visit("points_only", o.points_only);
}

template <MaybeConst<DataOptions> Options, class Visit>
void for_each_field(Options& o, Visit&& visit) {
  for_each_field(o.pairs, visit);
  visit("recorded", o.recorded);
  visit("refractured", o.refractured);
  visit("generated", o.generated);
  visit("min_parts", o.min_parts);
  visit("max_parts", o.max_parts);
  visit("least_volume_share", o.least_volume_share);
  visit("validation_one_in", o.validation_one_in);
  visit("round_pairs", o.rounds.pairs);
  visit("round_times", o.rounds.times);
}

/// visit(section, key, member).
template <MaybeConst<TrainConfig> Options, class Visit>
void for_each_field(Options& o, Visit&& visit) {
  const auto in = [&visit](const char* section) {
    return [&visit, section](const char* key, auto& member) { visit(section, key, member); };
  };
  for_each_field(o.network, in("network"));
  for_each_field(o.train, in("train"));
  for_each_field(o.train.losses, in("losses"));
  for_each_field(o.train.truth, in("losses"));
  for_each_field(o.data, in("data"));
}

}  // namespace pmtr
