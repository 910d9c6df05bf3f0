// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/statistics_table.h"

#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pmtr {
namespace {

std::string row(std::string_view name, const Quantiles& q) {
  return fmt::format("  {:<38} {:>8.4f} {:>8.4f} {:>8.4f}\n", name, q.q05, q.q50, q.q95);
}

nlohmann::json to_json(const Quantiles& q) { return {{"q05", q.q05}, {"q50", q.q50}, {"q95", q.q95}}; }

nlohmann::json to_json(const FractureSummary& summary) {
  return {{"fractures", summary.fractures},
          {"pairs_per_fracture", summary.pairs_per_fracture},
          {"overlap_smaller", to_json(summary.overlap_smaller)},
          {"overlap_larger", to_json(summary.overlap_larger)},
          {"fracture_over_outer", to_json(summary.fracture_over_outer)}};
}

nlohmann::json to_json(const std::map<int, FractureSummary>& by_pieces) {
  nlohmann::json groups = nlohmann::json::array();
  for (const auto& [pieces, summary] : by_pieces) {
    nlohmann::json group = to_json(summary);
    group["pieces"] = pieces;
    groups.push_back(std::move(group));
  }
  return groups;
}

nlohmann::json to_json(const FractureMeasure& measure) {
  return {{"object", measure.object},
          {"fracture", measure.fracture},
          {"category", measure.category},
          {"pieces", measure.pieces},
          {"exact", measure.exact},
          {"volume_constrained", measure.volume_constrained},
          {"size", measure.size},
          {"volume", measure.volume},
          {"fracture_area", measure.fracture_area},
          {"outer_area", measure.outer_area},
          {"overlap_smaller", measure.smaller_overlaps}};
}

std::string by_pieces_table(const std::map<int, FractureSummary>& by_pieces) {
  std::string text = "  pieces  fractures  pairs/fracture   overlap of smaller   fracture / outer area\n";
  for (const auto& [pieces, summary] : by_pieces) {
    text +=
        fmt::format("  {:>6}  {:>9}  {:>14.2f}   {:>18.4f}   {:>21.4f}\n", pieces, summary.fractures,
                    summary.pairs_per_fracture, summary.overlap_smaller.q50, summary.fracture_over_outer.q50);
  }
  return text;
}

}  // namespace

std::string statistics_table(const DatasetStatistics& s) {
  std::string text = fmt::format("{} objects, {} fractures, {} pieces, {} adjacent pairs\n", s.objects,
                                 s.fractures, s.pieces, s.pairs);
  if (s.by_distance > 0)
    text += fmt::format("{} fractures without coinciding triangles: measured by distance\n", s.by_distance);
  if (s.wall_triangles > 0) text += fmt::format("{} triangles of internal walls removed\n", s.wall_triangles);
  text += fmt::format("\n  {:<38} {:>8} {:>8} {:>8}\n", "", "5 %", "50 %", "95 %");
  text += row("longest side", s.object_size);
  text += row("area of a piece / object", s.area_share);
  text += row("volume of a piece / object", s.volume_share);
  text += row("mating area / smaller piece", s.all.overlap_smaller);
  text += row("mating area / larger piece", s.all.overlap_larger);
  text += row("fracture area / outer area", s.all.fracture_over_outer);
  text += row("relief of a mating surface", s.relief);
  text += row("normal spread of it, degrees", s.normal_spread_deg);
  text += fmt::format("\n  pieces under 1 % of the area: {:.1f} %, under 1/40 of the volume: {:.1f} %\n",
                      100 * s.under_hundredth_area, 100 * s.under_fortieth_volume);
  text += "\nby number of pieces, medians\n" + by_pieces_table(s.by_pieces);
  if (!s.constrained_by_pieces.empty()) {
    text += "\nonly fractures whose pieces all hold 1/40 of the volume\n" +
            by_pieces_table(s.constrained_by_pieces);
  }
  return text;
}

std::string statistics_json(const DatasetStatistics& s, std::span<const FractureMeasure> measures) {
  nlohmann::json records = nlohmann::json::array();
  for (const FractureMeasure& measure : measures) records.push_back(to_json(measure));
  const nlohmann::json json{{"version", 1},
                            {"objects", s.objects},
                            {"fractures", s.fractures},
                            {"pieces", s.pieces},
                            {"pairs", s.pairs},
                            {"by_distance", s.by_distance},
                            {"wall_triangles", s.wall_triangles},
                            {"all", to_json(s.all)},
                            {"object_size", to_json(s.object_size)},
                            {"area_share", to_json(s.area_share)},
                            {"volume_share", to_json(s.volume_share)},
                            {"under_hundredth_area", s.under_hundredth_area},
                            {"under_fortieth_volume", s.under_fortieth_volume},
                            {"relief", to_json(s.relief)},
                            {"normal_spread_deg", to_json(s.normal_spread_deg)},
                            {"by_pieces", to_json(s.by_pieces)},
                            {"constrained_by_pieces", to_json(s.constrained_by_pieces)},
                            {"records", std::move(records)}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace pmtr
