// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/result.h"
#include "pmtr/network/execution.h"
#include "pmtr/network/parameters.h"
#include "pmtr/network/tensor.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr {

/// The parts of several objects, one behind the other.
struct PartBatch {
  torch::Tensor points;              // [parts, points, 3]: each part centred, in units of its object
  std::vector<std::int64_t> counts;  // parts of each object

  std::int64_t parts() const { return points.size(0); }
};

/// Where parts belong in their objects: world = rotation * part + translation.
struct PartPoses {
  torch::Tensor rotation;     // [parts, 3, 3]
  torch::Tensor translation;  // [parts, 3]
  torch::Tensor quaternion;   // [parts, 4], scalar first; undefined where a rotation was not found as one
};

/// How a model is run. In training, batch norms use and update the statistics of the batch, and what is
/// random is drawn from `random`; otherwise nothing is.
struct SystemPass {
  Execution execution;
  bool training = false;
  Random* random = nullptr;
};

/// Means over the objects of a batch.
struct SystemLoss {
  torch::Tensor total;
  std::map<std::string, double> terms;  ///< each before its weight is applied
};

/// What differs from system to system: how poses are found, and what is wrong with them.
class PoseModel {
 public:
  virtual ~PoseModel() = default;
  /// The last is the answer; those before it are what earlier iterations said.
  virtual std::vector<PartPoses> forward(const PartBatch& batch, const SystemPass& pass) const = 0;
  virtual SystemLoss loss(std::span<const PartPoses> found, const PartPoses& truth, const PartBatch& batch,
                          Threads& threads) const = 0;
};

/// How a system comes to poses.
enum class SystemKind {
  regression,  ///< a PoseModel says them
  jigsaw,      ///< a JigsawNetwork matches points of all breaks
  network,     ///< pmtr's own network with another matcher, pair by pair; no System, but its weights
};

/// What is fixed about a system.
struct SystemInfo {
  const char* name;   ///< as --system takes it
  const char* title;  ///< as papers call it
  int points;         ///< sampled of each part; for matching: of the object
  int most_parts;     ///< of an object
  SystemKind kind;
  std::unique_ptr<PoseModel> (*make)(const ParameterScope& scope);  ///< of SystemKind::regression
};

/// In the order of docs/systems.md.
std::span<const SystemInfo> all_systems();
/// An unknown name is an error that lists those there are.
Result<const SystemInfo*> find_system(std::string_view name);

/// Cause::unsupported for a number of parts that the system cannot put together.
Status accepts_parts(const SystemInfo& info, std::int64_t parts);

class JigsawNetwork;

/// One of the systems that the paper compares with: parts of an object in, a pose per part out. By regression
/// poses are in the frame that the training data had.
class System {
 public:
  /// Freshly initialised, by seed. Of SystemKind::network there is none: Cause::invalid_option.
  static Result<System> create(std::string_view name, std::uint64_t seed);
  /// Weights of another system, or of pmtr's own network, are Cause::mismatch.
  static Result<System> load(std::string_view name, const WeightFile& file, const std::string& file_name);

  const SystemInfo& info() const { return *info_; }
  const PoseModel& model() const;       ///< of SystemKind::regression
  const JigsawNetwork& jigsaw() const;  ///< of SystemKind::jigsaw
  const Parameters& parameters() const { return *parameters_; }
  WeightFile save() const;

  Status accepts(std::int64_t parts) const { return accepts_parts(*info_, parts); }

 private:
  System(const SystemInfo& info, std::uint64_t seed);

  const SystemInfo* info_;
  std::unique_ptr<Parameters> parameters_;
  std::unique_ptr<PoseModel> model_;
  std::shared_ptr<const JigsawNetwork> jigsaw_;
};

/// Cause::mismatch unless the file holds weights of this system.
Status check_system(std::string_view name, const WeightFile& file, const std::string& file_name);

}  // namespace pmtr
