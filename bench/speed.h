// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>

#include "pmtr/core/threads.h"
#include "pmtr/kernels/peak.h"

namespace pmtr::bench {

/// One team per size, made when first wanted.
inline Threads& team(int count) {
  static std::map<int, std::unique_ptr<Threads>> teams;
  std::unique_ptr<Threads>& made = teams[count];
  if (!made) made = std::make_unique<Threads>(count);
  return *made;
}

/// What one call of a kernel does: the operations of its definition (a multiply-add is two), and the bytes it
/// must move at least once (inputs read, results written).
struct Work {
  double operations;
  double bytes;
};

/// Times `call`. With one thread the time is that of the processor, so that other programs on the machine do
/// not count; the peak is measured beside it, for the same reason.
template <class Call>
void run(benchmark::State& state, int threads, const Work& work, const Call& call) {
  const double peak = kernels::measure_fma_peak(team(threads));
  for (auto _ : state) {
    call(team(threads));
    benchmark::ClobberMemory();
  }
  using benchmark::Counter;
  const double calls = static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = Counter(calls * work.operations * 1e-9, Counter::kIsRate);
  state.counters["of_peak"] = Counter(calls * work.operations * 1e-9 / peak, Counter::kIsRate);
  state.counters["peak"] = peak;
  state.counters["bytes/flop"] = work.bytes / work.operations;
  state.counters["GB/s"] = Counter(calls * work.bytes * 1e-9, Counter::kIsRate);
}

/// Registers `name/threads` for one and two threads.
template <class Case>
void add(const std::string& name, std::shared_ptr<Case> example) {
  for (const int threads : {1, 2}) {
    auto* registered = benchmark::RegisterBenchmark(
        (name + "/threads:" + std::to_string(threads)).c_str(), [example, threads](benchmark::State& state) {
          run(state, threads, example->work(), [&](Threads& team) { example->call(team); });
        });
    registered->Unit(benchmark::kMillisecond);
    if (threads > 1) registered->UseRealTime();
  }
}

}  // namespace pmtr::bench
