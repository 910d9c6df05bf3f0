// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/assemble_files.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pmtr/core/file.h"
#include "pmtr/core/process_memory.h"
#include "pmtr/report/record/result_files.h"
#include "pmtr/report/record/solve_again.h"
#include "pmtr/report/record/units.h"

namespace pmtr {
namespace {

/// Matches of an untrained network may well agree with each other, and mean nothing.
void withdraw_confidence(Assembly& assembly) {
  for (Joint& joint : assembly.joints) joint.confidence = 0.0;
  for (PlacedPart& part : assembly.parts) part.confidence = 0.0;
}

/// What a person may want to see of the breaks, and what fits them again; nothing where the network does not
/// see breaks.
std::shared_ptr<const SeenBreaks> keep_seen(const AssembleResult& result) {
  constexpr std::size_t most_matches = 60;
  SeenBreaks seen;
  if (result.surfaces.empty()) return nullptr;
  for (std::size_t i = 0; i < result.fragments.size(); ++i) {
    const FragmentClouds& clouds = result.fragments[i];
    const std::vector<float>& broken = result.features[i].fracture;
    if (broken.size() != clouds.dense.points.size() ||
        clouds.dense.normals.size() != clouds.dense.points.size())
      return nullptr;
    seen.unit = clouds.unit;
    seen.surfaces.push_back({clouds.dense, broken, clouds.area, clouds.centre});
  }
  std::set<std::pair<int, int>> joined;
  for (const Joint& joint : result.assembly.joints) joined.insert(std::minmax(joint.a, joint.b));
  for (const MatchedPair& pair : result.matched) {
    if (!joined.contains(std::minmax(pair.a, pair.b)) || pair.mutual.empty()) continue;
    std::vector<RowMatch> best = pair.mutual;
    std::stable_sort(best.begin(), best.end(),
                     [](const RowMatch& x, const RowMatch& y) { return x.distance < y.distance; });
    best.resize(std::min(best.size(), most_matches));
    SeenPair kept{pair.a, pair.b, {}};
    const auto in_file = [&](int part, std::int32_t row) {
      const auto i = static_cast<std::size_t>(part);
      const Eigen::Vector3d p =
          result.features[i].points[static_cast<std::size_t>(row)].cast<double>() * seen.unit;
      return Eigen::Vector3f((p + seen.surfaces[i].centre).cast<float>());
    };
    for (const RowMatch& match : best)
      kept.matches.push_back({in_file(pair.a, match.a), in_file(pair.b, match.b)});
    seen.pairs.push_back(std::move(kept));
  }
  return std::make_shared<SeenBreaks>(std::move(seen));
}

/// The decisions of a file, applied as *Solve again* does.
Result<AssemblyRecord> replay_constraints(const std::filesystem::path& file, AssemblyRecord record,
                                          const Listener& listener) {
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(file, 64U << 20U));
  PMTR_TRY(const Constraints constraints, parse_constraints(as_text(bytes), file.string()));
  auto decided = decide_again(std::move(record), constraints, listener);
  if (!decided.ok()) return error_at(file, decided.error().cause, decided.error().message);
  return decided;
}

}  // namespace

Status AssembleRequest::validate() const {
  if (place_all && only_confirmed)
    return invalid_option("to place all and to join only what is confirmed exclude each other");
  if (objects < 1 || objects > 10000) return invalid_option("the fragments are of 1 to 10000 objects");
  if (object_size && !(*object_size > 0.0))
    return invalid_option("the size of the object must be a positive number");
  if (!units.empty() && std::find(known_units.begin(), known_units.end(), units) == known_units.end())
    return invalid_option(fmt::format("units {}: must be one of {}", units, fmt::join(known_units, ", ")));
  return {};
}

Result<std::vector<MeshFile>> read_fragments(std::span<const std::filesystem::path> paths,
                                             const Listener& listener) {
  std::vector<MeshFile> files;
  std::set<std::filesystem::path> seen;
  for (const auto& path : paths) {
    std::error_code ignored;  // one that is not there is found out when it is read
    const auto real = std::filesystem::weakly_canonical(path, ignored);
    if (!seen.insert(ignored ? path : real).second)
      return error_at(path, Cause::mismatch, "the same file is given twice");
    PMTR_TRY(MeshFile file, read_mesh_file(path));
    for (const std::string& warning : file.warnings)
      listener.warn(fmt::format("{}: {}", path.string(), warning));
    files.push_back(std::move(file));
  }
  return files;
}

AssembleOptions options_of(const AssembleRequest& request, std::vector<std::string> names) {
  AssembleOptions options;
  options.seed = request.seed;
  options.names = std::move(names);
  if (request.points) options.sample.points = *request.points;
  options.objects = request.objects;
  if (request.object_size) options.object_size = *request.object_size;
  options.pairs.exhaustive = request.exhaustive;
  options.rematch.place_all = request.place_all;
  options.only_confirmed = request.only_confirmed;
  return options;
}

Result<AssemblyRecord> record_of(AssembleResult result, std::span<const MeshFile> files,
                                 const std::string& weights, bool trained, const AssembleRequest& request,
                                 const Listener& listener) {
  AssemblyRecord record;
  record.context.seen = keep_seen(result);
  record.assembly = std::move(result.assembly);
  for (const MeshFile& file : files) {
    record.context.files.push_back(file.path.string());
    record.context.shapes.push_back(shape_of(file.mesh));
  }
  record.context.seed = request.seed;
  record.context.units = request.units;
  record.context.weights = weights;
  record.context.object_size = result.object_size;
  record.context.unit = result.fragments[0].unit;
  record.context.size_is_given = request.object_size.has_value();
  record.context.solve = result.solve;
  record.context.timing_ms = result.timing_ms;
  if (!trained) withdraw_confidence(record.assembly);
  if (request.constraints) {
    PMTR_TRY(record, replay_constraints(*request.constraints, std::move(record), listener));
  }
  record.context.peak_rss_mb = peak_rss_mb();
  return record;
}

Result<AssemblyRecord> assemble_files(std::span<const MeshFile> files, const ChosenWeights& weights,
                                      const AssembleRequest& request, Threads& threads,
                                      const Listener& listener, KeptWork* kept) {
  PMTR_TRY_STATUS(request.validate());
  std::vector<std::string> names;
  for (const MeshFile& file : files) names.push_back(file.path.string());
  AssembleOptions options = options_of(request, std::move(names));
  if (weights.encoder.options().norm_scope == NormScope::pair)
    options.match.registration = RegistrationOptions::reference();
  options.kept = kept;
  options.pairs.known = kept;
  PMTR_TRY(AssembleResult result,
           assemble_fragments(meshes_of(files), weights.encoder, options, threads, listener));
  return record_of(std::move(result), files, weights.name, weights.trained, request, listener);
}

}  // namespace pmtr
