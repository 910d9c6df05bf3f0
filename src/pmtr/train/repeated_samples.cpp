// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/repeated_samples.h"

#include <numeric>
#include <utility>
#include <vector>

#include "pmtr/core/random.h"

namespace pmtr {

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

}  // namespace pmtr
