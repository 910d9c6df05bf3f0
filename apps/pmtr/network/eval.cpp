// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "eval.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <mutex>

#include <fmt/format.h>

#include "console.h"
#include "eval_sheet.h"
#include "pmtr/core/file.h"
#include "pmtr/core/tasks.h"
#include "pmtr/dataset/training_pair.h"
#include "pmtr/evaluate/evaluation_tables.h"
#include "pmtr/evaluate/match_inliers.h"
#include "pmtr/mesh/decimate.h"
#include "pmtr/pipeline/assemble_fragments.h"
#include "progress_bar.h"
#include "thread_count.h"
#include "weights_choice.h"

namespace pmtr::command {
namespace {

/// What is to be put together: a fracture, or two of its pieces.
struct Sample {
  const ObjectFiles* object = nullptr;
  const FractureFiles* fracture = nullptr;
  std::vector<int> pieces;  ///< empty: all
};

struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

Result<Shard> parse_shard(const std::string& text) {
  Shard shard;
  if (text.empty()) return shard;
  const char* end = text.data() + text.size();
  const auto [slash, first] = std::from_chars(text.data(), end, shard.index);
  if (first == std::errc() && slash != end && *slash == '/') {
    const auto [stop, second] = std::from_chars(slash + 1, end, shard.count);
    if (second == std::errc() && stop == end && 1 <= shard.index && shard.index <= shard.count) {
      --shard.index;
      return shard;
    }
  }
  return Error{Cause::invalid_option,
               fmt::format("--shard {}: must be I/N with I from 1 to N, such as 2/4", text),
               {}};
}

Result<PoseSource> parse_pose(const std::string& text) {
  if (text == "matches") return PoseSource::matches;
  if (text == "surfaces") return PoseSource::surfaces;
  if (text == "both") return PoseSource::both;
  return Error{Cause::invalid_option, fmt::format("--pose {}: must be matches, surfaces or both", text), {}};
}

/// Fractures and pairs that are asked for, before shards.
Result<std::vector<Sample>> list_samples(const EvalArguments& arguments, const DatasetIndex& index,
                                         const ObjectCache& cache, Evaluation& evaluation,
                                         const Listener& listener) {
  PairOptions wanted;
  wanted.least_overlap = 0.03;
  std::vector<Sample> samples;
  std::int64_t done = 0;
  for (const ObjectFiles& object : index.objects) {
    for (const FractureFiles& fracture : object.fractures) {
      if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
      if (!arguments.pairs && !arguments.volume_constrained) {
        samples.push_back({&object, &fracture, {}});
        continue;
      }
      const auto broken = cache.read(index, object, fracture, listener);
      listener.advance("list", ++done, index.fractures());
      if (!broken.ok()) {
        evaluation.failures[object.name + "/" + fracture.name] = broken.error().text();
        continue;
      }
      if (arguments.volume_constrained && !volume_constrained(*broken)) continue;
      if (!arguments.pairs) {
        samples.push_back({&object, &fracture, {}});
        continue;
      }
      for (const MatingPair& pair : usable_pairs(*broken, wanted))
        samples.push_back({&object, &fracture, {pair.a, pair.b}});
    }
  }
  if (arguments.limit && samples.size() > static_cast<std::size_t>(*arguments.limit)) {
    const auto limit = static_cast<std::size_t>(*arguments.limit);
    std::vector<Sample> spread;
    for (std::size_t i = 0; i < limit; ++i) spread.push_back(samples[i * samples.size() / limit]);
    samples = std::move(spread);
  }
  return samples;
}

void decimate_pieces(double share, ScatteredObject& object) {
  constexpr std::size_t least = 50;  // a piece of less is no shape any more
  for (TriangleMesh& piece : object.pieces) {
    const double wanted = share * static_cast<double>(piece.faces.size());
    piece = decimate(piece, std::max(least, static_cast<std::size_t>(wanted)));
  }
}

Result<SampleRecord> evaluate_sample(const ScatteredObject& object, const FragmentEncoder& encoder,
                                     AssembleOptions options, bool estimate_size, Threads& threads,
                                     const Listener& listener) {
  const int whole_points = options.points;
  options.points = std::max(2, static_cast<int>(std::lround(options.points * object.area_share)));
  options.dense_points = std::max(2, static_cast<int>(std::lround(options.dense_points * object.area_share)));
  if (!estimate_size) options.object_size = object.object_size;
  MatchInliers inliers;
  std::mutex mutex;
  options.joints.matched = [&](int a, int b, const KnownFragment& source, const KnownFragment& target,
                               const PairMatches& matches) {
    if (std::find(object.adjacent.begin(), object.adjacent.end(), std::pair(a, b)) == object.adjacent.end())
      return;
    const Rigid3 a_from_b = object.world_from_piece[static_cast<std::size_t>(a)].inverse() *
                            object.world_from_piece[static_cast<std::size_t>(b)];
    constexpr double touching = 0.02;
    const MatchInliers own =
        count_inliers(*source.features, *target.features, matches,
                      to_network_units(a_from_b, *source.frame, *target.frame), touching);
    const std::lock_guard lock(mutex);
    inliers += own;
  };
  // Only whether to stop: notes of a single sample would drown the rest.
  Listener quiet;
  quiet.cancelled = listener.cancelled;
  const auto began = std::chrono::steady_clock::now();
  PMTR_TRY(const AssembleResult result, assemble_fragments(object.pieces, encoder, options, threads, quiet));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  PMTR_TRY(SampleRecord record, record_sample(object, result.assembly, whole_points, threads));
  record.seconds = seconds;
  if (inliers.nodes > 0) record.coarse_inliers = static_cast<double>(inliers.right_nodes) / inliers.nodes;
  if (inliers.points > 0) record.fine_inliers = static_cast<double>(inliers.right_points) / inliers.points;
  return record;
}

Result<Evaluation> evaluate_all(const EvalArguments& arguments, const DatasetIndex& index,
                                const ObjectCache& cache, Threads& threads, const Listener& listener) {
  PMTR_TRY(const Shard shard, parse_shard(arguments.shard));
  AssembleOptions options;
  PMTR_TRY(options.joints.source, parse_pose(arguments.pose));
  if (arguments.points) options.points = *arguments.points;
  if (arguments.dense_points) options.dense_points = *arguments.dense_points;
  options.point_noise = arguments.noise.value_or(0.0);
  if (arguments.triangles.value_or(1.0) > 1.0)
    return Error{Cause::invalid_option, "--triangles: a share of the triangles is at most 1", {}};
  options.seed = arguments.seed;
  options.surfaces.place_doubtful = !arguments.only_likely;
  PMTR_TRY(const ChosenWeights weights, choose_weights(arguments.weights, arguments.seed, listener));
  if (weights.encoder.options().norm_scope == NormScope::pair)
    options.joints.registration = RegistrationOptions::reference();

  Evaluation evaluation;
  PMTR_TRY(const std::vector<Sample> all, list_samples(arguments, index, cache, evaluation, listener));
  std::vector<Sample> samples;
  for (std::size_t i = shard.index; i < all.size(); i += shard.count) samples.push_back(all[i]);
  if (samples.empty())
    return Error{Cause::empty, "no samples to evaluate", {arguments.inputs.front().string(), {}, {}}};

  std::vector<std::optional<SampleRecord>> records(samples.size());
  std::mutex mutex;
  std::int64_t done = 0;
  const auto run = [&](std::int64_t i) {
    if (listener.stop()) return;
    const Sample& sample = samples[static_cast<std::size_t>(i)];
    const auto evaluated = [&]() -> Result<SampleRecord> {
      PMTR_TRY(const BrokenObject broken, cache.read(index, *sample.object, *sample.fracture, listener));
      ScatteredObject scattered = scatter(broken, sample.pieces, arguments.seed);
      if (arguments.triangles) decimate_pieces(*arguments.triangles, scattered);
      return evaluate_sample(scattered, weights.encoder, options, arguments.estimate_size, threads, listener);
    }();
    const std::lock_guard lock(mutex);
    if (evaluated.ok()) {
      records[static_cast<std::size_t>(i)] = *evaluated;
    } else if (evaluated.error().cause != Cause::cancelled) {
      listener.warn(evaluated.error().text());
      evaluation.failures[sample.object->name + "/" + sample.fracture->name] = evaluated.error().text();
    }
    listener.advance("samples", ++done, static_cast<std::int64_t>(samples.size()));
  };
  if (arguments.one_by_one) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(samples.size()); ++i) run(i);
  } else {
    run_tasks(threads, static_cast<std::int64_t>(samples.size()), run);
  }
  for (auto& record : records) {
    if (record) evaluation.samples.push_back(std::move(*record));
  }
  evaluation.finished = evaluation.samples.size() + evaluation.failures.size() >= samples.size();
  evaluation.config = {
      {"data", arguments.inputs.front().string()},
      {"weights", weights.name},
      {"split", arguments.split ? arguments.split->filename().string() : ""},
      {"samples", arguments.pairs ? "pairs" : "objects"},
      {"parts", fmt::format("{} to {}", arguments.min_parts.value_or(2), arguments.max_parts.value_or(20))},
      {"volume_constrained", arguments.volume_constrained ? "true" : "false"},
      {"limit", arguments.limit ? std::to_string(*arguments.limit) : ""},
      {"pose", arguments.pose},
      {"points", std::to_string(options.points)},
      {"dense_points", std::to_string(options.dense_points)},
      {"noise", fmt::format("{}", options.point_noise)},
      {"triangles", fmt::format("{}", arguments.triangles.value_or(1.0))},
      {"placed", arguments.only_likely ? "likely" : "all"},
      {"object_size", arguments.estimate_size ? "estimated" : "given"},
      {"seed", std::to_string(arguments.seed)},
      {"side_by_side", arguments.one_by_one ? "1" : std::to_string(threads.count())},
      {"threads", std::to_string(threads.count())}};
  if (!arguments.shard.empty()) evaluation.config["shard"] = arguments.shard;
  return evaluation;
}

Result<Evaluation> merge_files(std::span<const std::filesystem::path> files) {
  std::vector<Evaluation> shards;
  for (const auto& file : files) {
    PMTR_TRY(const std::vector<std::byte> bytes, read_file(file));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    PMTR_TRY(Evaluation shard, parse_evaluation(text, file.string()));
    shards.push_back(std::move(shard));
  }
  return merge_evaluations(shards);
}

/// Numbers first: they took the time.
Result<int> write_results(const EvalArguments& arguments, const Evaluation& evaluation) {
  if (arguments.json) PMTR_TRY_STATUS(write_file(*arguments.json, format_evaluation(evaluation)));
  const std::string tables = markdown_tables(evaluation);
  if (arguments.markdown) PMTR_TRY_STATUS(write_file(*arguments.markdown, tables));
  if (arguments.latex) PMTR_TRY_STATUS(write_file(*arguments.latex, latex_tables(evaluation)));
  if (const int code = print(tables); code != exit_code::done) return code;
  for (const auto& [sample, reason] : evaluation.failures)
    warn(fmt::format("left out: {}: {}", sample, reason));
  if (!evaluation.finished) {
    warn(fmt::format("stopped: {} samples are finished, the others are missing", evaluation.samples.size()));
    return exit_code::failed;
  }
  return evaluation.failures.empty() ? exit_code::done : exit_code::bad_input;
}

Result<int> evaluate(const EvalArguments& arguments) {
  if (arguments.inputs.front() == "merge") {
    if (arguments.inputs.size() < 2)
      return Error{Cause::invalid_option, "merge: give the JSON files of the shards", {}};
    PMTR_TRY(const Evaluation merged, merge_files(std::span(arguments.inputs).subspan(1)));
    return write_results(arguments, merged);
  }
  if (arguments.inputs.size() > 1)
    return Error{Cause::invalid_option, "give one dataset, or 'merge' and files of shards", {}};
  Threads threads(thread_count(arguments.threads));
  const ObjectCache cache(arguments.cache.value_or(""));
  Evaluation evaluation;
  Status drawn;
  {
    ProgressBar bar;
    const Listener listener = bar.listener();
    LayoutOptions layout;
    layout.split = arguments.split;
    layout.skip_missing = arguments.skip_missing;
    layout.min_parts = arguments.min_parts.value_or(2);
    layout.max_parts = arguments.max_parts.value_or(20);
    PMTR_TRY(const DatasetIndex index, list_dataset(arguments.inputs.front(), layout, listener));
    PMTR_TRY(evaluation, evaluate_all(arguments, index, cache, threads, listener));
    if (arguments.picture && evaluation.finished)
      drawn = write_eval_sheet(evaluation, index, cache, *arguments.picture, threads, listener);
  }
  PMTR_TRY(const int code, write_results(arguments, evaluation));
  PMTR_TRY_STATUS(drawn);
  return code;
}

}  // namespace

int run_eval(const EvalArguments& arguments) {
  const Result<int> result = evaluate(arguments);
  if (result.ok()) return *result;
  if (result.error().cause == Cause::invalid_option) {
    complain(result.error().text());
    return exit_code::usage;
  }
  return report(result.error());
}

}  // namespace pmtr::command
