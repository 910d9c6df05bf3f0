// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/list_samples.h"

#include "pmtr/dataset/training_pair.h"

namespace pmtr {
namespace {

/// `count` of them, evenly spread.
std::vector<Sample> spread(const std::vector<Sample>& samples, std::size_t count) {
  std::vector<Sample> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(samples[i * samples.size() / count]);
  return chosen;
}

std::vector<Sample> samples_of(const Shard& shard, const std::vector<Sample>& samples) {
  std::vector<Sample> own;
  for (auto i = static_cast<std::size_t>(shard.index); i < samples.size();
       i += static_cast<std::size_t>(shard.count))
    own.push_back(samples[i]);
  return own;
}

}  // namespace

Result<SampleList> list_samples(const DatasetIndex& index, const ObjectCache& cache,
                                const EvaluateOptions& options, const Listener& listener) {
  PairOptions wanted;
  wanted.least_overlap = options.least_overlap;
  SampleList list;
  std::vector<Sample> all;
  std::int64_t done = 0;
  for (const ObjectFiles& object : index.objects) {
    for (const FractureFiles& fracture : object.fractures) {
      if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
      if (!options.pairs && !options.volume_constrained) {
        all.push_back({&object, &fracture, {}});
        continue;
      }
      const auto broken = cache.read(index, object, fracture, listener);
      listener.advance("list", ++done, index.fractures());
      if (!broken.ok()) {
        list.failures[object.name + "/" + fracture.name] = broken.error().text();
        continue;
      }
      if (options.volume_constrained && !volume_constrained(*broken)) continue;
      if (!options.pairs) {
        all.push_back({&object, &fracture, {}});
        continue;
      }
      for (const MatingPair& pair : usable_pairs(*broken, wanted))
        all.push_back({&object, &fracture, {pair.a, pair.b}});
    }
  }
  if (options.limit && all.size() > static_cast<std::size_t>(*options.limit))
    all = spread(all, static_cast<std::size_t>(*options.limit));
  list.samples = samples_of(options.shard, all);
  return list;
}

}  // namespace pmtr
