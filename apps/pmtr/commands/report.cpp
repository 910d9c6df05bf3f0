// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "console.h"
#include "pmtr/report/record/result_files.h"
#include "progress_bar.h"
#include "thread_count.h"

namespace pmtr::command {
namespace {

struct ReportArguments {
  std::filesystem::path folder;
  std::optional<std::filesystem::path> fragments;
  std::optional<int> threads;
  bool light = false;
};

Status make_report(const ReportArguments& arguments) {
  ProgressBar bar;
  const Listener listener = bar.listener();
  PMTR_TRY(const AssemblyRecord record, read_assembly(arguments.folder));
  PMTR_TRY(const std::vector<MeshFile> files,
           find_fragments(arguments.folder, record, arguments.fragments, /*accept_placed=*/true, listener));
  Threads threads(thread_count(arguments.threads));
  return write_report(arguments.folder, meshes_of(files), record, arguments.light, threads, listener);
}

int run_report(const ReportArguments& arguments) {
  if (const Status status = make_report(arguments); !status.ok()) return report(status.error());
  say(fmt::format("written: {}", (arguments.folder / "report.html").string()));
  return exit_code::done;
}

}  // namespace

Command report_command() {
  const auto arguments = std::make_shared<ReportArguments>();
  Command command;
  command.name = "report";
  command.summary = "Write report.html and the pictures of an assembly again";
  command.declare = [arguments](Options& options) {
    options.folder("folder", arguments->folder, "Folder with assembly.json, as pmtr assemble wrote it")
        .required();
    options.file("--fragments", arguments->fragments, "Folder with the fragments, if they have been moved");
    options.flag("--light", arguments->light, "Write a smaller report.html, with less detail (below 10 MB)");
    options.number("--threads", arguments->threads, "Threads to use (default: all cores)").range(1, 4096);
  };
  command.run = [arguments] { return run_report(*arguments); };
  return command;
}

}  // namespace pmtr::command
