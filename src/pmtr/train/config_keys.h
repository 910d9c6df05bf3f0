// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/train/config.h"

namespace pmtr {

/// Calls visit(section, key, member) for everything a configuration can say: the one list of keys.
template <class Visit>
void for_each_key(TrainConfig& c, Visit&& visit) {
  NetworkOptions& n = c.network;
  visit("network", "norm_scope", n.norm_scope);
  visit("network", "surface_input", n.surface_input);
  visit("network", "fracture_head", n.fracture_head);
  visit("network", "fracture_context", n.fracture_context);
  visit("network", "channel_norm", n.channel_norm);
  visit("network", "matcher_residual", n.matcher_residual);
  visit("network", "centred_features", n.centred_features);
  visit("network", "proxies", n.proxies);
  visit("network", "voxel", n.pyramid.voxel);
  visit("network", "radius", n.pyramid.radius);
  visit("network", "neighbour_limit", n.pyramid.neighbour_limit);
  visit("network", "ties", n.pyramid.ties);
  visit("network", "kernel_radius", n.kernel_radius);
  visit("network", "kernel_sigma", n.kernel_sigma);
  visit("network", "coarse_attention_radius", n.coarse_attention_radius);
  visit("network", "count_positive_neighbours", n.count_positive_neighbours);
  visit("network", "distances_by_product", n.distances_by_product);

  TrainOptions& t = c.train;
  visit("train", "seed", t.seed);
  visit("train", "steps", t.steps);
  visit("train", "batch", t.batch);
  visit("train", "learning_rate", t.learning_rate);
  visit("train", "warm_up", t.warm_up);
  visit("train", "decay", t.decay);
  visit("train", "final_rate", t.final_rate);
  visit("train", "clip", t.clip);
  visit("train", "average", t.average);
  visit("train", "log_every", t.log_every);
  visit("train", "checkpoint_every", t.checkpoint_every);
  visit("train", "checkpoints_kept", t.checkpoints_kept);
  visit("train", "validate_every", t.validate_every);
  visit("train", "validation_pairs", t.validation_pairs);

  LossOptions& l = c.train.losses;
  visit("losses", "matching_from", t.matching_from);
  visit("losses", "coarse", l.coarse);
  visit("losses", "contrast", l.contrast);
  visit("losses", "fine", l.fine);
  visit("losses", "orthonormal", l.orthonormal);
  visit("losses", "zero", l.zero);
  visit("losses", "fracture", l.fracture);
  visit("losses", "fracture_positive", l.fracture_positive);
  visit("losses", "fine_radius", l.fine_radius);
  visit("losses", "overlap_radius", c.train.truth.radius);
  visit("losses", "node_pairs", c.train.truth.node_pairs);
  visit("losses", "min_overlap", c.train.truth.min_overlap);
  visit("losses", "transport_iterations", l.transport.iterations);

  DataOptions& d = c.data;
  visit("data", "points_per_object", d.pairs.points_per_object);
  visit("data", "dense_points_per_object", d.pairs.dense_points_per_object);
  visit("data", "min_points", d.pairs.min_points);
  visit("data", "least_overlap", d.pairs.least_overlap);
  visit("data", "most_overlap", d.pairs.most_overlap);
  visit("data", "noise", d.pairs.noise);
  visit("data", "vary_noise", d.pairs.vary_noise);
  visit("data", "scale_jitter", d.pairs.scale_jitter);
  visit("data", "recorded", d.recorded);
  visit("data", "refractured", d.refractured);
  visit("data", "generated", d.generated);
  visit("data", "min_parts", d.min_parts);
  visit("data", "max_parts", d.max_parts);
  visit("data", "least_volume_share", d.least_volume_share);
  visit("data", "validation_one_in", d.validation_one_in);
}

}  // namespace pmtr
