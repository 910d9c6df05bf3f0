// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "bench_object.h"
#include "pmtr/core/threads.h"
#include "pmtr/network/pmtr_network.h"

namespace pmtr::command {

// Each returns its part of the JSON: times are medians in milliseconds, wall unless the name says cpu. Peak
// memory is of the process, so each measurement that reports it runs in a process of its own (bench.cpp).

/// What the machine can do: multiply-adds from registers, and a large matrix product, on one thread and all.
nlohmann::json measure_peak(Threads& threads, int repeats);

/// From two clouds to a pose, whole and by stage, and how much of the compute limit the backbone reaches.
nlohmann::json measure_pair(const WeightFile& weights, const std::vector<BenchFragment>& pair,
                            Threads& threads, int repeats);

/// A training step: truth, forward, losses, backward, Adam; on one pair, and per pair with one per thread.
nlohmann::json measure_training(const WeightFile& weights, const std::vector<BenchFragment>& pair,
                                Threads& threads, int repeats);

/// All pairs of an object's fragments, each fragment encoded once, beside pair after pair.
nlohmann::json measure_parts(const WeightFile& weights, const std::vector<BenchFragment>& fragments,
                             Threads& threads, int repeats);

}  // namespace pmtr::command
