// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace pmtr {

/// Adds the wall time since the last stage to the one that just ended.
class StageClock {
 public:
  explicit StageClock(std::map<std::string, double>& timing) : timing_(&timing) {}
  void ended(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    (*timing_)[stage] += std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
  }

 private:
  std::map<std::string, double>* timing_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace pmtr
