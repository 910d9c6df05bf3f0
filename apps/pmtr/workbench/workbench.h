// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "pmtr/core/listener.h"
#include "pmtr/core/threads.h"
#include "project.h"
#include "receive_upload.h"

namespace pmtr::command {

struct WorkbenchOptions {
  std::filesystem::path root;                        ///< the folder of the projects
  std::filesystem::path program = "/proc/self/exe";  ///< `pmtr`, which runs the assemblies
  int threads = 1;                                   ///< of an assembly
  UploadLimits uploads;
};

/// The projects of a folder and what is done with them, without a word about HTTP: files come in, are looked
/// at one by one, an assembly runs in a process of its own, a result is solved again. All of it may be called
/// from any thread. What a project is stands on the disk at every moment; this object can be killed.
class Workbench {
 public:
  using Json = nlohmann::ordered_json;

  /// The threads draw and solve; nobody else uses them meanwhile.
  Workbench(WorkbenchOptions options, Threads& threads, Listener listener);
  /// Ends what runs; it goes on when the folder is opened again.
  ~Workbench();
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  /// Takes the folder for this process alone, and goes on with what was interrupted.
  Status open();

  Json projects() const;
  Result<std::string> create(const std::string& name);  ///< its id
  /// Everything the page shows of a project but the result itself.
  /// Files that are not known yet are looked at, unless `study` is false.
  Result<Json> project(const std::string& id, bool study = true);
  /// {"name"?, "object_size"?, "units"?, "left_out"?}: what is named is changed.
  Status change(const std::string& id, const std::string& json);

  /// [{"name", "bytes"}] to [{"ok", "name" or "message"}]: which of these files may come.
  Result<Json> announce(const std::string& id, const std::string& json) const;
  Status receive(const std::string& id, const std::string& name, std::uint64_t bytes,
                 const UploadSource& source);
  Status remove_fragment(const std::string& id, const std::string& name);

  Status start(const std::string& id);
  Status cancel(const std::string& id);
  /// Decides again (record/solve_again.h): {"message", "data", "gaps"}, a sentence about what came out and
  /// what the 3D view must know of it. assembly.json and constraints.json are written then; the files that
  /// are made from them follow when nobody has decided anything for a moment, or as soon as somebody asks for
  /// one.
  Result<Json> solve(const std::string& id, const std::string& constraints);
  /// {"fragment", "on", "on_from_fragment", "group"} pulled onto the breaks around it: the same, and facts.
  Result<Json> snap(const std::string& id, const std::string& placement);
  /// What the 3D view shows, as elements of a page.
  Result<std::string> object(const std::string& id);
  /// Somebody has it before his eyes: its scans are read for the decisions to come.
  Status look(const std::string& id);

  // Files to read; the lock keeps a result as it is while it is read.
  Result<std::filesystem::path> thumbnail(const std::string& id, const std::string& name) const;
  Result<std::filesystem::path> picture(const std::string& id) const;
  struct ResultFiles {
    std::filesystem::path folder;
    std::vector<std::string> names;  ///< of files below it
    std::shared_ptr<void> lock;
  };
  /// Waits until all of them know the last decision.
  Result<ResultFiles> result_files(const std::string& id) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pmtr::command
