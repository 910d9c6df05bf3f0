// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "pmtr/network/network_options.h"

namespace pmtr {

/// `T` or `const T`: one list of fields serves those who read them and those who fill them.
template <class Options, class T>
concept MaybeConst = std::same_as<std::remove_const_t<Options>, T>;

// The words of the options that have them, in the order of their values.
constexpr std::array<std::string_view, 2> words_of(NormScope) { return {"fragment", "pair"}; }
constexpr std::array<std::string_view, 3> words_of(ProxyKind) { return {"none", "separate", "shared"}; }
constexpr std::array<std::string_view, 6> words_of(MatcherKind) {
  return {"none", "linear", "mlp", "pmt", "hdc", "geotr"};
}
constexpr std::array<std::string_view, 2> words_of(TieOrder) { return {"index", "reference"}; }

/// `up_limit` is left out: it says what is stored, not what is computed.
template <MaybeConst<PyramidOptions> Options, class Visit>
void for_each_field(Options& o, Visit&& visit) {
  visit("voxel", o.voxel);
  visit("radius", o.radius);
  visit("neighbour_limit", o.neighbour_limit);
  visit("ties", o.ties);
}

/// Calls visit(key, member) for every option. Weight files, configurations and their messages all come from
/// this list.
template <MaybeConst<NetworkOptions> Options, class Visit>
void for_each_field(Options& o, Visit&& visit) {
  visit("norm_scope", o.norm_scope);
  visit("surface_input", o.surface_input);
  visit("fracture_head", o.fracture_head);
  visit("fracture_context", o.fracture_context);
  visit("break_network", o.break_network);
  visit("break_cloud", o.break_cloud);
  visit("channel_norm", o.channel_norm);
  visit("matcher_residual", o.matcher_residual);
  visit("centred_features", o.centred_features);
  visit("coarse_matcher", o.coarse_matcher);
  visit("fine_matcher", o.fine_matcher);
  visit("proxies", o.proxies);
  for_each_field(o.pyramid, visit);
  visit("kernel_radius", o.kernel_radius);
  visit("kernel_sigma", o.kernel_sigma);
  visit("coarse_attention_radius", o.coarse_attention_radius);
  visit("relative_attention", o.relative_attention);
  visit("count_positive_neighbours", o.count_positive_neighbours);
  visit("distances_by_product", o.distances_by_product);
}

}  // namespace pmtr
