// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace pmtr {

/// How the library speaks: it never prints, it calls these. Empty functions are silent.
struct Listener {
  std::function<void(std::string_view message)> note;     ///< something a person should know
  std::function<void(std::string_view message)> warning;  ///< something is off, the work goes on
  /// Stage name, done and total units (total 0: unknown).
  std::function<void(std::string_view stage, std::int64_t done, std::int64_t total)> progress;
  /// What holds together so far: the group of every part, -1 for those that are alone.
  std::function<void(std::span<const int> group_of_part)> groups;
  /// Asked between units of work; true stops with Cause::cancelled.
  std::function<bool()> cancelled;

  void say(std::string_view message) const {
    if (note) note(message);
  }
  void warn(std::string_view message) const {
    if (warning) warning(message);
  }
  void advance(std::string_view stage, std::int64_t done, std::int64_t total) const {
    if (progress) progress(stage, done, total);
  }
  void tell_groups(std::span<const int> group_of_part) const {
    if (groups) groups(group_of_part);
  }
  bool stop() const { return cancelled && cancelled(); }
};

}  // namespace pmtr
