// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "explain.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "console.h"
#include "explain_drawings.h"
#include "pmtr/core/file.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "progress_bar.h"
#include "thread_count.h"
#include "weights_choice.h"

namespace pmtr::command {
namespace {

double mean_where(const std::vector<float>& values, const std::vector<bool>& chosen, bool wanted) {
  double sum = 0.0, count = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (chosen[i] != wanted) continue;
    sum += values[i];
    count += 1.0;
  }
  return count > 0.0 ? sum / count : 0.0;
}

nlohmann::ordered_json numbers_of(const PairExplanation& explanation) {
  nlohmann::ordered_json json = {{"mutual_matches", explanation.agreeing.size() + explanation.others.size()},
                                 {"agreeing_matches", explanation.agreeing.size()},
                                 {"proxies", explanation.proxies.size()},
                                 {"fragments", nlohmann::ordered_json::array()}};
  for (const ExplainedFragment& fragment : explanation.fragments) {
    const auto near = std::count(fragment.near_partner.begin(), fragment.near_partner.end(), true);
    nlohmann::ordered_json one = {{"points", fragment.points.size()},
                                  {"superpoints", fragment.superpoints.size()},
                                  {"superpoints_near_partner", near}};
    if (!fragment.proxy_cosines.empty()) {
      one["proxy_cosine_near_partner"] = mean_where(fragment.proxy_cosines, fragment.near_partner, true);
      one["proxy_cosine_elsewhere"] = mean_where(fragment.proxy_cosines, fragment.near_partner, false);
    }
    if (!fragment.attention_evenness.empty()) one["attention_evenness"] = fragment.attention_evenness;
    json["fragments"].push_back(std::move(one));
  }
  return json;
}

Result<int> explain(const ExplainArguments& arguments) {
  if (arguments.files.size() != 2) return Error{Cause::invalid_option, "give two fragments", {}};
  ProgressBar bar;
  const Listener listener = bar.listener();
  PMTR_TRY(const MeshFile first, read_mesh_file(arguments.files[0]));
  PMTR_TRY(const MeshFile second, read_mesh_file(arguments.files[1]));
  Threads threads(thread_count(arguments.threads));
  PMTR_TRY(const ChosenWeights weights, choose_weights(arguments.weights, arguments.seed, listener));
  AssembleOptions options;
  options.seed = arguments.seed;
  if (arguments.object_size) options.object_size = *arguments.object_size;
  PMTR_TRY(const PairExplanation explanation,
           explain_pair({&first.mesh, &second.mesh}, weights.encoder, options, threads, listener));
  std::error_code error;
  std::filesystem::create_directories(arguments.out, error);
  if (error) return error_at(arguments.out, Cause::unwritable, error.message());
  const nlohmann::ordered_json numbers = numbers_of(explanation);
  PMTR_TRY_STATUS(write_file(arguments.out / "features.svg", draw_features(explanation)));
  PMTR_TRY_STATUS(write_file(arguments.out / "fragments.svg", draw_fragments(explanation)));
  PMTR_TRY_STATUS(write_file(arguments.out / "matches.svg", draw_matches(explanation)));
  PMTR_TRY_STATUS(write_file(arguments.out / "explain.json", numbers.dump(1) + "\n"));
  say(fmt::format("{} of {} mutual matches agree on one pose; pictures in {}", explanation.agreeing.size(),
                  explanation.agreeing.size() + explanation.others.size(), arguments.out.string()));
  return exit_code::done;
}

}  // namespace

int run_explain(const ExplainArguments& arguments) {
  const Result<int> result = explain(arguments);
  return result.ok() ? *result : report_usage(result.error());
}

}  // namespace pmtr::command
