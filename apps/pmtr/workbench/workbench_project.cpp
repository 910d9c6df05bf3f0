// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// All that the page shows of a project, in one answer.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "pmtr/sample/object_scale.h"
#include "upload_names.h"
#include "workbench_state.h"

namespace pmtr::command {

Result<Workbench::Json> Workbench::project(const std::string& id, bool study) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  PMTR_TRY(const ProjectSettings settings, read_settings(folder));
  Json fragments = Json::array();
  std::vector<double> diameters;  // of those that take part
  std::vector<std::size_t> measured;
  std::vector<std::string> part;
  std::size_t companions = 0;
  bool waiting = false;
  for (const std::string& name : list_files(folder.fragments())) {
    if (upload_kind(name) != UploadKind::fragment) {
      ++companions;
      continue;
    }
    const std::optional<FragmentFacts> facts = known_facts(folder, name);
    const bool out =
        std::find(settings.left_out.begin(), settings.left_out.end(), name) != settings.left_out.end();
    Json entry{{"name", name},
               {"state", !facts        ? "waiting"
                         : facts->good ? "good"
                                       : "bad"},
               {"left_out", out}};
    if (!facts) {
      waiting = true;
      if (study) state_->study(id, name);
    } else {
      entry.update({{"message", facts->message},
                    {"format", facts->format},
                    {"bytes", facts->bytes},
                    {"faces", facts->faces},
                    {"vertices", facts->vertices},
                    {"sides", facts->sides},
                    {"problems", facts->problems}});
    }
    if (facts && facts->good && !out) {
      diameters.push_back(facts->diameter);
      measured.push_back(fragments.size());
      part.push_back(name);
      entry["number"] = part.size();
    }
    fragments.push_back(std::move(entry));
  }
  const std::vector<std::string> odd = odd_sizes(diameters);
  for (std::size_t i = 0; i < odd.size(); ++i) {
    if (!odd[i].empty()) fragments[measured[i]]["problems"].push_back(odd[i]);
  }
  const auto estimate = object_size_of(diameters);
  Json run{{"state", run_wish_name(settings.run)}, {"message", settings.run_message}};
  {
    const std::lock_guard lock(state_->work);
    const std::optional<CurrentRun>& current = state_->current;
    if (current && current->id == id) {
      run["state"] = current->cancel ? "stopping" : "running";
      const auto since = [now =
                              std::chrono::steady_clock::now()](std::chrono::steady_clock::time_point begin) {
        return std::chrono::duration<double>(now - begin).count();
      };
      run["seconds"] = since(current->begin);
      run["stages"] = Json::array();
      for (const StageProgress& stage : current->stages) {
        run["stages"].push_back({{"stage", stage.stage},
                                 {"done", stage.done},
                                 {"total", stage.total},
                                 {"seconds", stage.seconds}});
      }
      if (!current->stages.empty()) run["stages"].back()["seconds"] = since(current->stage_begin);
      run["notes"] = current->notes;
      // Fragments by name: those that hold together so far, the largest group first.
      std::map<int, std::vector<std::string>> groups;
      for (std::size_t i = 0; i < current->groups.size(); ++i)
        if (current->groups[i] >= 0) groups[current->groups[i]].push_back(current->files[i]);
      std::vector<std::vector<std::string>> list;
      for (auto& [number, names] : groups) list.push_back(std::move(names));
      std::stable_sort(list.begin(), list.end(),
                       [](const auto& x, const auto& y) { return x.size() > y.size(); });
      run["groups"] = list;
    } else if (settings.run == RunWish::wanted) {
      run["state"] = "queued";
    }
  }
  Json json{{"id", id},
            {"name", settings.name},
            {"units", settings.units},
            {"object_size", nullptr},
            {"estimate", nullptr},
            {"fragments", std::move(fragments)},
            {"companions", companions},
            {"waiting", waiting},
            {"run", std::move(run)},
            {"result", folder.has_result()},
            {"outdated", folder.has_result() && !waiting && part != settings.run_files}};
  if (settings.object_size) json["object_size"] = *settings.object_size;
  if (estimate.ok()) json["estimate"] = *estimate;
  return json;
}

}  // namespace pmtr::command
