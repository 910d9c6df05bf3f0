// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/project_files.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/core/index.h"
#include "pmtr/pipeline/assemble_files.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr {
namespace {

/// A file that a stage before should have made.
Result<std::vector<std::byte>> read_kept(const std::filesystem::path& file, const char* stage) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored))
    return error_at(file, Cause::empty, fmt::format("is not there yet: pmtr project {} makes it", stage));
  return read_file(file);
}

/// A damaged file is made again by the stage that made it.
template <class T>
Result<T> or_advice(Result<T> result, const char* stage) {
  if (result.ok()) return result;
  Error error = result.error();
  error.message += fmt::format("; pmtr project {} makes it again", stage);
  return error;
}

}  // namespace

Result<FragmentEncoder> load_encoder(const std::filesystem::path& weights) {
  PMTR_TRY(WeightFile file, read_weights(weights));
  strip_common_prefix(file);
  return FragmentEncoder::load(file, weights.string());
}

AssembleRequest request_of(const Project& project) {
  AssembleRequest request;
  request.seed = project.seed;
  request.points = project.points;
  request.objects = project.objects;
  request.units = project.units;
  if (project.size_is_given) request.object_size = project.object_size;
  return request;
}

bool is_kept(const std::filesystem::path& file, KeptKind kind) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return false;
  const auto bytes = read_file(file);
  return bytes.ok() && unseal_kept(*bytes, kind, file.string()).ok();
}

Result<EncodedFragment> read_fragment(const ProjectFolder& folder, const Project& project, int fragment) {
  const auto file = folder.fragment_file(project, fragment);
  PMTR_TRY(const auto bytes, read_kept(file, "encode"));
  return or_advice(parse_fragment(bytes, file.string()), "encode");
}

Result<std::vector<KeptMatches>> read_matches(const ProjectFolder& folder, const Project& project,
                                              const BlockPair& pair) {
  const auto file = folder.matches_file(project, pair);
  PMTR_TRY(const auto bytes, read_kept(file, "match"));
  PMTR_TRY(std::vector<KeptMatches> matches, or_advice(parse_matches(bytes, file.string()), "match"));
  const auto expected = pairs_between(project.blocks[at(pair.first)], project.blocks[at(pair.second)]);
  const bool same = std::equal(matches.begin(), matches.end(), expected.begin(), expected.end(),
                               [](const KeptMatches& a, const auto& b) { return std::pair(a.a, a.b) == b; });
  if (!same) return error_at(file, Cause::mismatch, "has the matches of other pairs");
  return matches;
}

Result<std::vector<std::pair<int, int>>> likely_pairs_of(const ProjectFolder& folder,
                                                         const Project& project) {
  const auto count = static_cast<int>(project.fragments.size());
  const std::vector<std::pair<int, int>> all = all_pairs(count);
  std::vector<PairScore> scores;
  for (const BlockPair& pair : block_pairs(static_cast<int>(project.blocks.size()))) {
    const auto file = folder.scores_file(project, pair);
    PMTR_TRY(const auto bytes, read_kept(file, "match"));
    PMTR_TRY(const std::vector<KeptScore> some, or_advice(parse_scores(bytes, file.string()), "match"));
    for (const KeptScore& one : some) scores.push_back({one.a, one.b, one.score, one.compared});
  }
  // In the order of all pairs: of two that score the same, the first is taken.
  std::sort(scores.begin(), scores.end(),
            [](const PairScore& x, const PairScore& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
  const bool complete =
      std::equal(scores.begin(), scores.end(), all.begin(), all.end(),
                 [](const PairScore& a, const auto& b) { return std::pair(a.a, a.b) == b; });
  if (!complete) return error_at(folder.path(), Cause::mismatch, "has the scores of other pairs");
  const AssembleOptions options = options_of(request_of(project), {});
  return likely_pairs(all, scores, count, options.match.partners);
}

std::vector<std::pair<int, int>> pairs_within(std::span<const std::pair<int, int>> pairs, const Block& first,
                                              const Block& second) {
  std::vector<std::pair<int, int>> within;
  const auto is_in = [](int i, const Block& block) { return i >= block.begin && i < block.end; };
  for (const auto& pair : pairs) {
    if (is_in(pair.first, first) && is_in(pair.second, second)) within.push_back(pair);
  }
  return within;
}

Result<LoadedBlocks::Fragments> LoadedBlocks::load(int block) const {
  if (const auto found = loaded_.find(block); found != loaded_.end()) return found->second;
  auto fragments = std::make_shared<std::vector<EncodedFragment>>();
  for (int i = project_.blocks[at(block)].begin; i < project_.blocks[at(block)].end; ++i) {
    PMTR_TRY(EncodedFragment fragment, read_fragment(folder_, project_, i));
    fragments->push_back(std::move(fragment));
  }
  return Fragments(std::move(fragments));
}

Result<std::pair<LoadedBlocks::Fragments, LoadedBlocks::Fragments>> LoadedBlocks::of(const BlockPair& pair) {
  PMTR_TRY(Fragments first, load(pair.first));
  PMTR_TRY(Fragments second, pair.second == pair.first ? Result<Fragments>(first) : load(pair.second));
  loaded_ = {{pair.first, first}, {pair.second, second}};
  return std::pair(std::move(first), std::move(second));
}

}  // namespace pmtr
