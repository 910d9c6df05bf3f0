// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/repeated_samples.h"

#include <numeric>
#include <utility>
#include <vector>

#include "pmtr/core/random.h"

namespace pmtr {

Status RoundOptions::validate() const {
  if (pairs < 1 || pairs > 1'000'000) return invalid_option("round_pairs must be 1 to 1000000");
  if (times < 1 || times > 1000) return invalid_option("round_times must be 1 to 1000");
  return {};
}

std::uint64_t repeated_index(std::uint64_t index, const RoundOptions& options, std::uint64_t seed) {
  if (options.times == 1) return index;
  const auto pairs = static_cast<std::uint64_t>(options.pairs);
  const std::uint64_t pass = index / pairs;
  const std::uint64_t round = pass / static_cast<std::uint64_t>(options.times);
  std::vector<std::uint64_t> order(pairs);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  Random random(seed, pass);
  for (std::uint64_t i = pairs; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return round * pairs + order[index % pairs];
}

Result<PairSample> RepeatedSamples::operator()(std::uint64_t index) {
  if (options_.times == 1) return make_(index);
  const std::uint64_t own = repeated_index(index, options_, seed_);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = kept_.find(own); found != kept_.end()) return *found->second;
  }
  PMTR_TRY(PairSample sample, make_(own));
  const std::lock_guard lock(mutex_);
  // What is left of earlier rounds goes, but for that of threads which are still finishing the last one.
  const auto pairs = static_cast<std::uint64_t>(options_.pairs);
  const std::uint64_t round = own / pairs;
  if (round > 0) kept_.erase(kept_.begin(), kept_.lower_bound((round - 1) * pairs + own % pairs));
  kept_.emplace(own, std::make_shared<const PairSample>(sample));
  return sample;
}

}  // namespace pmtr
