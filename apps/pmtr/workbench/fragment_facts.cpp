// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "fragment_facts.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/file.h"
#include "pmtr/core/stable_hash.h"
#include "pmtr/formats/field_reader.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/render/part_colours.h"
#include "pmtr/render/png.h"
#include "pmtr/render/render.h"
#include "pmtr/sample/object_scale.h"
#include "pmtr/scan/estimate_normals.h"
#include "pmtr/scan/scan_faults.h"

namespace pmtr::command {
namespace {

namespace fs = std::filesystem;

fs::path cached(const ProjectFolder& folder, const std::string& name, const char* ending) {
  return folder.cache() / fmt::format("{:016x}{}", stable_hash(name), ending);
}

/// Size and time of the file as it is now.
Status stamp(const fs::path& file, FragmentFacts& facts) {
  std::error_code error;
  facts.bytes = fs::file_size(file, error);
  if (error) return error_at(file, Cause::unreadable, error.message());
  facts.written = fs::last_write_time(file, error).time_since_epoch().count();
  if (error) return error_at(file, Cause::unreadable, error.message());
  return {};
}

std::string facts_json(const std::string& name, const FragmentFacts& facts) {
  return nlohmann::ordered_json{{"version", 1},
                                {"name", name},
                                {"bytes", facts.bytes},
                                {"written", facts.written},
                                {"good", facts.good},
                                {"message", facts.message},
                                {"format", facts.format},
                                {"vertices", facts.vertices},
                                {"faces", facts.faces},
                                {"sides", facts.sides},
                                {"diameter", facts.diameter},
                                {"problems", facts.problems}}
      .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Status measure(const fs::path& file, FragmentFacts& facts, TriangleMesh& mesh) {
  PMTR_TRY(MeshFile read, read_mesh_file(file));
  mesh = std::move(read.mesh);
  facts.format = format_name(read.format);
  facts.vertices = mesh.vertices.size();
  facts.faces = mesh.faces.size();
  PMTR_TRY(facts.diameter, fragment_diameter(mesh));
  Eigen::Vector3d low = mesh.vertices.front();
  Eigen::Vector3d high = low;
  for (const Eigen::Vector3d& vertex : mesh.vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const auto c = static_cast<Eigen::Index>(i);
    facts.sides[i] = high[c] - low[c];
  }
  facts.problems = describe_faults(find_faults(mesh));
  if (lacks_normals(mesh))
    facts.problems.emplace_back("points without normals; they are estimated for the assembly");
  facts.problems.insert(facts.problems.end(), read.warnings.begin(), read.warnings.end());
  if (!(facts.diameter > 0.0)) return Error{Cause::degenerate, "all of it is one point", {}};
  return {};
}

}  // namespace

fs::path thumbnail_file(const ProjectFolder& folder, const std::string& name) {
  return cached(folder, name, ".png");
}

std::optional<FragmentFacts> known_facts(const ProjectFolder& folder, const std::string& name) {
  const fs::path file = cached(folder, name, ".json");
  const auto bytes = read_file(file, std::uint64_t{16} << 20U);
  if (!bytes.ok()) return std::nullopt;
  const std::string where = file.string();
  const auto json = json_fields::parse(as_text(*bytes), where);
  if (!json.ok()) return std::nullopt;
  FragmentFacts facts;
  std::string written_name;
  int version = 0;
  json_fields::FieldReader reader(*json, {where, ""});
  reader.required("version", version);
  reader.required("name", written_name);
  reader.required("bytes", facts.bytes);
  reader.required("written", facts.written);
  reader.required("good", facts.good);
  reader.required("message", facts.message);
  reader.required("format", facts.format);
  reader.required("vertices", facts.vertices);
  reader.required("faces", facts.faces);
  reader.required("sides", facts.sides);
  reader.required("diameter", facts.diameter);
  reader.required("problems", facts.problems);
  FragmentFacts now;
  const bool current = reader.ok() && version == 1 && written_name == name &&
                       stamp(folder.fragments() / name, now).ok() && now.bytes == facts.bytes &&
                       now.written == facts.written;
  return current ? std::optional(std::move(facts)) : std::nullopt;
}

Result<FragmentFacts> study_fragment(const ProjectFolder& folder, const std::string& name, Threads& threads) {
  const fs::path file = folder.fragments() / name;
  FragmentFacts facts;
  PMTR_TRY_STATUS(stamp(file, facts));
  TriangleMesh mesh;
  const Status measured = measure(file, facts, mesh);
  facts.good = measured.ok();
  if (!measured.ok()) facts.message = measured.error().message;  // without its place: the card is the file's
  std::error_code error;
  fs::create_directories(folder.cache(), error);
  fs::remove(thumbnail_file(folder, name), error);
  if (facts.good) {
    RenderPart part;
    part.mesh = &mesh;
    part.colour = {201, 176, 148};
    part.vertex_colours = true;
    RenderOptions options;
    options.width = 320;
    options.height = 240;
    PMTR_TRY_STATUS(
        write_png(thumbnail_file(folder, name), render_scene(std::span(&part, 1), options, threads)));
  }
  PMTR_TRY_STATUS(write_file(cached(folder, name, ".json"), facts_json(name, facts)));
  return facts;
}

std::vector<std::string> odd_sizes(std::span<const double> diameters) {
  constexpr double odd = 25.0;  // fragments of one object differ by less; millimetres and metres by more
  std::vector<std::string> sentences(diameters.size());
  if (diameters.size() < 2) return sentences;
  std::vector<double> sorted(diameters.begin(), diameters.end());
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                   sorted.end());
  const double middle = sorted[sorted.size() / 2];
  for (std::size_t i = 0; i < diameters.size(); ++i) {
    const double factor = diameters[i] / middle;
    if (factor > odd)
      sentences[i] =
          fmt::format("{:.0f} times as large as most of the others: is it in the same units?", factor);
    if (factor < 1.0 / odd)
      sentences[i] =
          fmt::format("{:.0f} times smaller than most of the others: is it in the same units?", 1.0 / factor);
  }
  return sentences;
}

}  // namespace pmtr::command
