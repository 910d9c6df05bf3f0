// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "project_workers.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "child_process.h"
#include "console.h"
#include "pmtr/core/file.h"
#include "pmtr/pipeline/project_stages.h"

namespace pmtr::command {
namespace {

void advance_by_files(const ProjectFolder& folder, const Project& project, const std::string& stage,
                      const Listener& listener) {
  const auto now = project_status(folder, project);
  if (!now.ok()) return;
  if (stage == "encode") listener.advance(stage, now->encoded, now->fragments);
  if (stage == "match") listener.advance(stage, now->matched, now->blocks);
  if (stage == "search" && now->searches) listener.advance(stage, *now->searched, *now->searches);
}

/// The last lines of what a worker printed.
std::string last_words(const std::filesystem::path& log) {
  const auto bytes = read_file(log);
  if (!bytes.ok()) return {};
  const std::string text(as_text(*bytes));
  return text.size() > 600 ? text.substr(text.size() - 600) : text;
}

}  // namespace

Result<int> run_project_workers(const ProjectFolder& folder, const Project& project, const std::string& stage,
                                int workers, int threads, const Listener& listener) {
  const std::filesystem::path logs = folder.path() / "log";
  std::error_code error;
  std::filesystem::create_directories(logs, error);
  if (error) return error_at(logs, Cause::unwritable, "cannot create the folder: " + error.message());
  std::vector<std::optional<Result<int>>> codes(static_cast<std::size_t>(workers));
  const auto log_of = [&](int i) { return logs / fmt::format("{}-{}.log", stage, i + 1); };
  std::atomic<int> running = workers;
  std::vector<std::thread> waiting;
  for (int i = 0; i < workers; ++i) {
    waiting.emplace_back([&, i] {
      codes[static_cast<std::size_t>(i)] =
          run_self({"project", stage, folder.path().string(), "--shard", fmt::format("{}/{}", i + 1, workers),
                    "--threads", std::to_string(threads)},
                   log_of(i));
      --running;
    });
  }
  // The death signal of a child is bound to the thread that made it: the threads stay until their child ends.
  constexpr std::chrono::milliseconds tick{50};
  for (int ticks = 0; running > 0; ++ticks) {
    std::this_thread::sleep_for(tick);
    if (ticks % 20 == 19) advance_by_files(folder, project, stage, listener);
  }
  for (std::thread& thread : waiting) thread.join();
  advance_by_files(folder, project, stage, listener);
  for (int i = 0; i < workers; ++i) {
    const Result<int>& code = *codes[static_cast<std::size_t>(i)];
    if (!code.ok()) return code.error();
    if (*code == exit_code::done) continue;
    complain(fmt::format("worker {} of {} failed ({}); see {}\n{}", i + 1, stage, *code, log_of(i).string(),
                         last_words(log_of(i))));
    return *code > 127 ? exit_code::failed : *code;
  }
  return exit_code::done;
}

}  // namespace pmtr::command
