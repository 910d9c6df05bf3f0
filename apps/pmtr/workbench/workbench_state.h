// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "assembly_run.h"
#include "fragment_facts.h"
#include "open_result.h"
#include "workbench.h"

namespace pmtr::command {

/// A run that goes on now.
struct CurrentRun {
  std::string id;
  std::chrono::steady_clock::time_point begin;
  std::chrono::steady_clock::time_point stage_begin;
  std::vector<StageProgress> stages;
  std::vector<std::string> notes;
  std::vector<std::string> files;  ///< that take part
  std::vector<int> groups;         ///< of each, so far; -1: alone
  std::string complaint;           ///< the last error that the program named
  bool cancel = false;
};

struct Workbench::State {
  WorkbenchOptions options;
  Threads& threads;
  Listener listener;
  int lock_file = -1;

  std::mutex editing;                 ///< project.json of all projects
  std::mutex drawing;                 ///< the threads
  mutable std::shared_mutex reading;  ///< the folders of the results

  std::mutex work;  ///< what follows
  std::condition_variable wake;
  bool stopping = false;
  std::deque<std::pair<std::string, std::string>> to_study;  ///< project and file
  std::set<std::pair<std::string, std::string>> queued;
  std::deque<std::string> to_run;
  std::optional<CurrentRun> current;
  std::thread student;
  std::thread runner;

  // The result that is looked at now, and the files of the last decision; see open_result.cpp.
  std::mutex opening;  ///< `opened`
  std::shared_ptr<OpenResult> opened;
  /// Under `work`: what is still to be written.
  struct Unwritten {
    std::shared_ptr<const OpenResult> result;
    AssemblyRecord record;
    std::chrono::steady_clock::time_point since;
  };
  std::optional<Unwritten> unwritten;
  std::deque<std::string> to_open;  ///< projects that somebody looks at, or that a crash left unwritten
  std::uint64_t version = 0;        ///< of decisions; what is written for an older one is given up
  bool writing = false;
  bool hurry = false;  ///< somebody waits for the files
  std::string write_trouble;
  std::thread writer;
  void write_loop();
  void write_now(std::unique_lock<std::mutex>& lock);
  /// Under `opening`.
  Result<std::shared_ptr<OpenResult>> open_result(const ProjectFolder& folder);
  /// Until all files know the last decision of this project, or of all others; under no lock.
  Status wait_until_written(const std::string& id, bool others = false);
  /// Its result is about to be replaced.
  void forget_result(const ProjectFolder& folder);

  State(WorkbenchOptions given, Threads& team, Listener ears)
      : options(std::move(given)), threads(team), listener(std::move(ears)) {}

  Result<ProjectFolder> find(const std::string& id) const;
  Status edit(const ProjectFolder& folder, const std::function<Status(ProjectSettings&)>& change);
  void study(const std::string& id, const std::string& name);

  // Each in a thread of its own.
  void study_loop();
  void run_loop();

  Status run(const std::string& id);
  void take_line(std::string_view line, std::string& log);
};

/// The fragments that take part: meshes that can be read and are not left out. Studies what is not known yet.
Result<std::vector<std::string>> taking_part(const ProjectFolder& folder, const ProjectSettings& settings,
                                             Threads& threads, std::mutex& drawing);

}  // namespace pmtr::command
