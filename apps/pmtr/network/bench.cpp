// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "bench.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench_matchers.h"
#include "bench_measure.h"
#include "child_process.h"
#include "console.h"
#include "pmtr/core/file.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/weights/weight_file.h"
#include "thread_count.h"

namespace pmtr::command {
namespace {

constexpr int usual_points = 5000;

Result<WeightFile> bench_weights(const BenchArguments& arguments) {
  if (!arguments.weights) {
    PMTR_TRY(const PmtrNetwork network, PmtrNetwork::create(NetworkOptions::plain(), 0));
    return network.save();
  }
  PMTR_TRY(WeightFile weights, read_weights(*arguments.weights));
  strip_common_prefix(weights);
  // Loaded once here, so that later steps know it can be.
  PMTR_TRY(const PmtrNetwork network, PmtrNetwork::load(weights, arguments.weights->string()));
  return weights;
}

Result<std::vector<BenchFragment>> given_pair(const BenchArguments& arguments) {
  if (arguments.clouds.empty()) return broken_ball(2, usual_points, 0);
  if (arguments.clouds.size() != 2) return Error{Cause::invalid_option, "give two clouds, or none", {}};
  std::vector<BenchFragment> pair;
  for (const auto& path : arguments.clouds) {
    PMTR_TRY(const MeshFile file, read_mesh_file(path));
    BenchFragment fragment;
    for (const auto& vertex : file.mesh.vertices) fragment.points.push_back(vertex.cast<float>());
    fragment.assembled = fragment.points;
    pair.push_back(std::move(fragment));
  }
  return pair;
}

/// "parts:20" -> 20 for the prefix "parts:"; 0 if it is something else.
int number_after(const std::string& text, std::string_view prefix) {
  int value = 0;
  if (text.starts_with(prefix)) {
    std::from_chars(text.data() + prefix.size(), text.data() + text.size(), value);
  }
  return value;
}

Result<nlohmann::json> measure_one(const BenchArguments& arguments, Threads& threads, int repeats) {
  const std::string& only = arguments.only;
  if (only == "peak") return measure_peak(threads, repeats);
  constexpr std::string_view matchers = "matchers:";
  if (only.starts_with(matchers)) return measure_matchers(only.substr(matchers.size()), threads, repeats);
  PMTR_TRY(const WeightFile weights, bench_weights(arguments));
  if (only == "pair" || only == "train") {
    PMTR_TRY(const std::vector<BenchFragment> pair, given_pair(arguments));
    return only == "pair" ? measure_pair(weights, pair, threads, repeats)
                          : measure_training(weights, pair, threads, repeats);
  }
  if (const int points = number_after(only, "points:"); points >= 1000 && points <= 10'000'000)
    return measure_pair(weights, broken_ball(2, points, 0), threads, repeats);
  if (const int parts = number_after(only, "parts:"); parts >= 2 && parts <= 1000)
    return measure_parts(weights, broken_ball(parts, usual_points, 0), threads, repeats);
  return Error{Cause::invalid_option,
               fmt::format("--only {}: must be peak, pair, train, points:N (N from 1000), parts:N (N from 2) "
                           "or matchers:COARSE,FINE:N",
                           only),
               {}};
}

/// The exponent p of y ~ x^p that fits best.
double growth(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0.0, mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / static_cast<double>(x.size());
    mean_y += std::log(y[i]) / static_cast<double>(x.size());
  }
  double above = 0.0, below = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    above += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    below += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return above / below;
}

nlohmann::json growth_of(const nlohmann::json& scaling) {
  std::vector<double> points, ms, mb;
  for (const auto& row : scaling) {
    points.push_back(row["points"]);
    ms.push_back(row["pair_ms"]);
    mb.push_back(row["peak_rss_mb"]);
  }
  if (points.size() < 2) return nullptr;
  return {{"time", growth(points, ms)}, {"memory", growth(points, mb)}};
}

void print_table(const nlohmann::json& all) {
  const auto number = [](const nlohmann::json& value) { return value.get<double>(); };
  std::string text = fmt::format(
      "threads {}\nmultiply-add peak  {:8.1f} GFLOP/s ({:.1f} on one thread)\n"
      "matrix product     {:8.1f} GFLOP/s ({:.1f} on one thread)\n\n"
      "a pair of {} points, clouds to pose: {:.1f} ms ({:.1f} ms CPU), peak memory {:.0f} MB\n",
      all["threads"].get<int>(), number(all["fma_gflops"]), number(all["fma_gflops_1t"]),
      number(all["gemm_gflops"]), number(all["gemm_gflops_1t"]), all["points"].get<int>(),
      number(all["pair_ms"]), number(all["pair_cpu_ms"]), number(all["peak_rss_mb"]));
  for (const auto& [stage, ms] : all["stages_ms"].items())
    text += fmt::format("  {:<28} {:8.2f} ms {:8.2f} ms CPU\n", stage, number(ms),
                        number(all["stages_cpu_ms"][stage]));
  text += fmt::format("  the backbone ({:.2f} GMAC) reaches {:.0f} % of the matrix product's speed\n\n",
                      number(all["backbone_gmac"]), 100.0 * number(all["backbone_share_of_peak"]));
  text += fmt::format(
      "a training step: {:.1f} ms per pair ({:.1f} ms CPU), peak memory {:.0f} MB\n"
      "  with {} pairs per step, one per thread: {:.1f} ms per pair, peak memory {:.0f} MB\n",
      number(all["train_step_ms"]), number(all["train_step_cpu_ms"]), number(all["train_peak_rss_mb"]),
      all["train_batch"].get<int>(), number(all["train_step_in_batch_ms"]),
      number(all["train_batch_peak_rss_mb"]));
  for (const auto& [stage, ms] : all["train_stages_ms"].items())
    text += fmt::format("  {:<28} {:8.2f} ms\n", stage, number(ms));
  text += "\n   points     pair ms   peak MB\n";
  for (const auto& row : all["scaling"])
    text += fmt::format("{:9} {:11.1f} {:9.0f}\n", row["points"].get<int>(), number(row["pair_ms"]),
                        number(row["peak_rss_mb"]));
  if (all["growth"].is_object())
    text += fmt::format("grows with points to the power of {:.2f} (time), {:.2f} (memory)\n",
                        number(all["growth"]["time"]), number(all["growth"]["memory"]));
  text += "\nfragments  pairs  encodings         ms  pair after pair: encodings         ms\n";
  for (const auto& row : all["parts"])
    text += fmt::format("{:9} {:6} {:10} {:10.1f} {:27} {:10.1f}\n", row["fragments"].get<int>(),
                        row["pairs"].get<int>(), row["encodings"].get<int>(), number(row["ms"]),
                        row["separate_encodings"].get<int>(), number(row["separate_ms"]));
  print(text);
}

/// Every measurement in a process of its own: peak memory is a property of the process.
Result<nlohmann::json> measure_all(const BenchArguments& arguments, int threads, int repeats) {
  const auto child = [&](const std::string& only, int times) -> Result<nlohmann::json> {
    std::vector<std::string> words{
        "bench", "--only", only, "--threads", std::to_string(threads), "--repeats", std::to_string(times)};
    if (arguments.weights) words.insert(words.end(), {"--weights", arguments.weights->string()});
    if (only == "pair" || only == "train")
      for (const auto& cloud : arguments.clouds) words.push_back(cloud.string());
    say(fmt::format("measuring {}", only));
    PMTR_TRY(const std::string text, output_of("/proc/self/exe", words));
    return nlohmann::json::parse(text);
  };
  nlohmann::json all = {{"version", 1}, {"pmtr", PMTR_VERSION}, {"threads", threads}, {"repeats", repeats}};
  PMTR_TRY(const nlohmann::json peak, child("peak", repeats));
  all.update(peak);
  PMTR_TRY(const nlohmann::json pair, child("pair", repeats));
  all.update(pair);
  PMTR_TRY(nlohmann::json training, child("train", repeats));
  training.erase("points");
  all.update(training);
  // GMAC per ms are TMAC/s; a multiply-add is two operations.
  all["backbone_share_of_peak"] = 2e3 * all["backbone_gmac"].get<double>() /
                                  all["backbone_ms"].get<double>() / all["gemm_gflops"].get<double>();
  all["scaling"] = nlohmann::json::array();
  for (const int points : arguments.quick ? std::vector{5000, 20'000} : std::vector{5000, 20'000, 100'000}) {
    PMTR_TRY(const nlohmann::json row, child(fmt::format("points:{}", points), std::max(2, repeats / 3)));
    all["scaling"].push_back(row);
  }
  all["growth"] = growth_of(all["scaling"]);
  all["parts"] = nlohmann::json::array();
  for (const int parts : arguments.quick ? std::vector{2, 5} : std::vector{2, 5, 10, 20}) {
    PMTR_TRY(const nlohmann::json row, child(fmt::format("parts:{}", parts), std::max(2, repeats / 3)));
    all["parts"].push_back(row);
  }
  return all;
}

Result<int> bench(const BenchArguments& arguments) {
  const int count = thread_count(arguments.threads);
  const int repeats = arguments.repeats.value_or(arguments.quick ? 3 : 10);
  if (!arguments.only.empty()) {
    Threads threads(count);
    PMTR_TRY(const nlohmann::json result, measure_one(arguments, threads, repeats));
    return print_json(result);
  }
  if (arguments.clouds == std::vector<std::filesystem::path>{"matchers"}) {
    PMTR_TRY(const nlohmann::json costs, bench_matchers(count, repeats, arguments.quick));
    if (arguments.json) PMTR_TRY_STATUS(write_file(*arguments.json, costs.dump(2) + "\n"));
    return exit_code::done;
  }
  // Bad input is found here, not by the first process that meets it.
  PMTR_TRY(const std::vector<BenchFragment> pair, given_pair(arguments));
  PMTR_TRY(const WeightFile weights, bench_weights(arguments));
  PMTR_TRY(const nlohmann::json all, measure_all(arguments, count, repeats));
  print_table(all);
  if (arguments.json) PMTR_TRY_STATUS(write_file(*arguments.json, all.dump(2) + "\n"));
  return exit_code::done;
}

}  // namespace

int run_bench(const BenchArguments& arguments) {
  const Result<int> result = bench(arguments);
  return result.ok() ? *result : report(result.error());
}

}  // namespace pmtr::command
