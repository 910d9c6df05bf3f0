// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <string>

#include "pmtr/core/result.h"
#include "pmtr/pyramid/pyramid.h"

namespace pmtr {

/// Over what the statistics of the group norms are taken.
enum class NormScope {
  fragment,  ///< each fragment by itself: a fragment is encoded once, whoever its partner is
  pair,      ///< both fragments of a pair together, as the reference does
};

/// What the network is, apart from its weights. It travels in the weight file's metadata.
struct NetworkOptions {
  NormScope norm_scope = NormScope::fragment;

  /// The clouds the network was taught on.
  PyramidOptions pyramid;

  /// Radius of the kernel points at level 0, in object units; it doubles with each level.
  double kernel_radius = 0.125;
  /// Reach of one kernel point at level 0; it doubles with each level.
  double kernel_sigma = 0.1;
  /// Superpoints attend to those nearer than this.
  double coarse_attention_radius = 0.05;

  /// The reference divides a convolution by the neighbours whose features sum to more than zero; otherwise
  /// every neighbour counts.
  bool count_positive_neighbours = true;
  /// The reference takes superpoint distances from a matrix product, wrong by up to 2e-4 near zero; its
  /// weights were learnt with that.
  bool distances_by_product = false;

  /// What the authors' released code computes.
  static NetworkOptions reference();

  Status validate() const;
};

/// JSON text for the metadata of a weight file, and back. Unknown keys are errors: a file from a later
/// version must not be silently misread.
std::string to_json(const NetworkOptions& options);
Result<NetworkOptions> network_options_from_json(const std::string& text, const std::string& name);

}  // namespace pmtr
