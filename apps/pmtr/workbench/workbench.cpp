// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "workbench.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/formats/field_reader.h"
#include "pmtr/formats/word_reader.h"
#include "pmtr/formats/zip_writer.h"
#include "upload_names.h"
#include "workbench_state.h"

namespace pmtr::command {
namespace {

namespace fs = std::filesystem;
const std::string the_request = "the request";

bool holds(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Error busy() { return {Cause::mismatch, "the assembly runs: cancel it first", {}}; }

}  // namespace

Result<ProjectFolder> Workbench::State::find(const std::string& id) const {
  // Taken from the list of what is there: an id is never made into a path.
  for (ProjectFolder& folder : list_projects(options.root)) {
    if (folder.id() == id) return std::move(folder);
  }
  return Error{Cause::unreadable, "there is no such project", {}};
}

Status Workbench::State::edit(const ProjectFolder& folder,
                              const std::function<Status(ProjectSettings&)>& change) {
  const std::lock_guard lock(editing);
  PMTR_TRY(ProjectSettings now, read_settings(folder));
  PMTR_TRY_STATUS(change(now));
  PMTR_TRY_STATUS(now.validate());
  return write_settings(folder, now);
}

Workbench::Workbench(WorkbenchOptions options, Threads& threads, Listener listener)
    : state_(std::make_unique<State>(std::move(options), threads, std::move(listener))) {}

Workbench::~Workbench() {
  {
    const std::lock_guard lock(state_->work);
    state_->stopping = true;
    state_->wake.notify_all();
  }
  if (state_->student.joinable()) state_->student.join();
  if (state_->runner.joinable()) state_->runner.join();
  if (state_->writer.joinable()) state_->writer.join();
  if (state_->lock_file >= 0) ::close(state_->lock_file);
}

Status Workbench::open() {
  State& state = *state_;
  std::error_code error;
  fs::create_directories(state.options.root, error);
  if (error) return error_at(state.options.root, Cause::unwritable, error.message());
  state.options.root = fs::canonical(state.options.root, error);
  const fs::path lock = state.options.root / ".pmtr-app.lock";
  state.lock_file = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (state.lock_file < 0) return error_at(lock, Cause::unwritable, std::strerror(errno));
  if (::flock(state.lock_file, LOCK_EX | LOCK_NB) != 0)
    return error_at(state.options.root, Cause::mismatch, "another pmtr app has this folder open");
  for (const ProjectFolder& folder : list_projects(state.options.root)) {
    mend_result(folder);
    const auto settings = read_settings(folder);
    if (settings.ok() && settings->run == RunWish::wanted) state.to_run.push_back(folder.id());
    if (fs::exists(folder.unwritten(), error)) state.to_open.push_back(folder.id());
  }
  state.student = std::thread([&state] { state.study_loop(); });
  state.runner = std::thread([&state] { state.run_loop(); });
  state.writer = std::thread([&state] { state.write_loop(); });
  return {};
}

Workbench::Json Workbench::projects() const {
  Json list = Json::array();
  for (const ProjectFolder& folder : list_projects(state_->options.root)) {
    const auto settings = read_settings(folder);
    const std::vector<std::string> files = list_files(folder.fragments());
    const auto fragments = std::count_if(files.begin(), files.end(), [](const std::string& name) {
      return upload_kind(name) == UploadKind::fragment;
    });
    list.push_back({{"id", folder.id()},
                    {"name", settings.ok() ? settings->name : folder.id()},
                    {"fragments", fragments},
                    {"run", settings.ok() ? run_wish_name(settings->run) : "failed"},
                    {"message", settings.ok() ? settings->run_message : settings.error().text()},
                    {"picture", picture(folder.id()).ok()}});
  }
  return {{"folder", state_->options.root.string()}, {"projects", std::move(list)}};
}

Result<std::string> Workbench::create(const std::string& name) {
  const std::lock_guard lock(state_->editing);
  PMTR_TRY(const ProjectFolder folder, create_project(state_->options.root, name));
  return folder.id();
}

Status Workbench::change(const std::string& id, const std::string& text) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  PMTR_TRY(const json_fields::Json json, json_fields::parse(text, the_request));
  return state_->edit(folder, [&](ProjectSettings& settings) -> Status {
    json_fields::FieldReader reader(json, {the_request, ""});
    reader.optional("name", settings.name);
    reader.optional("object_size", settings.object_size);
    reader.optional("units", settings.units);
    reader.optional("left_out", settings.left_out);
    return reader.finish();
  });
}

Result<Workbench::Json> Workbench::announce(const std::string& id, const std::string& text) const {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  PMTR_TRY(const json_fields::Json json, json_fields::parse(text, the_request));
  json_fields::FieldReader reader(json, {the_request, ""});
  Json answers = Json::array();
  UploadGate gate(folder, state_->options.uploads);
  for (json_fields::FieldReader& file : reader.objects("files")) {
    std::string name;
    std::uint64_t bytes = 0;
    file.required("name", name);
    file.required("bytes", bytes);
    PMTR_TRY_STATUS(file.finish());
    const auto accepted = gate.accept(name, bytes);
    Json answer{{"ok", accepted.ok()}};
    answer[accepted.ok() ? "name" : "message"] = accepted.ok() ? *accepted : accepted.error().text();
    answers.push_back(std::move(answer));
  }
  PMTR_TRY_STATUS(reader.finish());
  return Json{{"files", std::move(answers)}};
}

Status Workbench::receive(const std::string& id, const std::string& name, std::uint64_t bytes,
                          const UploadSource& source) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  PMTR_TRY(const std::string accepted, UploadGate(folder, state_->options.uploads).accept(name, bytes));
  PMTR_TRY_STATUS(receive_upload(folder, accepted, bytes, source));
  if (upload_kind(accepted) == UploadKind::fragment) {
    state_->study(id, accepted);
    return {};
  }
  // What an OBJ said of a picture that was missing is no longer true.
  for (const std::string& other : list_files(folder.fragments())) {
    std::error_code ignored;
    if (lower_case(fs::path(other).extension().string()) != ".obj") continue;
    fs::remove(thumbnail_file(folder, other).replace_extension(".json"), ignored);
    state_->study(id, other);
  }
  return {};
}

Status Workbench::remove_fragment(const std::string& id, const std::string& name) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  if (!holds(list_files(folder.fragments()), name))
    return Error{Cause::unreadable, "there is no such fragment", {}};
  std::error_code error;
  fs::remove(folder.fragments() / name, error);
  if (error) return Error{Cause::unwritable, error.message(), {}};
  fs::remove(thumbnail_file(folder, name), error);
  return {};
}

Status Workbench::start(const std::string& id) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  {
    const std::lock_guard lock(state_->work);
    const bool queued = std::find(state_->to_run.begin(), state_->to_run.end(), id) != state_->to_run.end();
    if (queued || (state_->current && state_->current->id == id)) return busy();
  }
  PMTR_TRY_STATUS(state_->edit(folder, [](ProjectSettings& settings) -> Status {
    settings.run = RunWish::wanted;
    settings.run_message.clear();
    return {};
  }));
  const std::lock_guard lock(state_->work);
  state_->to_run.push_back(id);
  state_->wake.notify_all();
  return {};
}

Status Workbench::cancel(const std::string& id) {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  {
    const std::lock_guard lock(state_->work);
    if (state_->current && state_->current->id == id) {
      state_->current->cancel = true;
      return {};
    }
    if (std::erase(state_->to_run, id) == 0) return Error{Cause::mismatch, "nothing runs", {}};
  }
  return state_->edit(folder, [](ProjectSettings& settings) -> Status {
    settings.run = RunWish::cancelled;
    settings.run_message = "Cancelled.";
    return {};
  });
}

Result<fs::path> Workbench::thumbnail(const std::string& id, const std::string& name) const {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  if (!holds(list_files(folder.fragments()), name))
    return Error{Cause::unreadable, "there is no such fragment", {}};
  return thumbnail_file(folder, name);
}

Result<fs::path> Workbench::picture(const std::string& id) const {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  std::error_code ignored;
  if (fs::path whole = folder.result() / "assembly.png"; fs::is_regular_file(whole, ignored)) return whole;
  for (const std::string& name : list_files(folder.fragments())) {
    if (fs::path file = thumbnail_file(folder, name); fs::is_regular_file(file, ignored)) return file;
  }
  return Error{Cause::unreadable, "there is no picture yet", {}};
}

Result<Workbench::ResultFiles> Workbench::result_files(const std::string& id) const {
  PMTR_TRY(const ProjectFolder folder, state_->find(id));
  ResultFiles files;
  PMTR_TRY_STATUS(state_->wait_until_written(id));
  auto lock = std::make_shared<std::shared_lock<std::shared_mutex>>(state_->reading);
  if (!folder.has_result()) return Error{Cause::unreadable, "there is no result yet", {}};
  files.folder = folder.result();
  files.names = list_files(files.folder);
  std::erase_if(files.names, [](const std::string& name) { return !is_safe_entry_name(name); });
  files.lock = std::move(lock);
  return files;
}

}  // namespace pmtr::command
