// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "bench_matchers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <torch/types.h>

#include "bench_object.h"
#include "child_process.h"
#include "console.h"
#include "pmtr/core/statistics.h"
#include "pmtr/network/allocation_peak.h"
#include "pmtr/network/network_memory.h"
#include "pmtr/network/network_options_values.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/train/batch_gradient.h"

namespace pmtr::command {
namespace {

double median_ms(int repeats, const std::function<void()>& body) {
  std::vector<double> times;
  for (int i = 0; i <= repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    // The first run is a warm-up.
    if (i > 0)
      times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(times);
}

/// The lengths of the network follow the spacing of the points, so that superpoints are always one in five:
/// how costs grow with their number is what the range of points is to show.
NetworkOptions at_spacing_of(int points) {
  NetworkOptions options = NetworkOptions::plain();
  const double scale = std::sqrt(5000.0 / points);
  for (float& voxel : options.pyramid.voxel) voxel *= static_cast<float>(scale);
  for (float& reach : options.pyramid.radius) reach *= static_cast<float>(scale);
  options.kernel_radius *= scale;
  options.kernel_sigma *= scale;
  options.coarse_attention_radius *= scale;
  return options;
}

/// A ball with about the surface of the objects that the reference was trained on: 900 superpoints at 5000
/// points.
std::vector<BenchFragment> measured_pair(int points) {
  constexpr float size = 0.6F;
  std::vector<BenchFragment> pair = broken_ball(2, points, 0);
  for (BenchFragment& fragment : pair) {
    for (auto& point : fragment.points) point *= size;
    for (auto& point : fragment.assembled) point *= size;
  }
  return pair;
}

/// What every matcher of a network is given, cut off from what made it.
struct MatcherInputs {
  std::array<MatchSide, 2> coarse, middle, fine;
};

MatcherInputs inputs_of(const PmtrNetwork& network, const std::array<Unmatched, 2>& pair,
                        const Execution& execution) {
  MatcherInputs inputs;
  for (std::size_t i = 0; i < 2; ++i) {
    const Role role = i == 0 ? Role::source : Role::target;
    const PyramidBatch& batch = pair[i].batch;
    const SharedFeatures& shared = pair[i].shared;
    inputs.coarse[i] = {
        shared.encoded[2].detach(),
        coarse_match_site(batch.levels[2], 0, network.options().coarse_attention_radius, false), role};
    inputs.middle[i] = {shared.level1.detach(), fine_match_site(batch.levels[1], 0), role};
    const torch::Tensor points = network.backbone().decoders[1].on_joined(shared.level1, batch.levels[0].up,
                                                                          shared.encoded[0], execution);
    inputs.fine[i] = {points.detach(), fine_match_site(batch.levels[0], 0), role};
  }
  return inputs;
}

torch::Tensor run_matchers(const PmtrNetwork& network, const MatcherInputs& inputs,
                           const Execution& execution) {
  torch::Tensor sum = torch::zeros({});
  const auto add = [&](const Matcher& matcher, const std::array<MatchSide, 2>& sides) {
    for (const torch::Tensor& out : apply_matcher(matcher, sides, false, execution)) sum = sum + out.sum();
  };
  add(network.coarse_matcher(), inputs.coarse);
  add(network.backbone().matchers[0], inputs.middle);
  add(network.backbone().matchers[1], inputs.fine);
  return sum;
}

struct ParameterCount {
  std::int64_t used = 0;
  std::int64_t linear = 0;  ///< as the paper counts: without proxies and the norms of proxy layers
};

ParameterCount count_parameters(const PmtrNetwork& network) {
  ParameterCount count;
  for (const auto& entry : network.parameters().entries()) {
    const bool fine = entry.name.starts_with("backbone.pmt.");
    if (!entry.learnt || (!fine && !entry.name.starts_with("coarse_matcher."))) continue;
    // The reference's fine transforms carry a last layer that is never called.
    const bool dead = fine && entry.name.find(".out.") == std::string("backbone.pmt.0").size() &&
                      network.options().fine_matcher == MatcherKind::pmt;
    if (dead) continue;
    count.used += entry.tensor.numel();
    const bool proxies = entry.name.find(".proxy") != std::string::npos;
    const bool proxy_norm = entry.name.find(".norms.") != std::string::npos;
    if (!proxies && !proxy_norm) count.linear += entry.tensor.numel();
  }
  return count;
}

std::optional<MatcherKind> kind_of(std::string_view word) {
  const auto words = words_of(MatcherKind{});
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<MatcherKind>(found - words.begin());
}

/// The exponent p of y ~ x^p that fits best.
double slope_of(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0.0, mean_y = 0.0;
  const auto count = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    mean_x += std::log(x[i]) / count, mean_y += std::log(y[i]) / count;
  double above = 0.0, below = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    above += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    below += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return above / below;
}

constexpr std::array cost_columns{"gmac",         "parameters",  "inference_mb",       "training_mb",
                                  "inference_ms", "training_ms", "whole_inference_ms", "whole_training_ms"};

std::string cost_row(const nlohmann::json& row) {
  std::string text = fmt::format("{:<8} {:<8} {:>7}", row["coarse"].get<std::string>(),
                                 row["fine"].get<std::string>(), row["points"].get<int>());
  if (row.contains("needs")) return text + "  " + row["needs"].get<std::string>() + "\n";
  const auto number = [&](const char* name) { return row[name].get<double>(); };
  return text + fmt::format(" {:9.3f} {:9.2f} {:9.1f} {:9.1f} {:9.2f} {:9.2f} {:9.1f} {:9.1f}\n",
                            number("gmac"), 1e-3 * number("parameters"), number("inference_mb"),
                            number("training_mb"), number("inference_ms"), number("training_ms"),
                            number("whole_inference_ms"), number("whole_training_ms"));
}

/// How the costs of one combination grow with the number of points.
nlohmann::json slopes_of(const std::vector<nlohmann::json>& rows) {
  nlohmann::json slopes;
  for (const char* column : cost_columns) {
    std::vector<double> x, y;
    for (const auto& row : rows) {
      if (row.contains("needs") || row[column].get<double>() <= 0.0) continue;
      x.push_back(row["points"]);
      y.push_back(row[column]);
    }
    if (x.size() >= 2) slopes[column] = slope_of(x, y);
  }
  return slopes;
}

}  // namespace

Result<nlohmann::json> measure_matchers(MatcherKind coarse, MatcherKind fine, int points, Threads& threads,
                                        int repeats) {
  NetworkOptions options = at_spacing_of(points);
  options.coarse_matcher = coarse;
  options.fine_matcher = fine;
  PMTR_TRY(const PmtrNetwork network, PmtrNetwork::create(options, 0));
  const std::vector<BenchFragment> pair = measured_pair(points);
  PairSample sample;
  for (std::size_t i = 0; i < 2; ++i) {
    PMTR_TRY(Pyramid pyramid, build_pyramid(pair[i].points, options.pyramid, threads));
    (i == 0 ? sample.source : sample.target).input.pyramid = std::move(pyramid);
  }
  const Pyramid& source = sample.source.input.pyramid;
  const Pyramid& target = sample.target.input.pyramid;
  const LevelSizes a = level_sizes(source), b = level_sizes(target);
  PMTR_TRY_STATUS(fits_in_memory(network.matcher_memory(a, b, true), 0.8 * free_memory(),
                                 fmt::format("training {} and {}", word_of(coarse), word_of(fine))));
  Random random(0);
  sample.truth = find_pair_truth(source, target, pair[0].assembled, pair[1].assembled, PairTruthOptions{},
                                 random, threads);
  const Execution execution{&threads};
  std::array<Unmatched, 2> sides;
  MatcherInputs inputs;
  std::atomic<std::int64_t> counted{0};
  nlohmann::json json = {{"coarse", word_of(coarse)}, {"fine", word_of(fine)}};
  {
    const torch::NoGradGuard no_grad;
    sides = {network.begin(source, execution), network.begin(target, execution)};
    inputs = inputs_of(network, sides, execution);
    run_matchers(network, inputs, Execution{&threads, false, &counted});
    json["inference_ms"] = median_ms(repeats, [&] { run_matchers(network, inputs, execution); });
    {
      const AllocationPeak peak;
      run_matchers(network, inputs, execution);
      json["inference_mb"] = 1e-6 * static_cast<double>(peak.bytes());
    }
    json["whole_inference_ms"] = median_ms(repeats, [&] {
      network.finish_pair(network.begin(source, execution), network.begin(target, execution), execution);
    });
  }
  const ParameterCount parameters = count_parameters(network);
  json["points"] = a[0] + b[0];
  json["superpoints"] = a[2] + b[2];
  json["gmac"] = 1e-9 * static_cast<double>(counted.load());
  json["parameters"] = parameters.used;
  json["linear_parameters"] = parameters.linear;
  const auto step = [&] {
    for (auto* some : {&inputs.coarse, &inputs.middle, &inputs.fine})
      for (MatchSide& side : *some) side.features = side.features.detach().requires_grad_();
    const torch::Tensor sum = run_matchers(network, inputs, execution);
    if (sum.requires_grad()) sum.backward();
  };
  json["training_ms"] = median_ms(repeats, step);
  {
    const AllocationPeak peak;
    step();
    json["training_mb"] = 1e-6 * static_cast<double>(peak.bytes());
  }
  for (const auto& entry : network.parameters().entries()) entry.tensor.mutable_grad() = torch::Tensor();
  json["whole_training_ms"] = median_ms(repeats, [&] {
    batch_gradient(network, {&sample, 1}, LossOptions::reference(), threads);
  });
  return json;
}

Result<nlohmann::json> measure_matchers(const std::string& text, Threads& threads, int repeats) {
  const std::size_t comma = text.find(','), colon = text.find(':');
  int points = 0;
  if (comma != std::string::npos && colon != std::string::npos && comma < colon) {
    const auto coarse = kind_of(std::string_view(text).substr(0, comma));
    const auto fine = kind_of(std::string_view(text).substr(comma + 1, colon - comma - 1));
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, points);
    if (coarse && fine && parsed.ptr == end && points >= 1000 && points <= 1'000'000)
      return measure_matchers(*coarse, *fine, points, threads, repeats);
  }
  return Error{
      Cause::invalid_option,
      fmt::format("--only matchers:{}: must be like matchers:pmt,none:5000 (points from 1000)", text),
      {}};
}

Result<nlohmann::json> bench_matchers(int threads, int repeats, bool quick) {
  print(fmt::format("{:<8} {:<8} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "coarse", "fine",
                    "points", "GMAC", "param K", "inf MB", "train MB", "inf ms", "train ms", "net inf",
                    "net train"));
  const auto child = [&](const std::string& coarse, const std::string& fine, int points) {
    nlohmann::json row;
    const auto text = output_of("/proc/self/exe",
                                {"bench", "--only", fmt::format("matchers:{},{}:{}", coarse, fine, points),
                                 "--threads", std::to_string(threads), "--repeats", std::to_string(repeats)});
    if (text.ok()) {
      row = nlohmann::json::parse(*text);
    } else {
      row = {{"coarse", coarse}, {"fine", fine}, {"points", points}, {"needs", "does not fit (see above)"}};
    }
    print(cost_row(row));
    return row;
  };
  nlohmann::json all = {{"version", 1}, {"threads", threads}, {"repeats", repeats}};
  const auto words = words_of(MatcherKind{});
  all["combinations"] = nlohmann::json::array();
  for (const std::string_view coarse : words)
    all["combinations"].push_back(child(std::string(coarse), "none", 5000));
  for (const std::string_view fine : words) {
    if (fine != "none") all["combinations"].push_back(child("pmt", std::string(fine), 5000));
  }
  print("\n");
  const std::vector<int> range =
      quick ? std::vector{1250, 5000} : std::vector{1250, 2500, 5000, 10'000, 20'000};
  for (const auto& [coarse, fine] :
       {std::pair("geotr", "none"), std::pair("pmt", "none"), std::pair("pmt", "pmt")}) {
    std::vector<nlohmann::json> rows;
    for (const int points : range) rows.push_back(child(coarse, fine, points));
    const nlohmann::json slopes = slopes_of(rows);
    std::string text = "grows with points to the power of";
    for (const auto& [name, value] : slopes.items())
      text += fmt::format(" {} {:.2f}", name, value.get<double>());
    print(text + "\n\n");
    all["range"].push_back({{"coarse", coarse}, {"fine", fine}, {"rows", rows}, {"slopes", slopes}});
  }
  return all;
}

}  // namespace pmtr::command
