// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "eval_screening.h"

#include <array>
#include <chrono>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/file.h"
#include "pmtr/core/index.h"
#include "pmtr/evaluate/list_samples.h"
#include "pmtr/evaluate/scattered_object.h"
#include "pmtr/evaluate/screening_scores.h"
#include "pmtr/pipeline/assemble_fragments.h"
#include "pmtr/pipeline/densify_breaks.h"
#include "pmtr/pipeline/encode_fragments.h"
#include "pmtr/pipeline/match_pairs.h"
#include "pmtr/pipeline/sample_meshes.h"
#include "pmtr/pose/neighbour_score.h"
#include "thread_count.h"
#include "weights_choice.h"

namespace pmtr::command {
namespace {

constexpr std::array list_lengths = {3, 5, 10, 20};
/// Shares of the whole surface: a piece is large from here on.
constexpr double large_piece = 0.05;

/// The pieces of many objects.
struct Heap {
  std::vector<FragmentFeatures> features;
  std::vector<OrientedCloud> surfaces;
  std::vector<const ObjectFiles*> object;  ///< [piece]
  std::vector<int> sample;                 ///< [piece]
  std::vector<double> share;               ///< [piece] of its object's surface
  std::set<std::pair<int, int>> touching;
};

Status add_sample(const DatasetIndex& index, const ObjectCache& cache, const Sample& sample, int number,
                  const FragmentEncoder& encoder, const EvaluateOptions& options, Heap& heap,
                  Threads& threads) {
  PMTR_TRY(const BrokenObject broken, cache.read(index, *sample.object, *sample.fracture));
  const ScatteredObject object = scatter(broken, sample.pieces, options.seed);
  AssembleOptions how;
  how.object_size = object.object_size;
  how.sample.points = options.points;
  how.sample.dense_points = options.dense_points;
  // Fragments of many objects are compared, so all keep the size of theirs as the unit.
  how.unit_fragments = 0.0;
  const std::vector<const TriangleMesh*> meshes = pointers_to(object.pieces);
  PMTR_TRY(SampledMeshes sampled, sample_meshes(meshes, how, threads, {}));
  std::vector<FragmentClouds>& clouds = sampled.fragments;
  PMTR_TRY(std::vector<FragmentFeatures> features, encode_fragments(clouds, {}, encoder, threads, {}));
  PMTR_TRY_STATUS(
      densify_breaks(meshes, clouds, features, how.sample_of_all(), 0.0, how.seed, how.densify, threads));
  std::vector<OrientedCloud> surfaces = orient_fragments(clouds, features, how.oriented, threads);
  const auto first = static_cast<int>(heap.features.size());
  const double area = std::accumulate(object.areas.begin(), object.areas.end(), 0.0);
  for (std::size_t i = 0; i < features.size(); ++i) {
    heap.features.push_back(std::move(features[i]));
    heap.surfaces.push_back(std::move(surfaces[i]));
    heap.object.push_back(sample.object);
    heap.sample.push_back(number);
    heap.share.push_back(object.areas[i] / area);
  }
  for (const auto& [a, b] : object.adjacent) heap.touching.insert(std::minmax(first + a, first + b));
  return {};
}

/// Pieces of two fractures of one object overlap: neither neighbours nor strangers.
std::vector<ScreenedPair> pairs_of(const Heap& heap) {
  std::vector<ScreenedPair> pairs;
  const auto count = static_cast<int>(heap.features.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (heap.object[at(a)] == heap.object[at(b)] && heap.sample[at(a)] != heap.sample[at(b)]) continue;
      pairs.push_back({a, b, 0.0, heap.touching.contains({a, b})});
    }
  }
  return pairs;
}

nlohmann::ordered_json row(const char* name, std::span<const ScreenedPair> pairs, std::string& table) {
  const ScreeningScores scores = score_screening(pairs, list_lengths);
  std::set<int> pieces;
  int touching = 0;
  for (const ScreenedPair& pair : pairs) {
    pieces.insert({pair.a, pair.b});
    touching += pair.touch ? 1 : 0;
  }
  table +=
      fmt::format("| {} | {} | {} | {} | {:.4f} |", name, pieces.size(), pairs.size(), touching, scores.auc);
  nlohmann::ordered_json json = {
      {"pieces", pieces.size()}, {"pairs", pairs.size()}, {"touching", touching}, {"auc", scores.auc}};
  for (const auto& [length, recall] : scores.recall_at) {
    table += fmt::format(" {:.1f} |", 100.0 * recall);
    json[fmt::format("recall_at_{}", length)] = recall;
  }
  table += "\n";
  return json;
}

}  // namespace

Result<std::string> evaluate_screening(const EvalArguments& arguments, const Listener& listener) {
  const EvaluateOptions& options = arguments.options;
  PMTR_TRY_STATUS(options.validate());
  PMTR_TRY(const DatasetIndex index, list_dataset(arguments.inputs.front(), options.layout, listener));
  PMTR_TRY(const ChosenWeights weights, choose_weights(arguments.weights, options.seed, listener));
  if (!weights.encoder.options().break_cloud)
    return Error{
        Cause::unsupported, "--screening needs weights that match points of breaks (break_cloud)", {}};
  const ObjectCache cache(arguments.cache.value_or(""));
  Threads threads(thread_count(arguments.threads));
  PMTR_TRY(const SampleList list, list_samples(index, cache, options, listener));
  Heap heap;
  const auto samples = static_cast<std::int64_t>(list.samples.size());
  for (std::int64_t i = 0; i < samples; ++i) {
    if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
    PMTR_TRY_STATUS(add_sample(index, cache, list.samples[static_cast<std::size_t>(i)], static_cast<int>(i),
                               weights.encoder, options, heap, threads));
    listener.advance("encoding", i + 1, samples);
  }
  std::vector<ScreenedPair> pairs = pairs_of(heap);
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::pair<int, int>> asked;
  for (const ScreenedPair& pair : pairs) asked.emplace_back(pair.a, pair.b);
  const std::vector<MatchedPair> matched =
      match_pairs(heap.features, {}, asked, 0.0F, PairMatchOptions{}.for_breaks(true), threads, listener);
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  const std::vector<PairScore> scores = scores_of(matched, NeighbourScore(heap.surfaces, threads), threads);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].score = scores[i].score;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const double each_ms = 1e3 * seconds / static_cast<double>(std::max<std::size_t>(1, pairs.size()));

  std::vector<ScreenedPair> large;
  for (const ScreenedPair& pair : pairs) {
    if (std::min(heap.share[at(pair.a)], heap.share[at(pair.b)]) >= large_piece) large.push_back(pair);
  }
  std::string table = "| pieces | number | pairs | touching | AUC |";
  for (const int length : list_lengths) table += fmt::format(" neighbours in the first {} (%) |", length);
  table += "\n|---|---|---|---|---|";
  for (std::size_t i = 0; i < list_lengths.size(); ++i) table += "---|";
  table += "\n";
  nlohmann::ordered_json json = {
      {"weights", weights.name}, {"ms_per_pair", each_ms}, {"threads", threads.count()}};
  json["all"] = row("all", pairs, table);
  json["large"] = row("5 % of the surface and more", large, table);
  if (arguments.json) PMTR_TRY_STATUS(write_file(*arguments.json, json.dump(1) + "\n"));
  return table + fmt::format("\n{:.2f} ms per pair on {} threads\n", each_ms, threads.count());
}

}  // namespace pmtr::command
