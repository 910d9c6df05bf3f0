// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "pmtr/train/batch_gradient.h"
#include "pmtr/train/round_options.h"
#include "pmtr/train/sample_stream.h"

namespace pmtr {

/// The number of the pair that comes at place `index` of the endless list.
std::uint64_t repeated_index(std::uint64_t index, const RoundOptions& options, std::uint64_t seed);

/// Keeps the samples of the round. May be asked from several threads; what it returns depends on the index
/// alone.
template <class Sample>
class RepeatedList {
 public:
  RepeatedList(MakeSample<Sample> make, const RoundOptions& options, std::uint64_t seed)
      : make_(std::move(make)), options_(options), seed_(seed) {}

  Result<Sample> operator()(std::uint64_t index) {
    if (options_.times == 1) return make_(index);
    const std::uint64_t own = repeated_index(index, options_, seed_);
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = kept_.find(own); found != kept_.end()) return *found->second;
    }
    PMTR_TRY(Sample sample, make_(own));
    const std::lock_guard lock(mutex_);
    // What is left of earlier rounds goes, but for that of threads which are still finishing the last one.
    const auto pairs = static_cast<std::uint64_t>(options_.pairs);
    const std::uint64_t round = own / pairs;
    if (round > 0) kept_.erase(kept_.begin(), kept_.lower_bound((round - 1) * pairs + own % pairs));
    kept_.emplace(own, std::make_shared<const Sample>(sample));
    return sample;
  }

 private:
  MakeSample<Sample> make_;
  RoundOptions options_;
  std::uint64_t seed_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<const Sample>> kept_;
};

using RepeatedSamples = RepeatedList<PairSample>;

}  // namespace pmtr
