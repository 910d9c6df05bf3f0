// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/core/index.h"
#include "pmtr/pipeline/densify_breaks.h"
#include "pmtr/pipeline/encode_fragments.h"
#include "pmtr/pipeline/project_files.h"
#include "pmtr/pipeline/project_stages.h"
#include "pmtr/pipeline/usable_scans.h"
#include "pmtr/pose/neighbour_score.h"

namespace pmtr {
namespace {

/// A fragment as assemble_fragments would encode it among all the others.
Result<EncodedFragment> encode_scan(const Project& project, int number, const FragmentEncoder& encoder,
                                    Threads& threads, const Listener& listener) {
  const ProjectFragment& known = project.fragments[at(number)];
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(known.file));
  if (bytes.size() != known.bytes || digest_of(bytes) != known.digest)
    return error_at(known.file, Cause::mismatch,
                    "is not the file that the project was begun with: it has changed");
  PMTR_TRY(const MeshFile file, read_mesh_file(known.file));
  const AssembleOptions options = options_of(request_of(project), {known.file});
  const std::vector<const TriangleMesh*> given{&file.mesh};
  PMTR_TRY(const UsableScans scans, make_usable(given, options, threads, listener));
  const TriangleMesh& surface = *scans.surfaces()[0];
  const auto stream = static_cast<std::uint64_t>(number);
  EncodedFragment encoded;
  PMTR_TRY(encoded.clouds, sample_fragment(surface, project.share_of(known), project.unit(),
                                           options.sample_of_all(), Random(options.seed, stream)));
  encoded.clouds.object_size = project.object_size / project.unit();
  PMTR_TRY(std::vector<FragmentFeatures> features,
           encode_fragments(std::span(&encoded.clouds, 1), {}, encoder, threads, listener));
  encoded.features = std::move(features[0]);
  PMTR_TRY_STATUS(densify_break(surface, encoded.clouds, encoded.features,
                                scar_area(project.first_areas(), options.densify), options.sample_of_all(),
                                options.point_noise, options.seed, stream, options.densify));
  return encoded;
}

/// The fragments of two blocks one after another, and what a number of the project is among them.
struct TwoBlocks {
  std::vector<FragmentFeatures> features;
  Block first;
  Block second;

  int local(int fragment) const {
    return fragment < first.end ? fragment - first.begin : first.size() + fragment - second.begin;
  }
  /// What the fragments are numbered in the project.
  std::vector<int> numbers() const {
    std::vector<int> result;
    for (int i = first.begin; i < first.end; ++i) result.push_back(i);
    for (int i = second.begin; i < second.end && second.begin != first.begin; ++i) result.push_back(i);
    return result;
  }
  std::vector<std::pair<int, int>> local(std::span<const std::pair<int, int>> pairs) const {
    std::vector<std::pair<int, int>> result;
    for (const auto& [a, b] : pairs) result.emplace_back(local(a), local(b));
    return result;
  }
};

Result<TwoBlocks> load_two(LoadedBlocks& loaded, const Project& project, const BlockPair& pair) {
  PMTR_TRY(const auto fragments, loaded.of(pair));
  TwoBlocks two;
  two.first = project.blocks[at(pair.first)];
  two.second = project.blocks[at(pair.second)];
  const auto take = [&](const std::vector<EncodedFragment>& some) {
    for (const EncodedFragment& one : some) two.features.push_back(one.features);
  };
  take(*fragments.first);
  if (pair.second != pair.first) take(*fragments.second);
  return two;
}

/// Fragments made ready to look at their surfaces: only those that are asked for, and each once where there
/// are not too many. Of a thousand fragments there are thousands of pairs of blocks, with few likely pairs
/// each.
class OrientedFragments {
 public:
  OrientedFragments(const Project& project, const OrientedCloudOptions& options)
      : project_(project), options_(options) {}

  /// Of these fragments (ascending) of a pair of blocks. Blocks before its first are not asked for again.
  std::vector<std::shared_ptr<const OrientedCloud>> of(
      std::span<const int> wanted, const BlockPair& pair,
      const std::pair<LoadedBlocks::Fragments, LoadedBlocks::Fragments>& loaded, Threads& threads) {
    const Block& first = project_.blocks[at(pair.first)];
    const Block& second = project_.blocks[at(pair.second)];
    known_.erase(known_.begin(), known_.lower_bound(first.begin));
    std::vector<FragmentClouds> clouds;
    std::vector<FragmentFeatures> features;
    for (const int fragment : wanted) {
      if (known_.contains(fragment)) continue;
      const EncodedFragment& encoded = fragment < first.end ? (*loaded.first)[at(fragment - first.begin)]
                                                            : (*loaded.second)[at(fragment - second.begin)];
      clouds.push_back(encoded.clouds);
      features.push_back(encoded.features);
    }
    std::vector<OrientedCloud> fresh = orient_fragments(clouds, features, options_, threads);
    std::vector<std::shared_ptr<const OrientedCloud>> result;
    std::size_t next = 0;
    for (const int fragment : wanted) {
      const auto found = known_.find(fragment);
      if (found != known_.end()) {
        result.push_back(found->second);
        continue;
      }
      result.push_back(std::make_shared<const OrientedCloud>(std::move(fresh[next++])));
      if (known_.size() < most_known) known_.emplace(fragment, result.back());
    }
    return result;
  }

 private:
  /// A gigabyte and a half.
  static constexpr std::size_t most_known = 1024;

  const Project& project_;
  const OrientedCloudOptions& options_;
  std::map<int, std::shared_ptr<const OrientedCloud>> known_;
};

std::vector<const OrientedCloud*> pointers_to(
    std::span<const std::shared_ptr<const OrientedCloud>> surfaces) {
  std::vector<const OrientedCloud*> pointers;
  for (const auto& surface : surfaces) pointers.push_back(surface.get());
  return pointers;
}

/// The fragments of these pairs, ascending.
std::vector<int> fragments_of(std::span<const std::pair<int, int>> pairs) {
  std::set<int> fragments;
  for (const auto& [a, b] : pairs) fragments.insert({a, b});
  return {fragments.begin(), fragments.end()};
}

/// The same pairs by their places among these fragments.
std::vector<std::pair<int, int>> places_of(std::span<const std::pair<int, int>> pairs,
                                           std::span<const int> fragments) {
  const auto place = [&](int fragment) {
    return static_cast<int>(std::lower_bound(fragments.begin(), fragments.end(), fragment) -
                            fragments.begin());
  };
  std::vector<std::pair<int, int>> places;
  for (const auto& [a, b] : pairs) places.emplace_back(place(a), place(b));
  return places;
}

/// The progress of a stage is that of its files, not of what is done for one of them.
Listener without_progress(const Listener& listener) {
  Listener quiet = listener;
  quiet.progress = nullptr;
  return quiet;
}

Error stopped_shard() { return {Cause::cancelled, "stopped", {}}; }

}  // namespace

Result<StageWork> encode_shard(const ProjectFolder& folder, const Project& project, const Shard& shard,
                               Threads& threads, const Listener& listener) {
  const auto [begin, end] = range_of(shard, static_cast<int>(project.fragments.size()));
  std::vector<int> missing;
  for (int i = begin; i < end; ++i) {
    if (!is_kept(folder.fragment_file(project, i), KeptKind::fragment)) missing.push_back(i);
  }
  const auto made = static_cast<int>(missing.size());
  const StageWork work{made, end - begin - made, made};
  if (missing.empty()) return work;
  PMTR_TRY_STATUS(folder.make_folders());
  const auto weights = folder.weights_file(project);
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(weights));
  if (digest_of(bytes) != project.weights_digest)
    return error_at(weights, Cause::mismatch, "are not the weights that the project was begun with");
  PMTR_TRY(const FragmentEncoder encoder, load_encoder(weights));
  Listener quiet = without_progress(listener);
  quiet.warning = nullptr;  // what is wrong with a scan was said when it was measured
  std::vector<Status> states(missing.size());
  run_with_progress(
      threads, static_cast<std::int64_t>(missing.size()), "encode", listener, [&](std::int64_t task) {
        const auto k = static_cast<std::size_t>(task);
        const auto encoded = encode_scan(project, missing[k], encoder, threads, quiet);
        states[k] = encoded.ok()
                        ? write_file(folder.fragment_file(project, missing[k]), format_fragment(*encoded))
                        : Status(encoded.error());
      });
  for (const Status& state : states) PMTR_TRY_STATUS(state);
  if (listener.stop()) return stopped_shard();
  return work;
}

Result<StageWork> match_shard(const ProjectFolder& folder, const Project& project, const Shard& shard,
                              Threads& threads, const Listener& listener) {
  const std::vector<BlockPair> all = block_pairs(static_cast<int>(project.blocks.size()));
  std::vector<double> costs;
  for (const BlockPair& pair : all)
    costs.push_back(static_cast<double>(
        pairs_between(project.blocks[at(pair.first)], project.blocks[at(pair.second)]).size()));
  const auto [begin, end] = range_of(shard, costs);
  const AssembleOptions options = options_of(request_of(project), {});
  const PairMatchOptions match = options.match.for_breaks(true);
  const Listener quiet = without_progress(listener);
  LoadedBlocks loaded(folder, project);
  OrientedFragments oriented(project, options.oriented);
  StageWork work;
  for (int i = begin; i < end; ++i) {
    const BlockPair& pair = all[at(i)];
    const auto matches_file = folder.matches_file(project, pair);
    const auto scores_file = folder.scores_file(project, pair);
    listener.advance("match", i - begin, end - begin);
    if (is_kept(matches_file, KeptKind::matches) && is_kept(scores_file, KeptKind::scores)) {
      ++work.kept;
      continue;
    }
    PMTR_TRY(const TwoBlocks two, load_two(loaded, project, pair));
    const auto pairs = pairs_between(two.first, two.second);
    const std::vector<MatchedPair> matched =
        match_pairs(two.features, {}, two.local(pairs), 0.0F, match, threads, quiet);
    if (listener.stop()) return stopped_shard();
    PMTR_TRY(const auto fragments, loaded.of(pair));
    const auto surfaces = oriented.of(two.numbers(), pair, fragments, threads);
    const NeighbourScore neighbours(pointers_to(surfaces), threads);
    const std::vector<PairScore> scores = scores_of(matched, neighbours, threads);
    std::vector<KeptMatches> kept;
    std::vector<KeptScore> kept_scores;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto& [a, b] = pairs[k];
      kept.push_back({a, b, matched[k].mutual, matched[k].frame_poses});
      kept_scores.push_back({a, b, scores[k].score, scores[k].compared});
    }
    // The scores last: where they are, the matches are.
    PMTR_TRY_STATUS(write_file(matches_file, format_matches(kept)));
    PMTR_TRY_STATUS(write_file(scores_file, format_scores(kept_scores)));
    ++work.made;
    work.items += static_cast<std::int64_t>(pairs.size());
  }
  listener.advance("match", end - begin, end - begin);
  return work;
}

Result<StageWork> search_shard(const ProjectFolder& folder, const Project& project, const Shard& shard,
                               Threads& threads, const Listener& listener) {
  PMTR_TRY(const auto likely, likely_pairs_of(folder, project));
  const std::vector<BlockPair> all = block_pairs(static_cast<int>(project.blocks.size()));
  std::vector<std::vector<std::pair<int, int>>> within;
  std::vector<double> costs;
  for (const BlockPair& pair : all) {
    within.push_back(pairs_within(likely, project.blocks[at(pair.first)], project.blocks[at(pair.second)]));
    costs.push_back(static_cast<double>(within.back().size()));
  }
  const auto [begin, end] = range_of(shard, costs);
  const AssembleOptions options = options_of(request_of(project), {});
  const PairSearchOptions look = options.pair_search(static_cast<int>(project.fragments.size()), true);
  const Listener quiet = without_progress(listener);
  LoadedBlocks loaded(folder, project);
  OrientedFragments oriented(project, options.oriented);
  StageWork work;
  for (int i = begin; i < end; ++i) {
    listener.advance("search", i - begin, end - begin);
    const std::vector<std::pair<int, int>>& pairs = within[at(i)];
    if (pairs.empty()) continue;
    const auto file = folder.candidates_file(project, all[at(i)], pairs);
    if (is_kept(file, KeptKind::candidates)) {
      ++work.kept;
      continue;
    }
    PMTR_TRY(const std::vector<KeptMatches> matches, read_matches(folder, project, all[at(i)]));
    std::vector<std::vector<Rigid3>> hints;
    for (const auto& pair : pairs) {
      const auto of_pair = std::lower_bound(
          matches.begin(), matches.end(), pair,
          [](const KeptMatches& one, const auto& wanted) { return std::pair(one.a, one.b) < wanted; });
      hints.emplace_back();
      for (const FramePose& pose : of_pair->poses) hints.back().push_back(pose.a_from_b);
    }
    PMTR_TRY(const auto two, loaded.of(all[at(i)]));
    const std::vector<int> wanted = fragments_of(pairs);
    std::vector<OrientedCloud> surfaces;
    for (const auto& surface : oriented.of(wanted, all[at(i)], two, threads)) surfaces.push_back(*surface);
    std::vector<PairCandidates> seen =
        look_at_hints(surfaces, places_of(pairs, wanted), hints, look, threads, quiet);
    if (listener.stop()) return stopped_shard();
    for (std::size_t k = 0; k < pairs.size(); ++k) std::tie(seen[k].a, seen[k].b) = pairs[k];
    PMTR_TRY_STATUS(write_file(file, format_candidates(seen)));
    ++work.made;
    work.items += static_cast<std::int64_t>(pairs.size());
  }
  listener.advance("search", end - begin, end - begin);
  return work;
}

}  // namespace pmtr
