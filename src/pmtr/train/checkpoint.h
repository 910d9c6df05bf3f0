// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr {

/// Everything a run needs to go on as if nothing had happened. The pairs and the schedule are functions of
/// the seed and the step, so the step is their whole state.
struct Checkpoint {
  std::int64_t step = 0;     ///< updates done
  double best_score = -1.0;  ///< of the validations so far; -1: none yet
  std::string options;       ///< the run's options as text: a run goes on only under the same
  WeightFile weights;        ///< the network, with its options
  WeightFile average;        ///< the moving average of the weights; no arrays if there is none
  std::int64_t adam_steps = 0;
  WeightFile adam_mean;
  WeightFile adam_square;
};

/// The bytes of a checkpoint file (safetensors) and back. The content carries a digest: a damaged file is an
/// error, not a wrong run.
std::vector<std::byte> to_bytes(const Checkpoint& checkpoint);
Result<Checkpoint> checkpoint_from_bytes(std::vector<std::byte> bytes, const std::string& name);

/// Checkpoints in a folder: "step_000001200.safetensors". Written aside and renamed.
class CheckpointFolder {
 public:
  CheckpointFolder(std::filesystem::path folder, int kept) : folder_(std::move(folder)), kept_(kept) {}

  /// Keeps the newest `kept`, removes older ones only once the new one stands.
  Status write(const Checkpoint& checkpoint) const;
  /// The newest that is whole; damaged ones are named to the listener. Empty if there is none.
  Result<std::optional<Checkpoint>> newest(const Listener& listener) const;

 private:
  std::vector<std::filesystem::path> files() const;  ///< newest first

  std::filesystem::path folder_;
  int kept_;
};

}  // namespace pmtr
