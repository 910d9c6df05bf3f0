// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

thread_local bool inside_parallel_for = false;

}  // namespace

struct Threads::Team {
  using Body = std::function<void(std::int64_t, std::int64_t)>;

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  std::mutex one_job_at_a_time;

  // The current job; written under the mutex before workers are woken.
  const Body* body = nullptr;
  std::int64_t n = 0;
  std::int64_t grain = 1;
  std::atomic<std::int64_t> next{0};
  std::uint64_t generation = 0;
  int busy = 0;
  bool stop = false;
  std::exception_ptr failure;  // the first exception out of a body; guarded by the mutex

  void run_chunks() {
    inside_parallel_for = true;
    try {
      for (;;) {
        const std::int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= n) break;
        (*body)(begin, std::min(begin + grain, n));
      }
    } catch (...) {
      // Out of memory, or an error of a library used inside: the others must be waited for all the same.
      next.store(n, std::memory_order_relaxed);
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
    inside_parallel_for = false;
  }

  void work() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      lock.unlock();
      run_chunks();
      lock.lock();
      if (--busy == 0) done.notify_one();
    }
  }
};

Threads::Threads(int count) : team_(std::make_unique<Team>()) {
  PMTR_CHECK(count >= 1, "a team needs at least one thread");
  for (int i = 1; i < count; ++i) team_->workers.emplace_back([team = team_.get()] { team->work(); });
}

Threads::~Threads() {
  {
    const std::lock_guard lock(team_->mutex);
    team_->stop = true;
  }
  team_->wake.notify_all();
  for (auto& worker : team_->workers) worker.join();
}

int Threads::count() const { return static_cast<int>(team_->workers.size()) + 1; }

void Threads::parallel_for(std::int64_t n, std::int64_t grain,
                           const std::function<void(std::int64_t, std::int64_t)>& body) {
  PMTR_CHECK(grain >= 1);
  if (n <= 0) return;
  if (inside_parallel_for || team_->workers.empty() || n <= grain) {
    for (std::int64_t begin = 0; begin < n; begin += grain) body(begin, std::min(begin + grain, n));
    return;
  }
  Team& team = *team_;
  const std::lock_guard one_job(team.one_job_at_a_time);
  {
    const std::lock_guard lock(team.mutex);
    team.body = &body;
    team.n = n;
    team.grain = grain;
    team.next.store(0, std::memory_order_relaxed);
    team.busy = static_cast<int>(team.workers.size());
    ++team.generation;
  }
  team.wake.notify_all();
  team.run_chunks();
  std::unique_lock lock(team.mutex);
  team.done.wait(lock, [&] { return team.busy == 0; });
  if (team.failure) std::rethrow_exception(std::exchange(team.failure, nullptr));
}

Threads& Threads::none() {
  static Threads alone(1);
  return alone;
}

void run_tasks(Threads& threads, std::int64_t count, const std::function<void(std::int64_t)>& body) {
  if (count < threads.count()) {
    for (std::int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  threads.parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

void run_with_progress(Threads& threads, std::int64_t count, std::string_view stage, const Listener& listener,
                       const std::function<void(std::int64_t)>& body) {
  std::mutex mutex;
  std::int64_t done = 0;
  run_tasks(threads, count, [&](std::int64_t i) {
    if (listener.stop()) return;
    body(i);
    const std::lock_guard lock(mutex);
    listener.advance(stage, ++done, count);
  });
}

}  // namespace pmtr
