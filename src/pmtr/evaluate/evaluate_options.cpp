// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/evaluate_options.h"

#include <fmt/format.h>

namespace pmtr {

LayoutOptions EvaluateOptions::two_to_twenty_parts() {
  LayoutOptions layout;
  layout.min_parts = 2;
  layout.max_parts = 20;
  return layout;
}

Status EvaluateOptions::validate() const {
  const auto wrong = [](std::string message) { return Error{Cause::invalid_option, std::move(message), {}}; };
  PMTR_TRY_STATUS(layout.validate());
  if (layout.min_parts < 2) return wrong("an assembly has at least two parts");
  if (!(least_overlap >= 0.0 && least_overlap <= 1.0)) return wrong("the least overlap is not from 0 to 1");
  if (limit && *limit < 1) return wrong("the limit is not at least one sample");
  if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count)
    return wrong(fmt::format("there is no shard {}", format_shard(shard)));
  if (points < 2 || dense_points < 2) return wrong("an object has at least two points");
  if (!(triangles > 0.0 && triangles <= 1.0))
    return wrong("the share of triangles that are kept is not above 0 and at most 1");
  if (cloud_points < 1000) return wrong("a cloud has at least 1000 points per object");
  return {};
}

ScoreOptions EvaluateOptions::score() const {
  const bool two_parts = pairs || layout.max_parts == 2;
  return {.count_anchor = count_anchor.value_or(!two_parts)};
}

std::map<std::string, std::string> describe(const EvaluateOptions& options) {
  std::map<std::string, std::string> config{
      {"split", options.layout.split ? options.layout.split->filename().string() : ""},
      {"samples", options.pairs ? "pairs" : "objects"},
      {"parts", fmt::format("{} to {}", options.layout.min_parts, options.layout.max_parts)},
      {"volume_constrained", options.volume_constrained ? "true" : "false"},
      {"limit", options.limit ? std::to_string(*options.limit) : ""},
      {"points", std::to_string(options.points)},
      {"dense_points", std::to_string(options.dense_points)},
      {"triangles", fmt::format("{}", options.triangles)},
      {"pieces", options.points_only ? fmt::format("{} points", options.cloud_points) : "meshes"},
      {"object_size", options.estimate_size ? "estimated" : "given"},
      {"seed", std::to_string(options.seed)}};
  if (options.shard.count > 1) config["shard"] = format_shard(options.shard);
  return config;
}

}  // namespace pmtr
