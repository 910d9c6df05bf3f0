// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "progress_bar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console.h"

namespace pmtr::command {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

extern "C" void on_interrupt(int) { interrupted.store(true); }

constexpr std::array interrupts{SIGINT, SIGTERM};
std::array<struct sigaction, interrupts.size()> actions_before;

void catch_interrupts() {
  for (std::size_t i = 0; i < interrupts.size(); ++i) {
    sigaction(interrupts[i], nullptr, &actions_before[i]);
    if (actions_before[i].sa_handler == SIG_IGN)
      continue;  // nohup, or a shell's background job: as they wish
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    // Reset after the first: the second Ctrl-C has its usual effect.
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(interrupts[i], &action, nullptr);
  }
}

void restore_interrupts() {
  for (std::size_t i = 0; i < interrupts.size(); ++i) sigaction(interrupts[i], &actions_before[i], nullptr);
}

int terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string progress_text(std::string_view stage, std::int64_t done, std::int64_t total,
                          double elapsed_seconds) {
  if (total <= 0) return fmt::format("{} {}", stage, done);
  std::string text = fmt::format("{} {}/{}", stage, done, total);
  if (done > 0 && done < total && elapsed_seconds > 1.0) {
    const double left = elapsed_seconds * static_cast<double>(total - done) / static_cast<double>(done);
    text += fmt::format(", {} left", duration_text(left));
  }
  return text;
}

std::string progress_line(std::string_view stage, std::int64_t done, std::int64_t total) {
  return fmt::format("progress {} {} {}", done, total, stage);
}

std::optional<ProgressLine> parse_progress_line(std::string_view line) {
  constexpr std::string_view start = "pmtr: progress ";
  if (!line.starts_with(start)) return std::nullopt;
  line.remove_prefix(start.size());
  ProgressLine parsed;
  for (std::int64_t* number : {&parsed.done, &parsed.total}) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), *number);
    const auto used = static_cast<std::size_t>(end - line.data());
    if (error != std::errc() || *number < 0 || used >= line.size() || line[used] != ' ') return std::nullopt;
    line.remove_prefix(used + 1);
  }
  if (line.empty()) return std::nullopt;
  parsed.stage = line;
  return parsed;
}

std::string groups_line(std::span<const int> group_of_part) {
  return fmt::format("groups {}", fmt::join(group_of_part, " "));
}

std::optional<std::vector<int>> parse_groups_line(std::string_view line) {
  constexpr std::string_view start = "pmtr: groups ";
  if (!line.starts_with(start)) return std::nullopt;
  line.remove_prefix(start.size());
  std::vector<int> groups;
  while (true) {
    int group = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), group);
    if (error != std::errc() || group < -1) return std::nullopt;
    groups.push_back(group);
    const auto used = static_cast<std::size_t>(end - line.data());
    if (used == line.size()) return groups;
    if (line[used] != ' ') return std::nullopt;
    line.remove_prefix(used + 1);
  }
}

ProgressBar::ProgressBar(bool for_programs) : for_programs_(for_programs) {
  const char* term = std::getenv("TERM");
  terminal_ =
      !for_programs && ::isatty(STDERR_FILENO) != 0 && term != nullptr && std::string_view(term) != "dumb";
  interrupted.store(false);
  catch_interrupts();
}

ProgressBar::~ProgressBar() {
  restore_interrupts();
  clear();
}

Listener ProgressBar::listener() {
  Listener listener;
  listener.note = [this](std::string_view text) { message(text, false); };
  listener.warning = [this](std::string_view text) { message(text, true); };
  listener.progress = [this](std::string_view stage, std::int64_t done, std::int64_t total) {
    advance(stage, done, total);
  };
  if (for_programs_)
    listener.groups = [this](std::span<const int> groups) { message(groups_line(groups), false); };
  listener.cancelled = [] { return interrupted.load(); };
  return listener;
}

void ProgressBar::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void ProgressBar::message(std::string_view text, bool is_warning) {
  const std::lock_guard lock(mutex_);
  clear();
  is_warning ? warn(text) : say(text);
}

void ProgressBar::advance(std::string_view stage, std::int64_t done, std::int64_t total) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const bool is_new = stage != stage_ || (complete_ && (total <= 0 || done < total));
  if (is_new) {
    stage_ = stage;
    stage_begin_ = now;
  }
  complete_ = total > 0 && done >= total;
  // A terminal is drawn ten times a second; a log gets a line every ten seconds and one at the end.
  const double interval = terminal_ || for_programs_ ? 0.1 : 10.0;
  const bool due = std::chrono::duration<double>(now - last_shown_).count() >= interval;
  if (!(complete_ || due || (is_new && (terminal_ || for_programs_)))) return;
  last_shown_ = now;
  if (for_programs_) return say(progress_line(stage, done, total));
  const std::string text =
      progress_text(stage, done, total, std::chrono::duration<double>(now - stage_begin_).count());
  if (!terminal_ || complete_) {
    clear();
    say(text);
    return;
  }
  const int room = std::min(30, terminal_width() - static_cast<int>(text.size()) - 5);
  std::string bar;
  if (total > 0 && room >= 5) {
    const auto filled = static_cast<int>(std::clamp<std::int64_t>(room * done / total, 0, room));
    bar = fmt::format("[{:=<{}}{: <{}}] ", "", filled, "", room - filled);
  }
  fmt::print(stderr, "\r\033[K{}{}", bar, text.substr(0, static_cast<std::size_t>(terminal_width() - 1)));
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace pmtr::command
