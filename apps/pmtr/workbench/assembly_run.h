// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr::command {

/// One stage of a run, as the page shows it.
struct StageProgress {
  std::string stage;
  std::int64_t done = 0;
  std::int64_t total = 0;  ///< 0: unknown
  double seconds = 0.0;    ///< since it began
};

struct RunEnd {
  int exit_code = 0;  ///< 128 and more: ended by a signal
  bool cancelled = false;
};

/// Why a run is to end before its time.
enum class StopRun { no, cancel, at_once };

/// Runs a program to its end, and tells every line that it writes to stderr. Cancelled, it is asked to stop
/// (SIGINT), and ended after five seconds; it never outlives this process. The calling thread must live as
/// long as the program: the kernel ends it with the thread that made it.
Result<RunEnd> run_watched(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const std::function<void(std::string_view)>& line,
                           const std::function<StopRun()>& stop);

}  // namespace pmtr::command
