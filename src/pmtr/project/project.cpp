// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/project/project.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/core/index.h"
#include "pmtr/formats/field_reader.h"
#include "pmtr/project/kept_file.h"
#include "pmtr/sample/object_scale.h"

namespace pmtr {
namespace {

constexpr const char* project_format = "pmtr project";
constexpr int project_version = 1;

bool is_digest(const std::string& text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_file_name(const std::string& text) {
  return !text.empty() && text != "." && text != ".." && text.find('/') == std::string::npos;
}

/// Of the first fragments' surfaces, input units.
double smallest_area(const Project& project) {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(at(project.first_fragments), project.fragments.size()); ++i)
    smallest = std::min(smallest, project.fragments[i].area);
  return smallest;
}

/// {:a} writes every bit of a number.
std::string common_key(const Project& project) {
  return fmt::format("{} {} {} {} {} {:a} {:a} {}", kept_version, project.program, project.weights_digest,
                     project.seed, project.points.value_or(0), project.object_size, project.area,
                     project.first_fragments) +
         fmt::format(" {} {:a} {:a}", project.objects, project.unit(), smallest_area(project));
}

std::string keys_of(const Project& project, const Block& block) {
  std::string keys;
  for (int i = block.begin; i < block.end; ++i) keys += fragment_key(project, i) + " ";
  return keys;
}

std::string hashed(const std::string& text) { return digest_of(as_bytes(text)); }

}  // namespace

double Project::unit() const {
  std::vector<double> diameters;
  for (std::size_t i = 0; i < std::min(at(first_fragments), fragments.size()); ++i)
    diameters.push_back(fragments[i].diameter);
  return unit_for_fragments(object_size, diameters, fragments_in_unit);
}

std::vector<double> Project::first_areas() const {
  const double length = unit();
  std::vector<double> areas;
  for (std::size_t i = 0; i < std::min(at(first_fragments), fragments.size()); ++i)
    areas.push_back(fragments[i].area / (length * length));
  return areas;
}

double Project::share_of(const ProjectFragment& fragment) const {
  return area > 0.0 ? fragment.area / area : 1.0 / first_fragments;
}

Status Project::validate() const {
  if (fragments.size() < 2) return Error{Cause::empty, "a project has at least two fragments", {}};
  if (fragments.size() > 100'000)
    return Error{Cause::too_large, "a project has at most 100000 fragments", {}};
  if (!(std::isfinite(object_size) && object_size > 0.0))
    return invalid_option("the size of the object must be a positive number");
  if (!(std::isfinite(area) && area >= 0.0)) return invalid_option("the area must not be negative");
  if (objects < 1 || objects > 10000) return invalid_option("the fragments are of 1 to 10000 objects");
  if (points && (*points < 1 || *points > 100'000'000))
    return invalid_option("the points of an object are 1 to 100000000");
  if (block < 1 || block > 10000) return invalid_option("a block has 1 to 10000 fragments");
  if (first_fragments < 1 || at(first_fragments) > fragments.size())
    return invalid_option("first_fragments must count some of the fragments");
  if (!is_file_name(weights) || !is_digest(weights_digest))
    return invalid_option("weights must be the name of a file and its digest");
  int begin = 0;
  for (const Block& one : blocks) {
    if (one.begin != begin || one.end <= begin) return invalid_option("blocks must follow one another");
    begin = one.end;
  }
  if (at(begin) != fragments.size()) return invalid_option("every fragment must be in a block");
  std::set<std::string> files;
  for (const ProjectFragment& one : fragments) {
    if (!is_digest(one.digest)) return invalid_option("a fragment must have the digest of its file");
    if (!(one.area >= 0.0) || !(one.diameter >= 0.0))
      return invalid_option("areas and diameters must not be negative");
    if (!files.insert(one.file).second)
      return error_at(one.file, Cause::mismatch, "the same file is given twice");
  }
  return {};
}

std::string format_project(const Project& project) {
  using json_fields::Json;
  Json json;
  json["format"] = project_format;
  json["version"] = project_version;
  json["program"] = project.program;
  json["seed"] = project.seed;
  json["points"] = project.points ? Json(*project.points) : Json();
  json["objects"] = project.objects;
  json["object_size"] = project.object_size;
  json["object_size_given"] = project.size_is_given;
  json["area"] = project.area;
  json["first_fragments"] = project.first_fragments;
  json["units"] = project.units;
  json["weights"] = project.weights;
  json["weights_digest"] = project.weights_digest;
  json["block"] = project.block;
  json["block_ends"] = Json::array();
  for (const Block& block : project.blocks) json["block_ends"].push_back(block.end);
  json["fragments"] = Json::array();
  for (const ProjectFragment& fragment : project.fragments) {
    json["fragments"].push_back({{"file", fragment.file},
                                 {"digest", fragment.digest},
                                 {"bytes", fragment.bytes},
                                 {"area", fragment.area},
                                 {"diameter", fragment.diameter}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Project> parse_project(std::string_view text, const std::string& file) {
  PMTR_TRY(const json_fields::Json json, json_fields::parse(text, file));
  json_fields::FieldReader in(json, {file, ""});
  Project project;
  std::string format;
  int version = 0;
  std::vector<int> ends;
  in.required("format", format);
  in.required("version", version);
  if (in.ok() && (format != project_format || version != project_version))
    return error_at(file, Cause::mismatch, "is not a project of this version of pmtr");
  in.required("program", project.program);
  in.required("seed", project.seed);
  in.required("points", project.points);
  in.required("objects", project.objects);
  in.required("object_size", project.object_size);
  in.required("object_size_given", project.size_is_given);
  in.required("area", project.area);
  in.required("first_fragments", project.first_fragments);
  in.required("units", project.units);
  in.required("weights", project.weights);
  in.required("weights_digest", project.weights_digest);
  in.required("block", project.block);
  in.required("block_ends", ends);
  for (json_fields::FieldReader& entry : in.objects("fragments")) {
    ProjectFragment fragment;
    entry.required("file", fragment.file);
    entry.required("digest", fragment.digest);
    entry.required("bytes", fragment.bytes);
    entry.required("area", fragment.area);
    entry.required("diameter", fragment.diameter);
    PMTR_TRY_STATUS(entry.finish());
    project.fragments.push_back(std::move(fragment));
  }
  PMTR_TRY_STATUS(in.finish());
  for (const int end : ends)
    project.blocks.push_back({project.blocks.empty() ? 0 : project.blocks.back().end, end});
  if (const Status valid = project.validate(); !valid.ok())
    return error_at(file, Cause::malformed, valid.error().text());
  return project;
}

std::string fragment_key(const Project& project, int fragment) {
  const ProjectFragment& one = project.fragments[at(fragment)];
  // The number, too: it is the stream that its points are drawn from.
  return hashed(fmt::format("fragment {} {} {} {}", common_key(project), fragment, one.digest, one.bytes));
}

std::string pair_key(const Project& project, const BlockPair& pair) {
  return hashed("pairs " + keys_of(project, project.blocks[at(pair.first)]) + "and " +
                keys_of(project, project.blocks[at(pair.second)]));
}

std::string project_key(const Project& project) {
  std::string keys = "project ";
  for (const Block& block : project.blocks) keys += keys_of(project, block);
  return hashed(keys);
}

std::filesystem::path ProjectFolder::fragment_file(const Project& project, int fragment) const {
  return path_ / "fragments" / (fragment_key(project, fragment) + ".fragment");
}

std::filesystem::path ProjectFolder::matches_file(const Project& project, const BlockPair& pair) const {
  return path_ / "pairs" / (pair_key(project, pair) + ".matches");
}

std::filesystem::path ProjectFolder::scores_file(const Project& project, const BlockPair& pair) const {
  return path_ / "pairs" / (pair_key(project, pair) + ".scores");
}

std::filesystem::path ProjectFolder::candidates_file(const Project& project, const BlockPair& pair,
                                                     std::span<const std::pair<int, int>> likely) const {
  std::string list;
  for (const auto& [a, b] : likely) list += fmt::format("{}+{} ", a, b);
  const std::string key = hashed(pair_key(project, pair) + " " + list);
  return path_ / "pairs" / (key + ".candidates");
}

Status ProjectFolder::make_folders() const {
  for (const char* name : {"fragments", "pairs", "weights"}) {
    std::error_code error;
    std::filesystem::create_directories(path_ / name, error);
    if (error)
      return error_at(path_ / name, Cause::unwritable, "cannot create the folder: " + error.message());
  }
  return {};
}

Result<Project> ProjectFolder::read(const std::string& program) const {
  std::error_code ignored;
  if (!std::filesystem::exists(project_file(), ignored))
    return error_at(path_, Cause::unreadable, "is no project: pmtr project init makes one");
  PMTR_TRY(const auto bytes, read_file(project_file(), std::uint64_t{1} << 30U));
  PMTR_TRY(Project project, parse_project(as_text(bytes), project_file().string()));
  project.program = program;
  return project;
}

Status ProjectFolder::write(const Project& project) const {
  PMTR_TRY_STATUS(project.validate());
  return write_file(project_file(), format_project(project));
}

}  // namespace pmtr
