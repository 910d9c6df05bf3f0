// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/encode_fragments.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "pmtr/core/check.h"
#include "pmtr/core/index.h"
#include "pmtr/core/threads.h"
#include "pmtr/network/network_memory.h"

namespace pmtr {
namespace {

Result<std::vector<FragmentInput>> prepare_inputs(std::span<const FragmentClouds> fragments,
                                                  const NetworkOptions& network, Threads& threads) {
  std::vector<FragmentInput> inputs(fragments.size());
  std::vector<Status> states(fragments.size());
  run_tasks(threads, static_cast<std::int64_t>(fragments.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    auto input = prepare_input(fragments[i].cloud, fragments[i].dense, fragments[i].area,
                               fragments[i].object_size, network, SIZE_MAX, threads);
    if (input.ok()) {
      inputs[i] = std::move(input).value();
    } else {
      states[i] = input.error();
    }
  });
  for (const Status& state : states) PMTR_TRY_STATUS(state);
  return inputs;
}

/// What is known by face, for every dense point.
Status tell_breaks(std::span<const FragmentClouds> fragments,
                   std::span<const std::vector<std::uint8_t>> broken_faces, std::span<FragmentInput> inputs) {
  if (broken_faces.empty()) return {};
  if (broken_faces.size() != fragments.size())
    return Error{Cause::mismatch,
                 fmt::format("{} fragments, but breaks of {}", fragments.size(), broken_faces.size()),
                 {}};
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    if (fragments[i].faces.size() != fragments[i].dense.points.size())
      return Error{Cause::unsupported, "breaks are known by face, and these points have none", {}};
    for (const std::uint32_t face : fragments[i].faces) {
      if (face >= broken_faces[i].size())
        return Error{Cause::mismatch, fmt::format("fragment {} has more faces than its breaks say", i), {}};
      inputs[i].known_fracture.push_back(broken_faces[i][face] != 0 ? 1.0F : 0.0F);
    }
  }
  return {};
}

/// Pairs are matched side by side, so the largest ones may meet.
Status check_memory(const FragmentEncoder& encoder, std::span<const FragmentFeatures> features,
                    const Threads& threads) {
  double most = 0.0;
  for (std::size_t a = 0; a < features.size(); ++a) {
    for (std::size_t b = a + 1; b < features.size(); ++b)
      most = std::max(most, encoder.match_memory(features[a], features[b]));
  }
  const double pairs = static_cast<double>(features.size() * (features.size() - 1)) / 2.0;
  return fits_in_memory(most * std::min(pairs, static_cast<double>(threads.count())), free_memory(),
                        "the matcher of these weights");
}

}  // namespace

FeaturesOfPair features_of_pair(const FragmentEncoder& encoder, std::span<const FragmentFeatures> features,
                                Threads& threads) {
  const bool together = std::any_of(features.begin(), features.end(),
                                    [](const FragmentFeatures& one) { return one.unmatched != nullptr; });
  if (!together) return {};
  return [&encoder, features, &threads](int a, int b) {
    return encoder.match(features[at(a)], features[at(b)], threads);
  };
}

Result<std::vector<FragmentFeatures>> encode_fragments(
    std::span<const FragmentClouds> fragments, std::span<const std::vector<std::uint8_t>> known_breaks,
    const FragmentEncoder& encoder, Threads& threads, const Listener& listener) {
  const bool as_pair = encoder.options().norm_scope == NormScope::pair;
  if (as_pair && fragments.size() != 2) {
    return Error{Cause::unsupported,
                 fmt::format("{} fragments given; these weights normalise over both fragments of a pair and "
                             "assemble two",
                             fragments.size()),
                 {}};
  }
  PMTR_TRY(std::vector<FragmentInput> inputs, prepare_inputs(fragments, encoder.options(), threads));
  PMTR_TRY_STATUS(tell_breaks(fragments, known_breaks, inputs));
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  if (!as_pair) {
    std::vector<FragmentFeatures> features = encoder.encode_all(inputs, threads, listener);
    if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
    PMTR_TRY_STATUS(check_memory(encoder, features, threads));
    return features;
  }
  auto [source, target] = encoder.encode_pair(inputs[0].pyramid, inputs[1].pyramid, threads);
  std::vector<FragmentFeatures> features;
  features.push_back(std::move(source));
  features.push_back(std::move(target));
  return features;
}

std::vector<OrientedCloud> orient_fragments(std::span<const FragmentClouds> fragments,
                                            std::span<const FragmentFeatures> features,
                                            const OrientedCloudOptions& options, Threads& threads) {
  std::vector<OrientedCloud> clouds(fragments.size());
  run_tasks(threads, static_cast<std::int64_t>(fragments.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    const FragmentClouds& fragment = fragments[i];
    const std::vector<float> everywhere(fragment.dense.points.size(), 1.0F);
    const std::vector<float>& scores = features[i].fracture.empty() ? everywhere : features[i].fracture;
    PMTR_CHECK(scores.size() == fragment.dense.points.size(), "one fracture score per dense point");
    clouds[i] = orient_cloud(fragment.dense, scores, fragment.area, options, threads);
  });
  return clouds;
}

}  // namespace pmtr
