// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "console.h"
#include "thread_count.h"
#include "workbench/open_browser.h"
#include "workbench/workbench_routes.h"

namespace pmtr::command {
namespace {

struct AppArguments {
  std::optional<std::filesystem::path> folder;
  std::optional<int> threads;
  bool no_browser = false;
};

Result<std::filesystem::path> projects_folder(const AppArguments& arguments) {
  if (arguments.folder) return *arguments.folder;
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0')
    return Error{Cause::unwritable, "there is no home folder; name a folder for the projects", {}};
  return std::filesystem::path(home) / "pmtr-projects";
}

Status serve_app(const AppArguments& arguments) {
  block_interrupts();
  Listener listener;
  listener.warning = [](std::string_view text) { warn(text); };
  WorkbenchOptions options;
  PMTR_TRY(options.root, projects_folder(arguments));
  options.threads = thread_count(arguments.threads);
  Threads threads(options.threads);
  Workbench workbench(options, threads, listener);
  PMTR_TRY_STATUS(workbench.open());
  LocalServer server(workbench_server_options());
  add_workbench_routes(server, workbench);
  PMTR_TRY_STATUS(server.bind());
  // Programs read the address from stdout.
  print(server.url() + "\n");
  say(fmt::format("projects are in {}", options.root.string()));
  say("the workbench is at this address until Ctrl-C");
  if (!arguments.no_browser) open_browser(server.url());
  serve_until_interrupted(server, [] {});
  say("stopped");
  return {};
}

int run_app(const AppArguments& arguments) {
  const Status status = serve_app(arguments);
  return status.ok() ? exit_code::done : report(status.error());
}

}  // namespace

Command app_command() {
  const auto arguments = std::make_shared<AppArguments>();
  Command command;
  command.name = "app";
  command.summary = "Open the workbench in the browser: drop scans, assemble, decide, take away";
  command.declare = [arguments](Options& options) {
    options.folder("folder", arguments->folder,
                   "Folder of the projects, made if it is not there (default: pmtr-projects at home)");
    options.flag("--no-browser", arguments->no_browser, "Only print the address, do not open a browser");
    options.number("--threads", arguments->threads, "Threads to use (default: all cores)").range(1, 4096);
  };
  command.run = [arguments] { return run_app(*arguments); };
  return command;
}

}  // namespace pmtr::command
