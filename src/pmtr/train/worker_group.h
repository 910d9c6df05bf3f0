// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/network/tensor.h"

namespace pmtr {

/// The processes that train one network together. All hold the same weights; gradients are averaged at every
/// step. Rank 0 writes.
class WorkerGroup {
 public:
  virtual ~WorkerGroup() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Replaces the values by their mean over all workers, in buckets of some megabytes. Undefined tensors must
  /// be undefined everywhere. An error if a worker is gone.
  virtual Status average(std::vector<torch::Tensor>& tensors) = 0;
  /// Every worker gets rank 0's values.
  virtual Status broadcast(std::vector<torch::Tensor>& tensors) = 0;
};

/// One process.
std::unique_ptr<WorkerGroup> lone_worker();

/// Over TCP by Gloo. The four values are those that torchrun, mpirun wrappers and Slurm set: RANK,
/// WORLD_SIZE, MASTER_ADDR, MASTER_PORT. Waits at most `timeout_seconds` for the others, here and later.
struct GroupAddress {
  int rank = 0;
  int size = 1;
  std::string address = "127.0.0.1";
  int port = 29500;
};
Result<std::unique_ptr<WorkerGroup>> join_workers(const GroupAddress& address, int timeout_seconds = 45);

/// From the environment; size 1 if RANK or WORLD_SIZE is not set. Nonsense is an error that names the
/// variable.
Result<GroupAddress> group_from_environment();

}  // namespace pmtr
