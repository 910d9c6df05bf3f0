// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/encode_and_keep.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pmtr/pipeline/encode_fragments.h"

namespace pmtr {

bool can_be_kept(const FragmentEncoder& encoder) {
  return encoder.options().norm_scope == NormScope::fragment && encoder.encodes_alone();
}

Result<std::vector<FragmentFeatures>> encode_and_keep(std::span<const FragmentClouds> fragments,
                                                      const FragmentEncoder& encoder, KeptWork& kept,
                                                      Threads& threads, const Listener& listener) {
  std::vector<FragmentFeatures> features(fragments.size());
  std::vector<char> found(fragments.size(), 0);
  run_tasks(threads, static_cast<std::int64_t>(fragments.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    if (auto known = kept.find_features(fragments[i])) {
      features[i] = *std::move(known);
      found[i] = 1;
    }
  });
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    if (found[i] == 0) missing.push_back(i);
  }
  // The largest first, so that no thread begins one when the others are about to end.
  std::stable_sort(missing.begin(), missing.end(), [&](std::size_t a, std::size_t b) {
    return fragments[a].dense.points.size() > fragments[b].dense.points.size();
  });
  const auto total = static_cast<std::int64_t>(fragments.size());
  const auto there = total - static_cast<std::int64_t>(missing.size());
  if (there > 0)
    listener.say(fmt::format("going on with what was kept: {} of {} fragments are encoded", there, total));
  Listener of_all = listener;
  of_all.progress = [&](std::string_view stage, std::int64_t done, std::int64_t) {
    listener.advance(stage, there + done, total);
  };
  Listener quiet = listener;
  quiet.progress = nullptr;
  std::vector<Status> states(missing.size());
  run_with_progress(threads, total - there, "encode", of_all, [&](std::int64_t task) {
    const auto k = static_cast<std::size_t>(task);
    const std::size_t i = missing[k];
    auto encoded = encode_fragments(fragments.subspan(i, 1), {}, encoder, threads, quiet);
    if (!encoded.ok()) {
      states[k] = encoded.error();
      return;
    }
    features[i] = std::move((*encoded)[0]);
    kept.keep_features(fragments[i], features[i]);
  });
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  for (const Status& state : states) PMTR_TRY_STATUS(state);
  return features;
}

}  // namespace pmtr
