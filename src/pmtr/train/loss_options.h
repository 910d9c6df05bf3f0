// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

#include "pmtr/core/result.h"
#include "pmtr/kernels/circle_loss.h"
#include "pmtr/kernels/optimal_transport.h"

namespace pmtr {

/// Weights of the losses; 0 switches one off. A member that a configuration should know is also a line in
/// config_fields.h.
struct LossOptions {
  /// Updates before the losses on matches begin: where a fragment is broken is learnt first, and faster
  /// alone.
  std::int64_t matching_from = 1500;
  double coarse = 0.1;
  /// The coarse loss is a softmax over all superpoints of the partner (InfoNCE) in place of the circle loss.
  bool contrast = true;
  double fine = 0.1;
  /// Of a network on breaks: each point against all break points of the partner (InfoNCE).
  double points = 0.0;
  double orthonormal = 1.0;
  double zero = 1.0;
  /// Of the fracture head, where the network has one.
  double fracture = 1.0;
  /// How much more a point on a fracture counts than another.
  double fracture_positive = 2.0;
  /// Points of two matched patches that are nearer than this in the assembled object are partners.
  double fine_radius = 0.05;
  kernels::CircleLossOptions circle;
  kernels::TransportOptions transport;

  /// What the authors' released code minimises.
  static LossOptions reference();

  /// Of the options of the kernels, too: these have no check of their own.
  Status validate() const;
};

/// The losses of update `step`, counted from 0.
LossOptions losses_at(const LossOptions& options, std::int64_t step);

}  // namespace pmtr
