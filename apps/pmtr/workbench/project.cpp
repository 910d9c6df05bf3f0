// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "project.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/file.h"
#include "pmtr/formats/field_reader.h"
#include "pmtr/formats/utf8.h"
#include "pmtr/report/record/units.h"
#include "upload_names.h"

namespace pmtr::command {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, RunWish> wishes = {{"none", RunWish::none},
                                               {"wanted", RunWish::wanted},
                                               {"done", RunWish::done},
                                               {"failed", RunWish::failed},
                                               {"cancelled", RunWish::cancelled}};

Status make_project_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return error_at(folder, Cause::unwritable, error.message());
  return {};
}

}  // namespace

const char* run_wish_name(RunWish wish) {
  for (const auto& [name, value] : wishes) {
    if (value == wish) return name.c_str();
  }
  return "";
}

Status ProjectSettings::validate() const {
  if (name.empty() || name.size() > 200 || !is_utf8(name)) return invalid_option("a project needs a name");
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    return invalid_option("the name of a project has control characters");
  if (object_size && !(std::isfinite(*object_size) && *object_size > 0.0))
    return invalid_option("the size of the object must be a number above zero");
  if (!units.empty() && std::find(known_units.begin(), known_units.end(), units) == known_units.end())
    return invalid_option("this unit is not known");
  return {};
}

bool ProjectFolder::has_result() const {
  std::error_code ignored;
  return fs::is_regular_file(result() / "assembly.json", ignored);
}

Result<ProjectSettings> read_settings(const ProjectFolder& folder) {
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(folder.settings(), std::uint64_t{64} << 20U));
  const std::string file = folder.settings().string();
  PMTR_TRY(const json_fields::Json json, json_fields::parse(as_text(bytes), file));
  json_fields::FieldReader reader(json, {file, ""});
  int version = 0;
  ProjectSettings settings;
  reader.required("version", version);
  if (reader.ok() && version != 1) reader.fail("is of a later version");
  reader.required("name", settings.name);
  reader.optional("object_size", settings.object_size);
  reader.optional("units", settings.units);
  reader.optional("left_out", settings.left_out);
  reader.optional_word("run", wishes, settings.run);
  reader.optional("run_message", settings.run_message);
  reader.optional("run_files", settings.run_files);
  PMTR_TRY_STATUS(reader.finish());
  PMTR_TRY_STATUS(settings.validate());
  return settings;
}

Status write_settings(const ProjectFolder& folder, const ProjectSettings& settings) {
  nlohmann::ordered_json json{{"version", 1},
                              {"name", settings.name},
                              {"object_size", nullptr},
                              {"units", settings.units},
                              {"left_out", settings.left_out},
                              {"run", run_wish_name(settings.run)},
                              {"run_message", settings.run_message},
                              {"run_files", settings.run_files}};
  if (settings.object_size) json["object_size"] = *settings.object_size;
  return write_file(folder.settings(),
                    json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

std::vector<ProjectFolder> list_projects(const fs::path& root) {
  std::vector<ProjectFolder> projects;
  std::error_code error;
  for (fs::directory_iterator at(root, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const ProjectFolder folder{at->path()};
    // A link could lead anywhere.
    if (at->symlink_status(ignored).type() != fs::file_type::directory) continue;
    if (fs::is_regular_file(fs::symlink_status(folder.settings(), ignored))) projects.push_back(folder);
  }
  std::sort(projects.begin(), projects.end(),
            [](const ProjectFolder& a, const ProjectFolder& b) { return natural_less(a.id(), b.id()); });
  return projects;
}

Result<ProjectFolder> create_project(const fs::path& root, const std::string& name) {
  ProjectSettings settings;
  settings.name = name;
  PMTR_TRY_STATUS(settings.validate());
  PMTR_TRY_STATUS(make_project_folder(root));
  const std::string stem = folder_name_for(name);
  for (int number = 1; number < 10'000; ++number) {
    const ProjectFolder folder{root / (number == 1 ? stem : fmt::format("{}_{}", stem, number))};
    std::error_code error;
    // False without an error: somebody has it.
    if (!fs::create_directory(folder.path, error)) {
      if (error) return error_at(folder.path, Cause::unwritable, error.message());
      continue;
    }
    PMTR_TRY_STATUS(make_project_folder(folder.fragments()));
    PMTR_TRY_STATUS(write_settings(folder, settings));
    return folder;
  }
  return error_at(root, Cause::too_large, "too many projects of this name");
}

std::vector<std::string> list_files(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->symlink_status(ignored).type() != fs::file_type::regular) continue;
    names.push_back(at->path().lexically_relative(folder).generic_string());
  }
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return natural_less(a, b); });
  return names;
}

Status accept_result(const ProjectFolder& folder) {
  std::error_code error;
  fs::remove_all(folder.last_result(), error);
  fs::rename(folder.result(), folder.last_result(), error);  // the first time there is none
  fs::rename(folder.next_result(), folder.result(), error);
  if (error) return error_at(folder.result(), Cause::unwritable, error.message());
  fs::remove_all(folder.last_result(), error);
  return {};
}

void mend_result(const ProjectFolder& folder) {
  std::error_code ignored;
  if (!fs::exists(folder.result(), ignored) && fs::exists(folder.last_result(), ignored))
    fs::rename(folder.last_result(), folder.result(), ignored);
  for (const fs::path& rest : {folder.next_result(), folder.last_result(), folder.incoming()})
    fs::remove_all(rest, ignored);
}

}  // namespace pmtr::command
