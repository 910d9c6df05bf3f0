// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/project/stage_costs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/json_fields.h"

namespace pmtr {
namespace {

/// Of generated vessels in 50 pieces each, one core (docs/cluster.md): seconds of an item, and memory.
struct KnownCost {
  const char* stage;
  double seconds;
  double mb;
};
constexpr KnownCost known_costs[] = {
    {"encode", 0.04, 230}, {"match", 0.0003, 230}, {"search", 0.015, 700}, {"solve", 0.5, 8}};

/// Solving grows faster than its fragments: what took a second for one of 200 takes more for one of 1000.
constexpr double usual_fragments = 200.0;

/// Partners of a fragment that are searched, at most.
constexpr double partners = 12.0;

std::string as_time(double seconds) {
  const auto minutes =
      static_cast<std::int64_t>(std::ceil(std::clamp(seconds, 600.0, 30.0 * 86400.0) / 60.0));
  return fmt::format("{:02}:{:02}:00", minutes / 60, minutes % 60);
}

std::string as_memory(double mb) {
  return fmt::format("{}M", static_cast<std::int64_t>(std::ceil(std::max(mb, 1000.0) / 100.0)) * 100);
}

}  // namespace

Status keep_cost(const ProjectFolder& folder, const std::string& stage, const Shard& shard,
                 const StageCost& cost) {
  std::error_code error;
  std::filesystem::create_directories(folder.costs(), error);
  if (error) return error_at(folder.costs(), Cause::unwritable, error.message());
  json_fields::Json json;
  json["stage"] = stage;
  json["items"] = cost.items;
  json["seconds"] = cost.seconds;
  json["mb"] = cost.mb;
  return write_file(folder.costs() / fmt::format("{}-{}-of-{}.json", stage, shard.index + 1, shard.count),
                    json.dump(1) + "\n");
}

std::map<std::string, StageCost> read_costs(const ProjectFolder& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder.costs(), error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".json") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, StageCost> costs;
  for (const std::filesystem::path& path : files) {
    const auto bytes = read_file(path);
    if (!bytes.ok()) continue;
    const std::string file = path.string();
    const auto json = json_fields::parse(as_text(*bytes), file);
    if (!json.ok()) continue;
    const auto positive = [&](const char* key) {
      return json_fields::number(*json, key, 0.0, 1e15, {file, ""});
    };
    const auto stage = json_fields::text(*json, "stage", {file, ""});
    const auto items = positive("items");
    const auto seconds = positive("seconds");
    const auto mb = positive("mb");
    if (!stage.ok() || !items.ok() || !seconds.ok() || !mb.ok()) continue;
    StageCost& sum = costs[*stage];
    sum.items += *items;
    sum.seconds += *seconds;
    sum.mb = std::max(sum.mb, *mb);
  }
  return costs;
}

double items_of(const Project& project, const std::string& stage) {
  const auto fragments = static_cast<double>(project.fragments.size());
  if (stage == "match") return fragments * (fragments - 1.0) / 2.0;
  return stage == "search" ? fragments * partners : fragments;
}

SlurmOptions with_measured_needs(SlurmOptions options, const Project& project,
                                 const std::map<std::string, StageCost>& costs) {
  for (const KnownCost& known : known_costs) {
    const std::string stage = known.stage;
    const bool solve = stage == "solve";
    const double items = items_of(project, stage);
    const auto measured = costs.find(stage);
    const bool is_measured = measured != costs.end() && measured->second.items > 0.0;
    double seconds = 0.0;
    double mb = 0.0;
    if (is_measured) {
      const StageCost& cost = measured->second;
      const double more = std::max(1.0, items / cost.items);
      // What was solved was smaller, if fragments were added since.
      seconds = 3.0 * cost.seconds / cost.items * items * (solve ? more : 1.0);
      mb = 1.5 * cost.mb * (solve ? more : 1.0);
    } else {
      seconds = 10.0 * known.seconds * items * (solve ? std::max(1.0, items / usual_fragments) : 1.0);
      mb = solve ? 1000.0 + 1.5 * known.mb * items : 2.0 * known.mb;
    }
    SlurmNeed& need = options.need[stage];
    // One core does as much as all of a task's would in less time: a task may be alone on a slow one.
    if (need.time.empty()) need.time = as_time(solve ? seconds : seconds / options.tasks);
    if (need.memory.empty()) need.memory = as_memory(mb);
  }
  return options;
}

}  // namespace pmtr
