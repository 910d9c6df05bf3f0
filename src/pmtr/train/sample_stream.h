// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "pmtr/core/check.h"
#include "pmtr/core/result.h"
#include "pmtr/dataset/prefetcher.h"

namespace pmtr {

/// Sample `index` of an endless list; a function of the index alone, called from several threads.
template <class Sample>
using MakeSample = std::function<Result<Sample>(std::uint64_t index)>;

/// The batches of one worker, prepared on the side.
template <class Sample>
class SampleStream {
 public:
  SampleStream(MakeSample<Sample> make, int batch, int loaders)
      : make_(std::move(make)), batch_(batch), loaders_(loaders) {
    PMTR_CHECK(make_ != nullptr && loaders > 0, "a run needs samples and somebody to prepare them");
  }

  void begin(std::int64_t first_step, int rank, int size) {
    rank_ = static_cast<std::uint64_t>(rank);
    size_ = static_cast<std::uint64_t>(size);
    ready_.emplace([this](std::uint64_t i) { return make_(index(i)); },
                   static_cast<std::uint64_t>(first_step * batch_), loaders_, 2 * batch_ + loaders_);
  }

  Result<std::vector<Sample>> next() {
    std::vector<Sample> batch;
    for (int i = 0; i < batch_; ++i) {
      PMTR_TRY(Sample sample, ready_->next());
      batch.push_back(std::move(sample));
    }
    return batch;
  }

 private:
  /// Rank r takes the r-th part of every step's samples: n workers see what one with n times the batch would.
  std::uint64_t index(std::uint64_t own) const {
    const auto batch = static_cast<std::uint64_t>(batch_);
    return (own / batch * size_ + rank_) * batch + own % batch;
  }

  MakeSample<Sample> make_;
  int batch_;
  int loaders_;
  std::uint64_t rank_ = 0;
  std::uint64_t size_ = 1;
  std::optional<Prefetcher<Result<Sample>>> ready_;
};

}  // namespace pmtr
