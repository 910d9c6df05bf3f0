// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "pmtr/train/batch_gradient.h"
#include "pmtr/train/round_options.h"

namespace pmtr {

/// The number of the pair that comes at place `index` of the endless list.
std::uint64_t repeated_index(std::uint64_t index, const RoundOptions& options, std::uint64_t seed);

/// Keeps the pairs of the round. May be asked from several threads; what it returns depends on the index
/// alone.
class RepeatedSamples {
 public:
  using Make = std::function<Result<PairSample>(std::uint64_t index)>;

  RepeatedSamples(Make make, const RoundOptions& options, std::uint64_t seed)
      : make_(std::move(make)), options_(options), seed_(seed) {}

  Result<PairSample> operator()(std::uint64_t index);

 private:
  Make make_;
  RoundOptions options_;
  std::uint64_t seed_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<const PairSample>> kept_;
};

}  // namespace pmtr
