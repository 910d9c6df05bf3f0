// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/training_data.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "pmtr/core/file.h"
#include "pmtr/core/stable_hash.h"
#include "pmtr/dataset/generated_source.h"
#include "pmtr/dataset/pair_sampler.h"
#include "pmtr/dataset/recorded_source.h"
#include "pmtr/dataset/refractured_source.h"

namespace pmtr {
namespace {

/// Validation pairs are the same in every run.
constexpr std::uint64_t validation_seed = 0x76616cU;

/// Of the shape's own name: the same shape under two categories stays on one side.
std::uint64_t shape_hash(const std::string& object) {
  return stable_hash(std::string_view(object).substr(object.find_last_of('/') + 1));
}

LayoutOptions layout_of(const DataOptions& data) {
  LayoutOptions layout;
  layout.min_parts = data.min_parts;
  layout.max_parts = data.max_parts;
  return layout;
}

}  // namespace

Result<TrainingObjects> list_training_objects(const TrainingFolders& folders, const DataOptions& data,
                                              const Listener& listener) {
  LayoutOptions layout = layout_of(data);
  layout.skip_missing = folders.skip_missing;
  layout.split = folders.split;
  TrainingObjects objects;
  PMTR_TRY(objects.learnt, list_dataset(folders.data, layout, listener));
  if (folders.validation) {
    layout.split = folders.validation;
    PMTR_TRY(objects.validation, list_dataset(folders.data, layout, listener));
    std::set<std::string> held_out;
    for (const ObjectFiles& object : objects.validation.objects) held_out.insert(object.name);
    std::erase_if(objects.learnt.objects,
                  [&](const ObjectFiles& object) { return held_out.contains(object.name); });
  } else if (data.validation_one_in > 0) {
    objects.validation = objects.learnt;
    const auto held_out = [&](const ObjectFiles& object) {
      return shape_hash(object.name) % static_cast<std::uint64_t>(data.validation_one_in) == 0;
    };
    std::erase_if(objects.learnt.objects, held_out);
    std::erase_if(objects.validation.objects, [&](const ObjectFiles& object) { return !held_out(object); });
  }
  if (objects.learnt.objects.empty())
    return Error{Cause::empty, "no objects to learn from", {folders.data.string(), {}, {}}};
  return objects;
}

Result<std::vector<WeightedSource>> training_sources(const TrainingFolders& folders, const DataOptions& data,
                                                     const DatasetIndex& learnt, const ObjectCache& cache,
                                                     const Listener& listener) {
  std::vector<WeightedSource> sources;
  sources.push_back(
      {std::make_shared<RecordedSource>(learnt, cache, data.least_volume_share), data.recorded});
  if (data.refractured > 0.0) {
    if (!folders.cells)
      return Error{Cause::invalid_option, "data.refractured is above 0: give the folder of --cells", {}};
    std::vector<std::string> names;
    for (const ObjectFiles& object : learnt.objects) names.push_back(object.name);
    RefractureSourceOptions options;
    options.min_pieces = data.min_parts;
    options.max_pieces = data.max_parts;
    options.by_logarithm = true;
    PMTR_TRY(auto source, RefracturedSource::open(*folders.cells, names, options));
    sources.push_back({std::move(source), data.refractured});
  }
  if (data.generated > 0.0) {
    if (folders.generated) {
      PMTR_TRY(DatasetIndex index, list_dataset(*folders.generated, layout_of(data), listener));
      sources.push_back(
          {std::make_shared<RecordedSource>(std::move(index), ObjectCache({})), data.generated});
    } else {
      GeneratedSourceOptions options;
      options.min_pieces = data.min_parts;
      options.max_pieces = std::min(data.max_parts, options.max_pieces);
      PMTR_TRY(auto source, GeneratedSource::create(options));
      sources.push_back({std::move(source), data.generated});
    }
  }
  return sources;
}

Result<std::vector<TrainingPair>> validation_pairs(const DatasetIndex& held_out, const ObjectCache& cache,
                                                   const TrainConfig& config, const Listener& listener) {
  std::vector<TrainingPair> pairs;
  if (held_out.objects.empty() || config.train.validate_every == 0) return pairs;
  PairOptions options = config.data.pairs;
  options.noise = options.scale_jitter = options.decimated = options.points_only = 0.0;
  options.least_overlap = std::max(options.least_overlap, comparable_overlap);
  PMTR_TRY(const PairSampler sampler,
           PairSampler::create({{std::make_shared<RecordedSource>(held_out, cache), 1.0}}, options,
                               validation_seed));
  for (int i = 0; i < config.train.validation_pairs; ++i) {
    PMTR_TRY(TrainingPair pair, sampler.make_pair(static_cast<std::uint64_t>(i)));
    pairs.push_back(std::move(pair));
    listener.advance("validation pairs", i + 1, config.train.validation_pairs);
  }
  return pairs;
}

Status write_held_out(const DatasetIndex& held_out, const std::filesystem::path& file) {
  if (held_out.objects.empty()) return {};
  std::error_code ignored;  // a folder that cannot be made shows when the file is written
  std::filesystem::create_directories(file.parent_path(), ignored);
  std::string text;
  for (const ObjectFiles& object : held_out.objects) text += object.name + "\n";
  return write_file(file, text);
}

std::string resume_description(const TrainConfig& config) {
  TrainConfig fixed = config;
  fixed.train.log_every = fixed.train.checkpoint_every = 1;
  fixed.train.validate_every = 0;
  fixed.train.checkpoints_kept = fixed.train.validation_pairs = 1;
  std::string text = to_toml(fixed);
  // Runs that were begun when there was no choice of these go on.
  for (const std::string_view line : {"coarse_matcher = \"pmt\"\n", "fine_matcher = \"pmt\"\n",
                                      "relative_attention = false\n", "points_only = 0.0\n"}) {
    if (const std::size_t found = text.find(line); found != std::string::npos) text.erase(found, line.size());
  }
  return text;
}

}  // namespace pmtr
