// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "pmtr/core/listener.h"

namespace pmtr {

/// A fixed team of threads, made once in main and passed down. The calling thread is one of them.
class Threads {
 public:
  explicit Threads(int count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const;

  /// Calls body(begin, end) on disjoint chunks that cover [0, n), and returns when all are done. The chunks
  /// are multiples of `grain` and do not depend on the number of threads, so a reduction by chunk gives the
  /// same bits with any team. A call from inside a body runs on the caller alone. An exception out of a
  /// body ends the rest early and is thrown again here.
  void parallel_for(std::int64_t n, std::int64_t grain,
                    const std::function<void(std::int64_t, std::int64_t)>& body);

  /// One thread: the calling one. For tests and for callers that parallelise outside.
  static Threads& none();

 private:
  struct Team;
  std::unique_ptr<Team> team_;
};

/// Runs body(0) .. body(count - 1), which are independent and long. Side by side if there is one for every
/// thread, since splitting each of many small operations costs more than it gains; otherwise one after the
/// other, each with the whole team.
void run_tasks(Threads& threads, std::int64_t count, const std::function<void(std::int64_t)>& body);

/// The same, and reports after each how many of the stage are done. Those that have not begun when the
/// listener stops are left out.
void run_with_progress(Threads& threads, std::int64_t count, std::string_view stage, const Listener& listener,
                       const std::function<void(std::int64_t)>& body);

}  // namespace pmtr
