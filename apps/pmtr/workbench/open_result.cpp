// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Looking at a result, deciding about it, and writing what follows from it.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/file.h"
#include "pmtr/formats/field_reader.h"
#include "pmtr/formats/pose_json.h"
#include "pmtr/report/record/snap_fragment.h"
#include "pmtr/report/record/solve_again.h"
#include "pmtr/report/record/words.h"
#include "workbench_state.h"

namespace pmtr::command {
namespace {

namespace fs = std::filesystem;
using WriteClock = std::chrono::steady_clock;
const std::string request_name = "the request";
/// So long after a decision nobody has taken another one.
constexpr auto quiet = std::chrono::milliseconds(1500);

}  // namespace

Result<std::shared_ptr<OpenResult>> Workbench::State::open_result(const ProjectFolder& folder) {
  if (opened && opened->id == folder.id()) return opened;
  opened.reset();
  const std::lock_guard draw(drawing);
  const auto made = std::make_shared<OpenResult>();
  made->id = folder.id();
  PMTR_TRY(made->record, read_assembly(folder.result()));
  PMTR_TRY(made->fragments,
           find_fragments(folder.result(), made->record, std::nullopt, /*accept_placed=*/false, listener));
  PMTR_TRY(made->record.context.seen, read_seen_breaks(folder.result(), made->fragments.size()));
  made->record.context.shapes.clear();
  for (const MeshFile& file : made->fragments) made->record.context.shapes.push_back(shape_of(file.mesh));
  if (made->record.context.seen) made->clouds = orient_seen(*made->record.context.seen, threads);
  made->view =
      std::make_unique<ObjectView>(meshes_of(made->fragments), made->record, ReportOptions{}, threads);
  made->view->data(made->record, threads,
                   listener);  // the gaps of now: the next decision changes few of them
  opened = made;
  return made;
}

Result<std::string> Workbench::object(const std::string& id) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  if (!folder.has_result()) return Error{Cause::unreadable, "there is no result yet", {}};
  bool waiting = false;
  {
    const std::lock_guard lock(state_->work);
    waiting = state_->unwritten && state_->unwritten->result->id == id;
  }
  std::error_code ignored;
  if (!waiting && !fs::exists(folder.unwritten(), ignored)) {
    // What was written last says it all, and is there at once however large the scans are.
    const std::shared_lock reading(state_->reading);
    const auto report = read_file(folder.result() / "report.html", std::uint64_t{1} << 30U);
    if (report.ok()) return std::string(as_text(*report));
  }
  const std::lock_guard lock(state_->opening);
  PMTR_TRY(const std::shared_ptr<OpenResult> result, state_->open_result(folder));
  const std::lock_guard draw(state_->drawing);
  return result->view->elements(result->view->data(result->record, state_->threads, state_->listener));
}

Status Workbench::look(const std::string& id) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  if (!folder.has_result()) return Error{Cause::unreadable, "there is no result yet", {}};
  const std::lock_guard lock(state_->work);
  if (std::find(state_->to_open.begin(), state_->to_open.end(), id) == state_->to_open.end())
    state_->to_open.push_back(id);
  state_->wake.notify_all();
  return {};
}

Result<Workbench::Json> Workbench::solve(const std::string& id, const std::string& text) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  PMTR_TRY(const Constraints constraints, parse_constraints(text, request_name));
  if (!folder.has_result()) return Error{Cause::unreadable, "there is no result yet", {}};
  Json answer;
  {
    // First the files of another project's decision; they are waited for without a lock, since the writer
    // opens results as well.
    std::unique_lock lock(state_->opening, std::defer_lock);
    while (true) {
      PMTR_TRY_STATUS(state_->wait_until_written(id, /*others=*/true));
      lock.lock();
      const std::lock_guard busy(state_->work);
      if (!state_->unwritten || state_->unwritten->result->id == id) break;
      lock.unlock();
    }
    PMTR_TRY(const std::shared_ptr<OpenResult> result, state_->open_result(folder));
    PMTR_TRY(AssemblyRecord solved,
             decide_again(result->record, constraints, state_->listener, result->clouds));
    {
      const std::lock_guard files(state_->reading);
      {
        const std::lock_guard busy(state_->work);
        ++state_->version;  // who writes for the last decision no longer says that all is written
      }
      if (std::error_code ignored; !fs::exists(folder.unwritten(), ignored)) {
        PMTR_TRY_STATUS(write_file(folder.unwritten(), ""));
      }
      PMTR_TRY_STATUS(write_decision(folder.result(), result->fragments, solved));
      const std::lock_guard busy(state_->work);
      state_->unwritten = State::Unwritten{result, solved, WriteClock::now()};
      ++state_->version;
      state_->wake.notify_all();
    }
    result->record = std::move(solved);
    const std::lock_guard draw(state_->drawing);
    answer = {{"ok", true}, {"message", summary_sentence(result->record)}};
    answer["data"] = result->view->data(result->record, state_->threads, state_->listener, /*points=*/false);
    answer["gaps"] = result->view->gaps();
  }
  PMTR_TRY_STATUS(state_->edit(folder, [&](ProjectSettings& settings) -> Status {
    if (settings.run == RunWish::done) settings.run_message = answer["message"].get<std::string>();
    return {};
  }));
  return answer;
}

Result<Workbench::Json> Workbench::snap(const std::string& id, const std::string& text) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  // Written as a list of one, it is read by the rules of constraints.json.
  PMTR_TRY(const Constraints wish,
           parse_constraints(fmt::format("{{\"version\":1,\"joints\":[],\"drop\":[],\"placed\":[{}]}}", text),
                             request_name));
  const std::lock_guard lock(state_->opening);
  PMTR_TRY(const std::shared_ptr<OpenResult> result, state_->open_result(folder));
  if (result->clouds.empty())
    return Error{Cause::mismatch, "this result does not keep the breaks: assemble it again", {}};
  const std::vector<std::string> names = result->record.context.names();
  PMTR_TRY(const AppliedConstraints applied, apply_constraints(names, result->record.assembly.joints, wish));
  if (applied.placed.size() != 1) return Error{Cause::malformed, "one fragment at a time", {}};
  PMTR_TRY(const Snapped snapped, snap_fragment(result->record, result->clouds, applied.placed.front()));
  const AppliedPlacement& there = snapped.placement;
  const double size = result->record.context.object_size;
  return Json{{"ok", true},
              {"placement",
               {{"fragment", names[static_cast<std::size_t>(there.part)]},
                {"on", names[static_cast<std::size_t>(there.on)]},
                {"on_from_fragment", pose_rows(there.on_from_part)},
                {"group", there.group}}},
              {"contact", snapped.evidence.contact_area * size * size},
              {"gap", snapped.evidence.gap_mean * size},
              {"turned", snapped.turned_deg},
              {"shifted", snapped.shifted}};
}

Status Workbench::State::wait_until_written(const std::string& id, bool others) {
  std::unique_lock lock(work);
  const auto mine = [&] { return unwritten && (unwritten->result->id == id) != others; };
  if (!mine()) return {};
  hurry = true;
  wake.notify_all();
  wake.wait(lock, [&] { return stopping || !mine() || !write_trouble.empty(); });
  if (!write_trouble.empty()) return Error{Cause::unwritable, write_trouble, {}};
  return stopping ? Status(Error{Cause::cancelled, "the program ends", {}}) : Status();
}

void Workbench::State::forget_result(const ProjectFolder& folder) {
  {
    std::unique_lock lock(work);
    if (unwritten && unwritten->result->id == folder.id()) unwritten.reset();
    ++version;
    wake.notify_all();
    wake.wait(lock, [&] { return !writing; });
  }
  const std::lock_guard lock(opening);
  if (opened && opened->id == folder.id()) opened.reset();
  std::error_code ignored;
  fs::remove(folder.unwritten(), ignored);
}

void Workbench::State::write_now(std::unique_lock<std::mutex>& lock) {
  const Unwritten mine = *unwritten;
  const std::uint64_t as_of = version;
  writing = true;
  lock.unlock();
  Status written;
  if (const auto folder = find(mine.result->id); folder.ok()) {
    Listener ears = listener;
    ears.progress = {};
    ears.cancelled = [&] {
      const std::lock_guard look(work);
      return stopping || version != as_of;
    };
    // By itself: the other threads are for whoever decides meanwhile.
    written = write_derived(folder->result(), mine.result->fragments, mine.record, {}, Threads::none(), ears);
    std::error_code ignored;
    const std::lock_guard look(work);
    if (written.ok() && version == as_of) fs::remove(folder->unwritten(), ignored);
  }
  lock.lock();
  writing = false;
  if (version == as_of && !stopping) {
    if (written.ok()) {
      unwritten.reset();
      write_trouble.clear();
    } else {
      write_trouble = written.error().text();
      listener.warn(write_trouble);
      unwritten->since = WriteClock::now() + std::chrono::seconds(30);  // a full disk may be emptied
    }
    hurry = false;
  }
  wake.notify_all();
}

void Workbench::State::write_loop() {
  while (true) {
    std::unique_lock lock(work);
    wake.wait(lock, [&] { return stopping || unwritten || !to_open.empty(); });
    if (stopping) return;
    if (unwritten) {
      const auto due = unwritten->since + quiet;
      if (hurry || WriteClock::now() >= due) {
        write_now(lock);
      } else {
        wake.wait_until(lock, due);
      }
      continue;
    }
    const std::string id = to_open.front();
    to_open.pop_front();
    lock.unlock();
    const auto folder = find(id);
    if (!folder.ok() || !folder->has_result()) continue;
    const std::lock_guard open(opening);
    const auto result = open_result(*folder);
    std::error_code ignored;
    if (!result.ok() || !fs::exists(folder->unwritten(), ignored)) continue;
    // A crash came between a decision and its files.
    lock.lock();
    if (!unwritten) unwritten = Unwritten{*result, (*result)->record, WriteClock::now()};
  }
}

}  // namespace pmtr::command
