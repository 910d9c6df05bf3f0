// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/evaluate_objects.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include "pmtr/core/threads.h"
#include "pmtr/evaluate/list_samples.h"
#include "pmtr/mesh/decimate.h"

namespace pmtr {
namespace {

/// What is known of the faces of the full mesh, for those that are left.
template <class Known>
void keep_known(std::vector<std::vector<Known>>& of_pieces, std::size_t piece,
                const std::vector<std::uint32_t>& was) {
  if (of_pieces.empty()) return;
  std::vector<Known> left;
  for (const std::uint32_t face : was) left.push_back(of_pieces[piece][face]);
  of_pieces[piece] = std::move(left);
}

void decimate_pieces(double share, ScatteredObject& object) {
  for (std::size_t i = 0; i < object.pieces.size(); ++i) {
    DecimatedMesh decimated = decimate_to_share(object.pieces[i], share);
    object.pieces[i] = std::move(decimated.mesh);
    keep_known(object.broken_faces, i, decimated.was);
    keep_known(object.partners, i, decimated.was);
  }
}

int share_of(int points, double share) { return std::max(2, static_cast<int>(std::lround(points * share))); }

}  // namespace

Result<SampleRecord> evaluate_sample(const ScatteredObject& object, const Assembler& assembler,
                                     const EvaluateOptions& options, Threads& threads,
                                     const Listener& listener) {
  AssemblyTask task{object, std::nullopt, share_of(options.points, object.area_share),
                    share_of(options.dense_points, object.area_share)};
  if (!options.estimate_size) task.object_size = object.object_size;
  // Only whether to stop: notes of a single sample would drown the rest.
  Listener quiet;
  quiet.cancelled = listener.cancelled;
  const auto began = std::chrono::steady_clock::now();
  PMTR_TRY(const AssembledSample assembled, assembler(task, threads, quiet));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (assembled.assembly.parts.size() != object.pieces.size())
    return error_at(object.path, Cause::mismatch, "the assembler did not return one part per piece");
  PMTR_TRY(SampleRecord record,
           record_sample(object, assembled.assembly, options.points, options.score(), threads));
  record.seconds = seconds;
  if (const auto& inliers = assembled.inliers) {
    if (inliers->superpoints > 0)
      record.coarse_inliers = static_cast<double>(inliers->right_superpoints) / inliers->superpoints;
    if (inliers->points > 0)
      record.fine_inliers = static_cast<double>(inliers->right_points) / inliers->points;
  }
  if (assembled.labels.size() == record.pieces.size()) {
    for (std::size_t i = 0; i < record.pieces.size(); ++i) record.pieces[i].labels = assembled.labels[i];
  }
  if (assembled.stages) {
    const auto losses = explain_losses(object, assembled.assembly, record.scores.parts, *assembled.stages);
    for (std::size_t i = 0; i < record.pieces.size(); ++i) record.pieces[i].loss = losses[i];
  }
  return record;
}

Result<Evaluation> evaluate_objects(const DatasetIndex& index, const ObjectCache& cache,
                                    const Assembler& assembler, const EvaluateOptions& options,
                                    Threads& threads, const Listener& listener) {
  PMTR_TRY_STATUS(options.validate());
  PMTR_TRY(SampleList list, list_samples(index, cache, options, listener));
  const std::vector<Sample>& samples = list.samples;
  if (samples.empty()) return error_at(index.root, Cause::empty, "no samples to evaluate");

  Evaluation evaluation;
  evaluation.failures = std::move(list.failures);
  evaluation.count_anchor = options.score().count_anchor;
  evaluation.config = describe(options);
  evaluation.config["data"] = index.root.string();
  evaluation.config["threads"] = std::to_string(threads.count());
  evaluation.config["side_by_side"] = options.one_by_one ? "1" : std::to_string(threads.count());

  const auto count = static_cast<std::int64_t>(samples.size());
  std::vector<std::optional<SampleRecord>> records(samples.size());
  std::mutex mutex;
  std::int64_t done = 0;
  const auto evaluate = [&](const Sample& sample) -> Result<SampleRecord> {
    PMTR_TRY(const BrokenObject broken, cache.read(index, *sample.object, *sample.fracture, listener));
    ScatteredObject scattered = scatter(broken, sample.pieces, options.seed);
    if (options.triangles < 1.0) decimate_pieces(options.triangles, scattered);
    if (options.points_only)
      scattered =
          as_clouds(std::move(scattered), options.cloud_points, options.cloud_points / 20, options.seed);
    return evaluate_sample(scattered, assembler, options, threads, listener);
  };
  const auto run = [&](std::int64_t i) {
    if (listener.stop()) return;
    const Sample& sample = samples[static_cast<std::size_t>(i)];
    const Result<SampleRecord> record = evaluate(sample);
    const std::lock_guard lock(mutex);
    if (record.ok()) {
      records[static_cast<std::size_t>(i)] = *record;
    } else if (record.error().cause == Cause::cancelled) {
      return;
    } else {
      listener.warn(record.error().text());
      const std::string fracture = sample.object->name + "/" + sample.fracture->name;
      evaluation.failures[sample_path(fracture, sample.pieces)] = record.error().text();
    }
    listener.advance("samples", ++done, count);
  };
  if (options.one_by_one) {
    for (std::int64_t i = 0; i < count; ++i) run(i);
  } else {
    run_tasks(threads, count, run);
  }
  for (auto& record : records) {
    if (record) evaluation.samples.push_back(std::move(*record));
  }
  evaluation.finished = done == count;
  return evaluation;
}

}  // namespace pmtr
