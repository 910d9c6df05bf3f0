// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/listener.h"

namespace pmtr::command {

/// Shows what the library reports: a bar with the time left on a terminal, a line now and then elsewhere; for
/// programs, every step as a line that parse_progress_line reads, at most ten a second.
/// While one exists, the first Ctrl-C asks the work to stop and the second ends the program at once.
class ProgressBar {
 public:
  explicit ProgressBar(bool for_programs = false);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// For the library; may be called from any thread. The bar must outlive it.
  Listener listener();

 private:
  using Clock = std::chrono::steady_clock;
  void advance(std::string_view stage, std::int64_t done, std::int64_t total);
  void message(std::string_view text, bool is_warning);
  void clear();

  std::mutex mutex_;
  bool terminal_ = false;
  bool for_programs_;
  bool drawn_ = false;  ///< a bar stands on the current line
  bool complete_ = true;
  std::string stage_;
  Clock::time_point stage_begin_;
  Clock::time_point last_shown_;
};

/// "3 min 20 s"; whole seconds.
std::string duration_text(double seconds);

/// "mesh 3/10" or, with the time left, "mesh 3/10, 12 s left"; total 0 is unknown.
std::string progress_text(std::string_view stage, std::int64_t done, std::int64_t total,
                          double elapsed_seconds);

/// A step as one program tells it to another: "pmtr: progress 3 10 mesh". Text that is none gives nothing.
struct ProgressLine {
  std::string stage;
  std::int64_t done = 0;
  std::int64_t total = 0;  ///< 0: unknown
};
std::string progress_line(std::string_view stage, std::int64_t done, std::int64_t total);
std::optional<ProgressLine> parse_progress_line(std::string_view line);

/// What holds together so far, in the same way: "pmtr: groups 0 0 -1 1 1", a number for every fragment.
std::string groups_line(std::span<const int> group_of_part);
std::optional<std::vector<int>> parse_groups_line(std::string_view line);

}  // namespace pmtr::command
