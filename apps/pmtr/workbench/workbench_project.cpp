// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// All that the page shows of a project, in one answer.
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "pmtr/sample/object_scale.h"
#include "upload_names.h"
#include "workbench_state.h"

namespace pmtr::command {

namespace {

using Json = Workbench::Json;

/// The files of a project, and those that an assembly would be made of.
struct ListedFragments {
  Json list = Json::array();
  std::vector<std::string> taking_part;
  std::size_t companions = 0;
  bool waiting = false;     ///< some have not been looked at
  Json estimate = nullptr;  ///< of the object's size
};

Json entry_of(const std::string& name, const std::optional<FragmentFacts>& facts, bool left_out) {
  const char* state = !facts ? "waiting" : facts->good ? "good" : "bad";
  Json entry{{"name", name}, {"state", state}, {"left_out", left_out}};
  if (facts) {
    entry.update({{"message", facts->message},
                  {"format", facts->format},
                  {"bytes", facts->bytes},
                  {"faces", facts->faces},
                  {"vertices", facts->vertices},
                  {"sides", facts->sides},
                  {"problems", facts->problems}});
  }
  return entry;
}

/// `study` is called with what nobody has looked at yet.
ListedFragments list_fragments(const ProjectFolder& folder, const std::vector<std::string>& left_out,
                               const std::function<void(const std::string&)>& study) {
  ListedFragments listed;
  std::vector<double> diameters;  // of those that take part
  std::vector<std::size_t> measured;
  for (const std::string& name : list_files(folder.fragments())) {
    if (upload_kind(name) != UploadKind::fragment) {
      ++listed.companions;
      continue;
    }
    const std::optional<FragmentFacts> facts = known_facts(folder, name);
    const bool out = std::find(left_out.begin(), left_out.end(), name) != left_out.end();
    Json entry = entry_of(name, facts, out);
    if (!facts) {
      listed.waiting = true;
      study(name);
    } else if (facts->good && !out) {
      diameters.push_back(facts->diameter);
      measured.push_back(listed.list.size());
      listed.taking_part.push_back(name);
      entry["number"] = listed.taking_part.size();
    }
    listed.list.push_back(std::move(entry));
  }
  const std::vector<std::string> odd = odd_sizes(diameters);
  for (std::size_t i = 0; i < odd.size(); ++i) {
    if (!odd[i].empty()) listed.list[measured[i]]["problems"].push_back(odd[i]);
  }
  if (const auto estimate = object_size_of(diameters); estimate.ok()) listed.estimate = *estimate;
  return listed;
}

/// Fragments by name: those that hold together so far, the largest group first.
std::vector<std::vector<std::string>> named_groups(const CurrentRun& run) {
  std::map<int, std::vector<std::string>> groups;
  for (std::size_t i = 0; i < run.groups.size(); ++i)
    if (run.groups[i] >= 0) groups[run.groups[i]].push_back(run.files[i]);
  std::vector<std::vector<std::string>> list;
  for (auto& [number, names] : groups) list.push_back(std::move(names));
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& x, const auto& y) { return x.size() > y.size(); });
  return list;
}

/// What is known of a run while it goes on.
Json progress_of(const CurrentRun& current) {
  const auto since = [now = std::chrono::steady_clock::now()](std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(now - begin).count();
  };
  Json stages = Json::array();
  for (const StageProgress& stage : current.stages) {
    stages.push_back(
        {{"stage", stage.stage}, {"done", stage.done}, {"total", stage.total}, {"seconds", stage.seconds}});
  }
  if (!stages.empty()) stages.back()["seconds"] = since(current.stage_begin);
  return {{"state", current.cancel ? "stopping" : "running"},
          {"seconds", since(current.begin)},
          {"stages", std::move(stages)},
          {"notes", current.notes},
          {"groups", named_groups(current)}};
}

}  // namespace

Result<Workbench::Json> Workbench::project(const std::string& id, bool study) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  PMTR_TRY(const ProjectSettings settings, read_settings(folder));
  ListedFragments fragments = list_fragments(folder, settings.left_out, [&](const std::string& name) {
    if (study) state_->study(id, name);
  });
  Json run{{"state", run_wish_name(settings.run)}, {"message", settings.run_message}};
  {
    const std::lock_guard lock(state_->work);
    if (const std::optional<CurrentRun>& current = state_->current; current && current->id == id) {
      run.update(progress_of(*current));
    } else if (settings.run == RunWish::wanted) {
      run["state"] = "queued";
    }
  }
  const bool outdated =
      folder.has_result() && !fragments.waiting && fragments.taking_part != settings.run_files;
  Json json{{"id", id},
            {"name", settings.name},
            {"units", settings.units},
            {"object_size", nullptr},
            {"estimate", std::move(fragments.estimate)},
            {"fragments", std::move(fragments.list)},
            {"companions", fragments.companions},
            {"waiting", fragments.waiting},
            {"run", std::move(run)},
            {"result", folder.has_result()},
            {"outdated", outdated}};
  if (settings.object_size) json["object_size"] = *settings.object_size;
  return json;
}

}  // namespace pmtr::command
