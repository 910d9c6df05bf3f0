// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/core/index.h"
#include "pmtr/formats/json_fields.h"
#include "pmtr/pipeline/encode_fragments.h"
#include "pmtr/pipeline/project_files.h"
#include "pmtr/pipeline/project_stages.h"

namespace pmtr {
namespace {

/// As match_pairs gives them.
MatchedPair as_matched(KeptMatches kept) {
  MatchedPair pair;
  pair.a = kept.a;
  pair.b = kept.b;
  pair.mutual = std::move(kept.mutual);
  for (const FramePose& pose : kept.poses) pair.poses.push_back(pose.a_from_b);
  pair.frame_poses = std::move(kept.poses);
  return pair;
}

bool fits_features(const MatchedPair& pair, std::span<const FragmentFeatures> features) {
  const auto count = [&](int i) { return static_cast<std::int64_t>(features[at(i)].points.size()); };
  return std::all_of(pair.mutual.begin(), pair.mutual.end(), [&](const RowMatch& match) {
    return match.a < count(pair.a) && match.b < count(pair.b);
  });
}

template <class Pair>
bool before(const Pair& x, const Pair& y) {
  return std::pair(x.a, x.b) < std::pair(y.a, y.b);
}

Result<std::vector<MatchedPair>> read_all_matches(const ProjectFolder& folder, const Project& project,
                                                  std::span<const FragmentFeatures> features) {
  std::vector<MatchedPair> matched;
  for (const BlockPair& pair : block_pairs(static_cast<int>(project.blocks.size()))) {
    PMTR_TRY(std::vector<KeptMatches> some, read_matches(folder, project, pair));
    for (KeptMatches& one : some) {
      matched.push_back(as_matched(std::move(one)));
      if (!fits_features(matched.back(), features))
        return error_at(folder.matches_file(project, pair), Cause::mismatch,
                        "matches points that are not there");
    }
  }
  std::sort(matched.begin(), matched.end(), before<MatchedPair>);
  return matched;
}

Result<std::vector<PairCandidates>> read_all_candidates(const ProjectFolder& folder, const Project& project) {
  PMTR_TRY(const auto likely, likely_pairs_of(folder, project));
  std::vector<PairCandidates> seen;
  for (const BlockPair& pair : block_pairs(static_cast<int>(project.blocks.size()))) {
    const auto pairs = pairs_within(likely, project.blocks[at(pair.first)], project.blocks[at(pair.second)]);
    if (pairs.empty()) continue;
    const auto file = folder.candidates_file(project, pair, pairs);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
      return error_at(file, Cause::empty, "is not there yet: pmtr project search makes it");
    PMTR_TRY(const auto bytes, read_file(file));
    PMTR_TRY(std::vector<PairCandidates> some, parse_candidates(bytes, file.string()));
    seen.insert(seen.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  std::sort(seen.begin(), seen.end(), before<PairCandidates>);
  const bool same =
      std::equal(seen.begin(), seen.end(), likely.begin(), likely.end(),
                 [](const PairCandidates& a, const auto& b) { return std::pair(a.a, a.b) == b; });
  if (!same) return error_at(folder.path(), Cause::mismatch, "has candidates of other pairs");
  return seen;
}

Result<std::vector<MeshFile>> read_sources(const Project& project) {
  std::vector<MeshFile> files;
  for (const ProjectFragment& fragment : project.fragments) {
    PMTR_TRY(const auto bytes, read_file(fragment.file));
    if (bytes.size() != fragment.bytes || digest_of(bytes) != fragment.digest)
      return error_at(fragment.file, Cause::mismatch,
                      "is not the file that the project was begun with: it has changed");
    PMTR_TRY(MeshFile file, read_mesh_file(fragment.file));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

Result<AssemblyRecord> solve_project(const ProjectFolder& folder, const Project& project, bool place_all,
                                     bool only_confirmed, std::vector<MeshFile>& files, Threads& threads,
                                     const Listener& listener) {
  AssembleRequest request = request_of(project);
  request.place_all = place_all;
  request.only_confirmed = only_confirmed;
  PMTR_TRY_STATUS(request.validate());
  const AssembleOptions options = options_of(request, {});
  std::map<std::string, double> timing_ms;
  StageClock clock(timing_ms);
  AssembleResult begun;
  begun.object_size = project.object_size;
  const auto count = static_cast<int>(project.fragments.size());
  for (int i = 0; i < count; ++i) {
    listener.advance("read", i, count);
    PMTR_TRY(EncodedFragment fragment, read_fragment(folder, project, i));
    begun.fragments.push_back(std::move(fragment.clouds));
    begun.features.push_back(std::move(fragment.features));
  }
  PMTR_TRY(begun.matched, read_all_matches(folder, project, begun.features));
  PMTR_TRY(const std::vector<PairCandidates> seen, read_all_candidates(folder, project));
  PMTR_TRY(files, read_sources(project));
  listener.advance("read", count, count);
  clock.ended("read");
  begun.surfaces = orient_fragments(begun.fragments, begun.features, options.oriented, threads);
  clock.ended("orient");
  PMTR_TRY(AssembleResult result, assemble_matched(std::move(begun), seen, options.match.for_breaks(true),
                                                   options, clock, threads, listener));
  result.timing_ms = std::move(timing_ms);
  return record_of(std::move(result), files, project.weights, true, request, listener);
}

Result<ProjectStatus> project_status(const ProjectFolder& folder, const Project& project) {
  const auto there = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
  };
  ProjectStatus status;
  status.fragments = static_cast<int>(project.fragments.size());
  for (int i = 0; i < status.fragments; ++i)
    status.encoded += there(folder.fragment_file(project, i)) ? 1 : 0;
  const std::vector<BlockPair> pairs = block_pairs(static_cast<int>(project.blocks.size()));
  status.blocks = static_cast<int>(pairs.size());
  for (const BlockPair& pair : pairs)
    status.matched +=
        there(folder.matches_file(project, pair)) && there(folder.scores_file(project, pair)) ? 1 : 0;
  if (status.matched == status.blocks) {
    PMTR_TRY(const auto likely, likely_pairs_of(folder, project));
    status.searches = status.searched = 0;
    for (const BlockPair& pair : pairs) {
      const auto within =
          pairs_within(likely, project.blocks[at(pair.first)], project.blocks[at(pair.second)]);
      if (within.empty()) continue;
      ++*status.searches;
      *status.searched += there(folder.candidates_file(project, pair, within)) ? 1 : 0;
    }
  }
  if (there(folder.solved_file())) {
    PMTR_TRY(const auto bytes, read_file(folder.solved_file()));
    const std::string file = folder.solved_file().string();
    PMTR_TRY(const json_fields::Json json, json_fields::parse(as_text(bytes), file));
    PMTR_TRY(const std::string key, json_fields::text(json, "project", {file, ""}));
    status.solved = key == project_key(project);
  }
  return status;
}

Status mark_solved(const ProjectFolder& folder, const Project& project,
                   const std::filesystem::path& results) {
  json_fields::Json json;
  json["project"] = project_key(project);
  json["results"] = results.string();
  return write_file(folder.solved_file(), json.dump(1) + "\n");
}

}  // namespace pmtr
