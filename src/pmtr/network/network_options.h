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

/// Through what the two fragments of a pair are compared.
enum class ProxyKind {
  none,      ///< nothing learnt: each factor is copied, one copy per head
  separate,  ///< proxies of its own for each role
  shared,    ///< the paper's: one set of proxies for both
};

/// What makes features of two fragments comparable (the paper's Tables 4 and 5).
enum class MatcherKind {
  none,    ///< nothing: features are compared as the encoder or decoder gives them
  linear,  ///< one linear layer
  mlp,     ///< two with an activation between
  pmt,     ///< the paper's Proxy Match Transform
  hdc,     ///< convolution of the correlation of all pairs of points (correlation_convolution.h)
  geotr,   ///< the Geometric Transformer (geometric_transformer.h)
};

/// What the network is, apart from its weights. It travels in the weight file's metadata. The defaults are
/// the best we know (configs/default.toml has the reasons). A new option is a member here and a line in
/// network_options_fields.h.
struct NetworkOptions {
  NormScope norm_scope = NormScope::fragment;

  /// The input channels beside the constant 1: surface features (sample/surface_features.h), which do not
  /// change when the fragment is turned. The reference has the constant alone.
  bool surface_input = true;
  /// A head that says for every point how likely it is broken there.
  bool fracture_head = true;
  /// The head looks a second time, at what it said of each point's neighbours (network/dense_context.h).
  bool fracture_context = true;
  /// Breaks are seen by a network of their own (network/break_network.h) instead of the head.
  bool break_network = false;
  /// The network reads points of the breaks (network/match_input.h) instead of the whole surface.
  bool break_cloud = false;
  /// Norms of the encoder and decoder over each channel by itself instead of over 32 groups of channels: less
  /// of the features is common to all points.
  bool channel_norm = true;
  /// Add what goes into a matcher to what comes out of it.
  bool matcher_residual = true;
  /// Take the mean over the fragment from the features that are compared, and give those of points a fixed
  /// length too: then not all can be equal.
  bool centred_features = true;

  MatcherKind coarse_matcher = MatcherKind::pmt;  ///< of superpoints
  MatcherKind fine_matcher = MatcherKind::pmt;    ///< of points, in both stages of the decoder
  ProxyKind proxies = ProxyKind::shared;          ///< of Proxy Match Transforms

  /// The clouds the network was trained on.
  PyramidOptions pyramid;

  /// Radius of the kernel points at level 0, in object units; it doubles with each level.
  double kernel_radius = 0.06;
  /// Reach of one kernel point at level 0; it doubles with each level.
  double kernel_sigma = 0.05;
  /// Superpoints attend to those nearer than this.
  double coarse_attention_radius = 0.05;

  /// Proxy Match Transforms attend by distance in shares of the radius within which they look. The reference
  /// has object units, squared at the fine level: so small that all neighbours weigh the same within 5 %.
  bool relative_attention = false;

  /// The reference divides a convolution by the neighbours whose features sum to more than zero; otherwise
  /// every neighbour counts.
  bool count_positive_neighbours = false;
  /// The reference takes superpoint distances from a matrix product, wrong by up to 2e-4 near zero; its
  /// weights were learnt with that.
  bool distances_by_product = false;

  /// What the authors' released code computes.
  static NetworkOptions reference();
  /// The reference's layers and sizes without its quirks: fragments are encoded one by one, distances are
  /// exact, and nothing is added. It reads points alone.
  static NetworkOptions plain();

  /// There is something that says where a fragment is broken.
  bool sees_breaks() const { return fracture_head || break_network; }

  Status validate() const;
};

/// JSON text for the metadata of a weight file, and back. Unknown keys are errors: a file from a later
/// version must not be silently misread. A file that does not name an option is older than the option and has
/// what plain() has.
std::string to_json(const NetworkOptions& options);
Result<NetworkOptions> network_options_from_json(const std::string& text, const std::string& name);

}  // namespace pmtr
