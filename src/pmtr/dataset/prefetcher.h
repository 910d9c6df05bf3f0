// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "pmtr/core/check.h"

namespace pmtr {

/// Prepares items 'first', 'first + 1', ... on its own threads, a bounded number ahead, and hands them out in
/// this order. What is prepared must depend on the number alone, so the threads change nothing but the time.
/// The destructor stops at the next item.
template <class Item>
class Prefetcher {
 public:
  using Make = std::function<Item(std::uint64_t index)>;

  /// 'ahead' counts items that are ready or in work: the memory that is used.
  Prefetcher(Make make, std::uint64_t first, int workers, int ahead)
      : make_(std::move(make)),
        next_out_(first),
        next_work_(first),
        ahead_(static_cast<std::uint64_t>(ahead)) {
    PMTR_CHECK(workers > 0 && ahead > 0, "a thread and a place");
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Prefetcher() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Waits for the next one. An exception out of 'make' is thrown here, in the item's turn.
  Item next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready_.contains(next_out_); });
    Outcome outcome = std::move(ready_.extract(next_out_++).mapped());
    lock.unlock();
    changed_.notify_all();
    if (auto* error = std::get_if<1>(&outcome)) std::rethrow_exception(*error);
    return std::get<0>(std::move(outcome));
  }

 private:
  using Outcome = std::variant<Item, std::exception_ptr>;

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || next_work_ < next_out_ + ahead_; });
      if (stop_) return;
      const std::uint64_t index = next_work_++;
      lock.unlock();
      Outcome outcome = attempt(index);
      lock.lock();
      ready_.emplace(index, std::move(outcome));
      changed_.notify_all();
    }
  }

  Outcome attempt(std::uint64_t index) {
    try {
      return Outcome(std::in_place_index<0>, make_(index));
    } catch (...) {
      return Outcome(std::in_place_index<1>, std::current_exception());
    }
  }

  Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Outcome> ready_;
  std::uint64_t next_out_;
  std::uint64_t next_work_;
  std::uint64_t ahead_;
  bool stop_ = false;
  std::vector<std::thread> threads_;  // last: they use the rest
};

}  // namespace pmtr
