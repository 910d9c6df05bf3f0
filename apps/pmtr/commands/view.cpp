// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <atomic>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "commands.h"
#include "console.h"
#include "pmtr/core/file.h"
#include "pmtr/report/record/solve_again.h"
#include "pmtr/report/record/words.h"
#include "thread_count.h"
#include "workbench/local_server.h"
#include "workbench/open_browser.h"

// Last: it defines _res, a name that Eigen uses.
#include <httplib.h>

namespace pmtr::command {
namespace {

namespace fs = std::filesystem;

struct ViewArguments {
  fs::path folder;
  std::optional<fs::path> fragments;
  std::optional<int> threads;
  bool no_browser = false;
  bool light = false;
};

/// The page that report.html is, with its decisions switched on.
Result<std::string> page_of(const fs::path& folder, bool can_solve) {
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(folder / "report.html"));
  std::string page(as_text(bytes));
  constexpr std::string_view off = "<body data-solve=\"off\">";
  const std::size_t at = page.find(off);
  if (at == std::string::npos)
    return error_at(folder / "report.html", Cause::malformed,
                    "is no report of this version; make it anew with pmtr report");
  if (can_solve) page.replace(at, off.size(), "<body data-solve=\"on\">");
  return page;
}

void answer_page(httplib::Response& response, Result<std::string> page) {
  if (!page.ok()) return answer_text(response, 500, page.error().text());
  response.set_content(*std::move(page), "text/html; charset=utf-8");
}

Status view(const ViewArguments& arguments) {
  block_interrupts();
  std::atomic<bool> stopping{false};
  Listener listener;
  listener.warning = [](std::string_view text) { warn(text); };
  listener.cancelled = [&] { return stopping.load(); };

  PMTR_TRY(const AssemblyRecord record, read_assembly(arguments.folder));
  Threads threads(thread_count(arguments.threads));
  const auto files =
      find_fragments(arguments.folder, record, arguments.fragments, /*accept_placed=*/false, listener);
  if (!files.ok()) warn(fmt::format("only to look at, not to solve again: {}", files.error().text()));
  std::error_code ignored;
  if (!fs::exists(arguments.folder / "report.html", ignored)) {
    PMTR_TRY(const std::vector<MeshFile> any,
             find_fragments(arguments.folder, record, arguments.fragments, /*accept_placed=*/true, listener));
    PMTR_TRY_STATUS(
        write_report(arguments.folder, meshes_of(any), record, arguments.light, threads, listener));
  }

  const auto solve = [&](const std::string& body) -> Result<std::string> {
    if (!files.ok()) return files.error();
    PMTR_TRY(const Constraints constraints, parse_constraints(body, "the request"));
    ResultOptions options;
    options.light = arguments.light;
    PMTR_TRY(const AssemblyRecord solved,
             solve_again(arguments.folder, *files, constraints, options, threads, listener));
    say(summary_sentence(solved));
    return summary_sentence(solved);
  };
  LocalServer server({});
  server.get("", [&](const httplib::Request&, httplib::Response& response) {
    answer_page(response, page_of(arguments.folder, files.ok()));
  });
  std::mutex solving;
  server.post_json("solve", [&](const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(solving);
    const Result<std::string> solved = solve(request.body);
    answer_result(response, solved.ok(), solved.ok() ? *solved : solved.error().text());
  });
  PMTR_TRY_STATUS(server.bind());
  // Programs read the address from stdout.
  print(server.url() + "\n");
  say("serving the report at this address until Ctrl-C");
  if (!arguments.no_browser) open_browser(server.url());
  serve_until_interrupted(server, [&] { stopping.store(true); });
  say("stopped");
  return {};
}

int run_view(const ViewArguments& arguments) {
  const Status status = view(arguments);
  return status.ok() ? exit_code::done : report(status.error());
}

}  // namespace

Command view_command() {
  const auto arguments = std::make_shared<ViewArguments>();
  Command command;
  command.name = "view";
  command.summary = "View an assembly in the browser, lock or reject joints, and solve again";
  command.declare = [arguments](Options& options) {
    options.folder("folder", arguments->folder, "Folder with assembly.json, as pmtr assemble wrote it")
        .required();
    options.file("--fragments", arguments->fragments, "Folder with the fragments, if they have been moved");
    options.flag("--no-browser", arguments->no_browser, "Only print the address, do not open a browser");
    options.flag("--light", arguments->light, "Write smaller reports, with less detail");
    options.number("--threads", arguments->threads, "Threads to use (default: all cores)").range(1, 4096);
  };
  command.run = [arguments] { return run_view(*arguments); };
  return command;
}

}  // namespace pmtr::command
