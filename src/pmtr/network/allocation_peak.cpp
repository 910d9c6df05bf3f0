// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/allocation_peak.h"

#include <algorithm>

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

namespace pmtr {
namespace {

/// What torch's allocator tells.
struct AllocationReport : c10::MemoryReportingInfoBase {
  std::int64_t held = 0;
  std::int64_t peak = 0;

  void reportMemoryUsage(void* /*pointer*/, std::int64_t size, std::int64_t /*allocated*/,
                         std::int64_t /*reserved*/, c10::Device /*device*/) override {
    held += size;
    peak = std::max(peak, held);
  }
  bool memoryProfilingEnabled() const override { return true; }
};

}  // namespace

struct AllocationPeak::Watch {
  std::shared_ptr<AllocationReport> report = std::make_shared<AllocationReport>();
  c10::DebugInfoGuard guard{c10::DebugInfoKind::PROFILER_STATE, report};
};

AllocationPeak::AllocationPeak() : watch_(std::make_unique<Watch>()) {}
AllocationPeak::~AllocationPeak() = default;

std::int64_t AllocationPeak::bytes() const { return watch_->report->peak; }

}  // namespace pmtr
