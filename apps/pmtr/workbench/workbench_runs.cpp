// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The two threads of a workbench: one looks at files, one runs assemblies.
#include <algorithm>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/report/record/result_files.h"
#include "pmtr/report/record/words.h"
#include "progress_bar.h"
#include "upload_names.h"
#include "workbench_state.h"

namespace pmtr::command {
namespace {

namespace fs = std::filesystem;
using RunClock = std::chrono::steady_clock;

constexpr std::size_t most_notes = 200;

std::vector<std::string> assemble_words(const WorkbenchOptions& options, const ProjectFolder& folder,
                                        const ProjectSettings& settings) {
  std::vector<std::string> words{"assemble"};
  // Whole paths: no name of a file can look like an option.
  for (const std::string& name : settings.run_files) words.push_back((folder.fragments() / name).string());
  words.insert(words.end(), {"--out", folder.next_result().string(), "--work", folder.work().string(),
                             "--progress", "lines", "--threads", std::to_string(options.threads)});
  if (settings.object_size)
    words.insert(words.end(), {"--object-size", fmt::format("{}", *settings.object_size)});
  if (!settings.units.empty()) words.insert(words.end(), {"--units", settings.units});
  return words;
}

}  // namespace

Result<std::vector<std::string>> taking_part(const ProjectFolder& folder, const ProjectSettings& settings,
                                             Threads& threads, std::mutex& drawing) {
  std::vector<std::string> names;
  for (const std::string& name : list_files(folder.fragments())) {
    const bool out =
        std::find(settings.left_out.begin(), settings.left_out.end(), name) != settings.left_out.end();
    if (upload_kind(name) != UploadKind::fragment || out) continue;
    std::optional<FragmentFacts> facts = known_facts(folder, name);
    if (!facts) {
      const std::lock_guard lock(drawing);
      PMTR_TRY(facts, study_fragment(folder, name, threads));
    }
    if (facts->good) names.push_back(name);
  }
  return names;
}

void Workbench::State::study(const std::string& id, const std::string& name) {
  const std::lock_guard lock(work);
  if (!queued.insert({id, name}).second) return;
  to_study.emplace_back(id, name);
  wake.notify_all();
}

void Workbench::State::study_loop() {
  while (true) {
    std::unique_lock lock(work);
    wake.wait(lock, [&] { return stopping || !to_study.empty(); });
    if (stopping) return;
    const std::pair<std::string, std::string> next = to_study.front();
    to_study.pop_front();
    lock.unlock();
    if (const auto folder = find(next.first); folder.ok()) {
      const std::lock_guard draw(drawing);
      // One that cannot be written, or was removed meanwhile, is asked for again as long as the page wants
      // it.
      if (const auto facts = study_fragment(*folder, next.second, threads); !facts.ok())
        listener.warn(facts.error().text());
    }
    lock.lock();
    queued.erase(next);
  }
}

void Workbench::State::take_line(std::string_view line, std::string& log) {
  const std::lock_guard lock(work);
  const auto now = RunClock::now();
  std::vector<StageProgress>& stages = current->stages;
  if (const std::optional<ProgressLine> step = parse_progress_line(line)) {
    if (stages.empty() || stages.back().stage != step->stage) {
      if (!stages.empty())
        stages.back().seconds = std::chrono::duration<double>(now - current->stage_begin).count();
      // A stage may come again; it stands once in the list, at its last turn.
      std::erase_if(stages, [&](const StageProgress& s) { return s.stage == step->stage; });
      stages.push_back({step->stage, 0, 0, 0.0});
      current->stage_begin = now;
    }
    stages.back().done = step->done;
    stages.back().total = step->total;
    stages.back().seconds = std::chrono::duration<double>(now - current->stage_begin).count();
    return;
  }
  if (std::optional<std::vector<int>> groups = parse_groups_line(line)) {
    if (groups->size() == current->files.size()) current->groups = *std::move(groups);
    return;
  }
  log += line;
  log += '\n';
  constexpr std::string_view ours = "pmtr: ";
  constexpr std::string_view bad = "error: ";
  if (!line.starts_with(ours)) return;
  line.remove_prefix(ours.size());
  if (line.starts_with(bad)) current->complaint = line.substr(bad.size());
  if (current->notes.size() < most_notes) current->notes.emplace_back(line);
}

Status Workbench::State::run(const std::string& id) {
  PMTR_TRY(const ProjectFolder folder, find(id));
  PMTR_TRY(ProjectSettings asked, read_settings(folder));
  PMTR_TRY(asked.run_files, taking_part(folder, asked, threads, drawing));
  if (asked.run_files.empty()) return Error{Cause::empty, "no fragment takes part", {}};
  {
    const std::lock_guard lock(work);
    current->files = asked.run_files;
  }
  std::error_code ignored;
  fs::remove_all(folder.next_result(), ignored);
  std::string log;
  const auto stop = [&] {
    const std::lock_guard lock(work);
    return stopping ? StopRun::at_once : current->cancel ? StopRun::cancel : StopRun::no;
  };
  PMTR_TRY(const RunEnd end, run_watched(
                                 options.program, assemble_words(options, folder, asked),
                                 [&](std::string_view line) { take_line(line, log); }, stop));
  if (const Status written = write_file(folder.log(), log); !written.ok())
    listener.warn(written.error().text());
  if (end.cancelled) {
    fs::remove_all(folder.next_result(), ignored);
    return Error{Cause::cancelled, "Cancelled.", {}};
  }
  const auto made = read_assembly(folder.next_result());
  const bool done = (end.exit_code == 0 || end.exit_code == 4) && made.ok();
  if (!done) {
    const std::lock_guard lock(work);
    const std::string why = !current->complaint.empty() ? current->complaint
                            : end.exit_code >= 128
                                ? fmt::format("the program was ended by signal {}", end.exit_code - 128)
                                : fmt::format("the program ended with code {}", end.exit_code);
    return Error{Cause::malformed, why, {}};
  }
  forget_result(folder);
  {
    const std::lock_guard lock(reading);
    PMTR_TRY_STATUS(accept_result(folder));
  }
  fs::remove_all(folder.work(), ignored);  // a run that was cancelled or has failed may still go on
  return edit(folder, [&](ProjectSettings& settings) -> Status {
    settings.run = RunWish::done;
    settings.run_files = asked.run_files;
    settings.run_message = summary_sentence(*made);
    return {};
  });
}

void Workbench::State::run_loop() {
  while (true) {
    std::unique_lock lock(work);
    wake.wait(lock, [&] { return stopping || !to_run.empty(); });
    if (stopping) return;
    const std::string id = to_run.front();
    to_run.pop_front();
    current.emplace();
    current->id = id;
    current->begin = current->stage_begin = RunClock::now();
    lock.unlock();
    const Status ended = run(id);
    lock.lock();
    // Wanted as before: the next start goes on.
    if (stopping) return;
    lock.unlock();
    if (!ended.ok()) {
      const bool cancelled = ended.error().cause == Cause::cancelled;
      const auto folder = find(id);
      const Status noted = folder.ok()
                               ? edit(*folder,
                                      [&](ProjectSettings& settings) -> Status {
                                        settings.run = cancelled ? RunWish::cancelled : RunWish::failed;
                                        settings.run_message = ended.error().text();
                                        return {};
                                      })
                               : Status(folder.error());
      if (!noted.ok()) listener.warn(noted.error().text());
    }
    lock.lock();
    current.reset();
  }
}

}  // namespace pmtr::command
