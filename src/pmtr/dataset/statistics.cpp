// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "pmtr/core/statistics.h"
#include "pmtr/dataset/each_fracture.h"
#include "pmtr/dataset/roughness.h"

namespace pmtr {
namespace {

using Measures = std::span<const FractureMeasure>;
using Chosen = std::vector<const FractureMeasure*>;

template <class Values>
void append(std::vector<double>& to, const Values& values) {
  to.insert(to.end(), values.begin(), values.end());
}

std::vector<double> gathered(const Chosen& chosen, std::vector<double> FractureMeasure::*member) {
  std::vector<double> values;
  for (const FractureMeasure* measure : chosen) append(values, measure->*member);
  return values;
}

FractureSummary summarise_group(const Chosen& chosen) {
  FractureSummary summary;
  summary.fractures = static_cast<std::int64_t>(chosen.size());
  const std::vector<double> smaller = gathered(chosen, &FractureMeasure::smaller_overlaps);
  summary.pairs_per_fracture =
      chosen.empty() ? 0.0 : static_cast<double>(smaller.size()) / static_cast<double>(chosen.size());
  summary.overlap_smaller = quantiles(smaller);
  summary.overlap_larger = quantiles(gathered(chosen, &FractureMeasure::larger_overlaps));
  std::vector<double> ratios;
  for (const FractureMeasure* measure : chosen) {
    if (measure->outer_area > 0.0) ratios.push_back(measure->fracture_area / measure->outer_area);
  }
  summary.fracture_over_outer = quantiles(std::move(ratios));
  return summary;
}

double share_below(const std::vector<double>& values, double limit) {
  if (values.empty()) return 0.0;
  const auto below = std::count_if(values.begin(), values.end(), [limit](double v) { return v < limit; });
  return static_cast<double>(below) / static_cast<double>(values.size());
}

std::map<int, FractureSummary> by_number_of_pieces(const Chosen& chosen) {
  std::map<int, Chosen> groups;
  for (const FractureMeasure* measure : chosen) groups[measure->pieces].push_back(measure);
  std::map<int, FractureSummary> result;
  for (const auto& [pieces, group] : groups) result[pieces] = summarise_group(group);
  return result;
}

}  // namespace

FractureMeasure measure_fracture(const BrokenObject& object) {
  FractureMeasure measure;
  measure.object = object.object;
  measure.fracture = object.fracture;
  measure.category = object.category;
  measure.pieces = static_cast<int>(object.pieces.size());
  measure.exact = object.mating.exact;
  measure.volume_constrained = volume_constrained(object);
  measure.wall_triangles = object.wall_triangles;
  measure.size = longest_side(object.pieces);
  measure.volume = std::accumulate(object.volumes.begin(), object.volumes.end(), 0.0);
  const auto& areas = object.mating.piece_areas;
  const double area = object.mating.whole_area();
  for (std::size_t p = 0; p < object.pieces.size(); ++p) {
    measure.area_shares.push_back(area > 0.0 ? areas[p] / area : 0.0);
    measure.volume_shares.push_back(measure.volume > 0.0 ? object.volumes[p] / measure.volume : 0.0);
  }
  for (const MatingPair& pair : object.mating.pairs) {
    const auto [less, more] = std::minmax(pair.share_of_a, pair.share_of_b);
    measure.smaller_overlaps.push_back(more);  // the smaller piece has the larger share
    measure.larger_overlaps.push_back(less);
    measure.fracture_area += pair.area;
    const auto a = static_cast<std::size_t>(pair.a);
    const Roughness roughness = measure_roughness(object.pieces[a], object.mating.partner[a], pair.b);
    measure.reliefs.push_back(roughness.relief);
    measure.normal_spreads.push_back(roughness.normal_spread_deg);
  }
  measure.outer_area = area - 2.0 * measure.fracture_area;
  return measure;
}

Result<std::vector<FractureMeasure>> measure_dataset(const DatasetIndex& index, const ObjectCache& cache,
                                                     bool constrained_only, Threads& threads,
                                                     const Listener& listener) {
  std::vector<FractureMeasure> all(static_cast<std::size_t>(index.fractures()));
  const auto measure = [&](std::int64_t i, const ObjectFiles& object,
                           const FractureFiles& fracture) -> Status {
    PMTR_TRY(const BrokenObject broken, cache.read(index, object, fracture));
    all[static_cast<std::size_t>(i)] = measure_fracture(broken);
    return {};
  };
  PMTR_TRY_STATUS(for_each_fracture(index, "measure", "stopped while measuring", threads, listener, measure));
  std::vector<FractureMeasure> measures;
  for (FractureMeasure& one : all) {
    if (!constrained_only || one.volume_constrained) measures.push_back(std::move(one));
  }
  return measures;
}

Quantiles quantiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {interpolated_percentile(values, 0.05), interpolated_percentile(values, 0.5),
          interpolated_percentile(values, 0.95)};
}

DatasetStatistics summarise(Measures measures) {
  DatasetStatistics statistics;
  Chosen all;
  Chosen constrained;
  std::set<std::string> objects;
  std::vector<double> sizes;
  for (const FractureMeasure& measure : measures) {
    all.push_back(&measure);
    if (measure.volume_constrained) constrained.push_back(&measure);
    objects.insert(measure.object);
    sizes.push_back(measure.size);
    statistics.pieces += measure.pieces;
    statistics.pairs += static_cast<std::int64_t>(measure.smaller_overlaps.size());
    statistics.by_distance += measure.exact ? 0 : 1;
    statistics.wall_triangles += measure.wall_triangles;
  }
  statistics.objects = static_cast<std::int64_t>(objects.size());
  statistics.fractures = static_cast<std::int64_t>(measures.size());
  statistics.all = summarise_group(all);
  statistics.object_size = quantiles(std::move(sizes));
  const std::vector<double> area_shares = gathered(all, &FractureMeasure::area_shares);
  const std::vector<double> volume_shares = gathered(all, &FractureMeasure::volume_shares);
  statistics.area_share = quantiles(area_shares);
  statistics.volume_share = quantiles(volume_shares);
  statistics.under_hundredth_area = share_below(area_shares, 0.01);
  statistics.under_fortieth_volume = share_below(volume_shares, 1.0 / 40.0);
  statistics.relief = quantiles(gathered(all, &FractureMeasure::reliefs));
  statistics.normal_spread_deg = quantiles(gathered(all, &FractureMeasure::normal_spreads));
  statistics.by_pieces = by_number_of_pieces(all);
  statistics.constrained_by_pieces = by_number_of_pieces(constrained);
  return statistics;
}

}  // namespace pmtr
