// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "console.h"
#include "pmtr/core/file.h"
#include "pmtr/dataset/check_object.h"
#include "pmtr/dataset/dataset_sheet.h"
#include "pmtr/dataset/statistics_table.h"
#include "pmtr/render/png.h"
#include "progress_bar.h"
#include "thread_count.h"

namespace pmtr::command {
namespace {

struct DatasetArguments {
  std::string action;
  std::filesystem::path folder;
  LayoutOptions layout;
  std::string categories;        ///< separated by commas
  std::optional<int> max_parts;  ///< any number if empty
  DatasetSheetOptions sheet;
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> picture;
  std::optional<std::filesystem::path> cache;
  bool volume_constrained = false;
  std::optional<int> threads;  ///< all cores if empty
};

LayoutOptions layout_options(const DatasetArguments& arguments) {
  LayoutOptions options = arguments.layout;
  if (arguments.max_parts) options.max_parts = *arguments.max_parts;
  std::string_view left = arguments.categories;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(','), left.size());
    if (end > 0) options.categories.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return options;
}

Result<int> stats(const DatasetArguments& arguments, const DatasetIndex& index, const ObjectCache& cache,
                  Threads& threads) {
  DatasetStatistics statistics;
  {
    ProgressBar bar;
    const Listener listener = bar.listener();
    PMTR_TRY(const auto measures,
             measure_dataset(index, cache, arguments.volume_constrained, threads, listener));
    if (measures.empty()) {
      return error_at(index.root, Cause::empty, "no fracture whose pieces all hold 1/40 of the volume");
    }
    statistics = summarise(measures);
    if (arguments.json) PMTR_TRY_STATUS(write_file(*arguments.json, statistics_json(statistics, measures)));
    if (arguments.picture) {
      PMTR_TRY(const Image sheet, draw_dataset_sheet(index, cache, arguments.sheet, threads, listener));
      PMTR_TRY_STATUS(write_png(*arguments.picture, sheet));
    }
  }
  return print(statistics_table(statistics));
}

Result<int> check(const DatasetIndex& index, const ObjectCache& cache) {
  std::string text;
  std::int64_t bad = 0;
  {
    ProgressBar bar;
    const Listener listener = bar.listener();
    std::int64_t done = 0;
    for (const ObjectFiles& object : index.objects) {
      for (const FractureFiles& fracture : object.fractures) {
        if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
        const auto broken = cache.read(index, object, fracture, listener);
        const std::vector<std::string> problems =
            broken.ok() ? find_problems(*broken) : std::vector<std::string>{broken.error().text()};
        bad += problems.empty() ? 0 : 1;
        for (const std::string& problem : problems)
          text += fmt::format("{}/{}: {}\n", object.name, fracture.name, problem);
        listener.advance("check", ++done, index.fractures());
      }
    }
  }
  if (const int code = print(text); code != exit_code::done) return code;
  say(fmt::format("{} fractures of {} objects checked, {} with problems", index.fractures(),
                  index.objects.size(), bad));
  return bad == 0 ? exit_code::done : exit_code::bad_input;
}

Result<int> run(const DatasetArguments& arguments) {
  Listener quiet;
  quiet.warning = [](std::string_view text) { warn(text); };
  PMTR_TRY(const DatasetIndex index, list_dataset(arguments.folder, layout_options(arguments), quiet));
  const ObjectCache cache(arguments.cache.value_or(""));
  Threads threads(thread_count(arguments.threads));
  if (arguments.action == "check") return check(index, cache);
  return stats(arguments, index, cache, threads);
}

int run_dataset(const DatasetArguments& arguments) {
  if (arguments.action != "stats" && arguments.action != "check") {
    complain(fmt::format("'{}' is not 'stats' or 'check'", arguments.action));
    return exit_code::usage;
  }
  const Result<int> result = run(arguments);
  return result.ok() ? *result : report_usage(result.error());
}

}  // namespace

Command dataset_command() {
  const auto arguments = std::make_shared<DatasetArguments>();
  Command command;
  command.name = "dataset";
  command.summary = "Inspect a folder of broken objects: statistics, a contact sheet, a check";
  command.declare = [arguments](Options& options) {
    DatasetArguments& a = *arguments;
    options.text("action", a.action, "stats|check", "What to do").required();
    options.folder("folder", a.folder, "Objects in the layout of Breaking Bad").required();
    options.file("--json", a.json, "stats: write the numbers here as well");
    options.file("--picture", a.picture, "stats: write a contact sheet (PNG) here");
    options.number("--cells", a.sheet.cells, "Objects on the contact sheet").range(1, 1000);
    options.file("--split", a.layout.split, "Only the objects or fractures listed in this file");
    options.flag("--skip-missing", a.layout.skip_missing, "Skip what the split lists but the folder lacks");
    options.text("--categories", a.categories, "A,B,...", "Only these categories");
    options.number("--min-parts", a.layout.min_parts, "Only fractures with at least this many pieces")
        .range(1, 1'000'000);
    options.number("--max-parts", a.max_parts, "Only fractures with at most this many pieces")
        .range(1, 1'000'000);
    options.flag("--volume-constrained", a.volume_constrained,
                 "stats: only fractures whose pieces all hold 1/40 of the volume");
    options.folder("--cache", a.cache, "Folder that caches prepared objects for later runs");
    options.number("--threads", a.threads, "Threads to use (default: all cores)").range(1, 4096);
  };
  command.run = [arguments] { return run_dataset(*arguments); };
  return command;
}

}  // namespace pmtr::command
