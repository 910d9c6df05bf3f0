// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "bench_measure.h"

#include <ctime>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/core/process_memory.h"
#include "pmtr/core/statistics.h"
#include "pmtr/core/threads.h"
#include "pmtr/kernels/gemm.h"
#include "pmtr/kernels/peak.h"
#include "pmtr/match/match_pair.h"
#include "pmtr/network/fragment_encoder.h"
#include "pmtr/pose/local_to_global.h"
#include "pmtr/train/adam.h"
#include "pmtr/train/batch_gradient.h"

namespace pmtr::command {
namespace {

double wall_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// Times named stages over several runs; the first run is a warm-up and not counted.
class Laps {
 public:
  void begin() { wall_ = wall_ms(), cpu_ = cpu_ms(); }
  void end(const std::string& stage) {
    wall_times_[stage].push_back(wall_ms() - wall_);
    cpu_times_[stage].push_back(cpu_ms() - cpu_);
    begin();
  }
  void forget() { wall_times_.clear(), cpu_times_.clear(); }
  double wall(const std::string& stage) const { return median(wall_times_.at(stage)); }
  double cpu(const std::string& stage) const { return median(cpu_times_.at(stage)); }
  nlohmann::json all() const {
    nlohmann::json json;
    for (const auto& [stage, times] : wall_times_) json[stage] = median(times);
    return json;
  }
  nlohmann::json all_cpu() const {
    nlohmann::json json;
    for (const auto& [stage, times] : cpu_times_) json[stage] = median(times);
    return json;
  }

 private:
  double wall_ = 0.0;
  double cpu_ = 0.0;
  std::map<std::string, std::vector<double>> wall_times_;
  std::map<std::string, std::vector<double>> cpu_times_;
};

template <class Body>
void repeat(Laps& laps, int repeats, const Body& body) {
  for (int i = 0; i <= repeats; ++i) {
    if (i == 1) laps.forget();
    laps.begin();
    body();
  }
}

std::vector<std::vector<Eigen::Vector3f>> points_of(const std::vector<BenchFragment>& fragments) {
  std::vector<std::vector<Eigen::Vector3f>> clouds;
  for (const auto& fragment : fragments) clouds.push_back(fragment.points);
  return clouds;
}

std::int64_t point_count(const std::vector<BenchFragment>& fragments) {
  std::int64_t count = 0;
  for (const auto& fragment : fragments) count += static_cast<std::int64_t>(fragment.points.size());
  return count;
}

std::vector<Pyramid> pyramids_of(const std::vector<BenchFragment>& fragments, const PyramidOptions& options,
                                 Threads& threads) {
  auto pyramids = build_pyramids(points_of(fragments), options, threads);
  PMTR_CHECK(pyramids.ok(), pyramids.error().text());
  return std::move(pyramids).value();
}

std::optional<Registration> find_pose(const FragmentFeatures& source, const FragmentFeatures& target,
                                      float dustbin, Threads& threads) {
  const PairMatches matches = match_pair(source, target, dustbin, MatchOptions{}, threads);
  return register_local_to_global(source.points, target.points, matches.correspondences,
                                  RegistrationOptions{});
}

/// Multiply-adds of encoder and decoder, without the matchers inside it, as the layers define them: what is
/// saved by a better order of the work counts as speed.
double backbone_gmac(const Pyramid& pyramid) {
  struct Block {
    std::size_t from, to;
    double in, out;
  };
  constexpr Block residual[] = {{0, 0, 64, 128},  {0, 1, 128, 128}, {1, 1, 128, 256}, {1, 1, 256, 256},
                                {1, 2, 256, 256}, {2, 2, 256, 512}, {2, 2, 512, 512}};
  const auto points = [&](std::size_t level) {
    return static_cast<double>(pyramid.levels[level].points.size());
  };
  const auto width = [&](std::size_t from, std::size_t to) {
    const PyramidLevel& level = pyramid.levels[from];
    return static_cast<double>(from == to ? level.neighbours.width : level.down.width);
  };
  const auto convolution = [&](std::size_t from, std::size_t to, double in, double out) {
    return points(to) * 15.0 * (width(from, to) * in + in * out);
  };
  double sum = convolution(0, 0, 1, 64);
  for (const Block& block : residual) {
    const double inner = block.out / 4.0;
    sum += points(block.from) * block.in * inner;
    sum += convolution(block.from, block.to, inner, inner);
    sum += points(block.to) * inner * block.out;
    if (block.in != block.out) sum += points(block.to) * block.in * block.out;
  }
  sum += points(1) * (512 + 256) * 256 + points(0) * (256 + 128) * 128;
  return sum * 1e-9;
}

/// From clouds to the pose, stage by stage.
Laps time_stages(const FragmentEncoder& encoder, const std::vector<BenchFragment>& pair, Threads& threads,
                 int repeats) {
  Laps laps;
  repeat(laps, repeats, [&] {
    const auto pyramids = pyramids_of(pair, encoder.options().pyramid, threads);
    laps.end("pyramid");
    const auto [source, target] = encoder.encode_pair(pyramids[0], pyramids[1], threads);
    laps.end("network");
    const auto superpoints =
        match_superpoints(source.as_source.coarse, source.patches, target.as_target.coarse, target.patches,
                          CoarseMatchOptions{}, threads);
    laps.end("coarse top-k");
    const auto transport =
        transport_patches(superpoints, source.as_source.fine, source.patches, target.as_target.fine,
                          target.patches, encoder.dustbin_score(), kernels::TransportOptions{}, threads);
    laps.end("scores and transport");
    const auto found = mutual_correspondences(superpoints, source.patches, target.patches, transport,
                                              CorrespondenceOptions{});
    register_local_to_global(source.points, target.points, found, RegistrationOptions{});
    laps.end("correspondences and pose");
  });
  return laps;
}

/// The same as one.
Laps time_pair(const FragmentEncoder& encoder, const std::vector<BenchFragment>& pair, Threads& threads,
               int repeats) {
  Laps whole;
  repeat(whole, repeats, [&] {
    const auto pyramids = pyramids_of(pair, encoder.options().pyramid, threads);
    const auto [source, target] = encoder.encode_pair(pyramids[0], pyramids[1], threads);
    find_pose(source, target, encoder.dustbin_score(), threads);
    whole.end("pair");
  });
  return whole;
}

/// The network by parts, each for both fragments side by side as encode_pair does.
Laps time_network_parts(const PmtrNetwork& network, const std::vector<Pyramid>& pyramids, Threads& threads,
                        int repeats) {
  const bool stacked = network.options().norm_scope == NormScope::pair;
  std::vector<PyramidBatch> batches;
  std::vector<std::vector<Role>> roles;
  if (stacked) {
    batches.push_back(stack_pyramids(std::array{&pyramids[0], &pyramids[1]}));
    roles.push_back({Role::source, Role::target});
  } else {
    for (std::size_t i = 0; i < 2; ++i) batches.push_back(stack_pyramids(std::array{&pyramids[i]}));
    roles = {{Role::source}, {Role::target}};
  }
  Laps parts;
  std::vector<EncoderFeatures> encoded(batches.size());
  const auto each = [&](const std::function<void(std::size_t, const Execution&)>& body) {
    run_tasks(threads, static_cast<std::int64_t>(batches.size()), [&](std::int64_t i) {
      const torch::NoGradGuard no_grad;
      body(static_cast<std::size_t>(i), Execution{&threads});
    });
  };
  repeat(parts, repeats, [&] {
    each([&](std::size_t i, const Execution& e) { encoded[i] = network.backbone().encode(batches[i], e); });
    parts.end("encoder");
    each([&](std::size_t i, const Execution& e) {
      network.backbone().decode(batches[i], encoded[i], roles[i], e);
    });
    parts.end("decoder with fine matchers");
    each([&](std::size_t i, const Execution& e) {
      const BatchLevel& fine = batches[i].levels[0];
      const BatchLevel& middle = batches[i].levels[1];
      const torch::Tensor level1 =
          network.backbone().decoders[0].on_joined(encoded[i][2], middle.up, encoded[i][1], e);
      network.backbone().decoders[1].on_joined(level1, fine.up, encoded[i][0], e);
    });
    parts.end("decoder alone");
    each([&](std::size_t i, const Execution& e) {
      network.match_coarse(batches[i].levels[2], encoded[i][2], roles[i], e);
    });
    parts.end("coarse matcher");
  });
  return parts;
}

}  // namespace

nlohmann::json measure_peak(Threads& threads, int repeats) {
  constexpr std::int64_t rows = 5000, depth = 512, columns = 512;
  const std::vector<float> a(rows * depth, 0.5F), b(depth * columns, 0.25F);
  std::vector<float> c(rows * columns);
  const auto product = [&](Threads& team) {
    double best = 1e300;  // the peak is what the machine can do, so not a median
    for (int i = 0; i < 2 * repeats; ++i) {
      const double begin = wall_ms();
      kernels::gemm<float>(kernels::row_major(a.data(), rows, depth),
                           kernels::row_major(b.data(), depth, columns), {c.data(), columns}, team);
      best = std::min(best, wall_ms() - begin);
    }
    return 2e-6 * static_cast<double>(rows * depth * columns) / best;
  };
  return {{"fma_gflops_1t", kernels::measure_fma_peak(Threads::none())},
          {"fma_gflops", kernels::measure_fma_peak(threads)},
          {"gemm_gflops_1t", product(Threads::none())},
          {"gemm_gflops", product(threads)}};
}

nlohmann::json measure_pair(const WeightFile& weights, const std::vector<BenchFragment>& pair,
                            Threads& threads, int repeats) {
  const FragmentEncoder encoder = *FragmentEncoder::load(weights, "bench");
  const Laps laps = time_stages(encoder, pair, threads, repeats);
  const double inference_peak = peak_rss_mb();
  const Laps whole = time_pair(encoder, pair, threads, repeats);
  const PmtrNetwork network = *PmtrNetwork::load(weights, "bench");
  const auto pyramids = pyramids_of(pair, encoder.options().pyramid, threads);
  const Laps parts = time_network_parts(network, pyramids, threads, repeats);

  nlohmann::json stages = laps.all();
  nlohmann::json stages_cpu = laps.all_cpu();
  stages.update(parts.all());
  stages_cpu.update(parts.all_cpu());
  double gmac = 0.0;
  for (const Pyramid& pyramid : pyramids) gmac += backbone_gmac(pyramid);
  return {{"points", point_count(pair)},
          {"pair_ms", whole.wall("pair")},
          {"pair_cpu_ms", whole.cpu("pair")},
          {"stages_ms", stages},
          {"stages_cpu_ms", stages_cpu},
          {"backbone_gmac", gmac},
          {"backbone_ms", parts.wall("encoder") + parts.wall("decoder alone")},
          {"peak_rss_mb", inference_peak}};
}

nlohmann::json measure_training(const WeightFile& weights, const std::vector<BenchFragment>& pair,
                                Threads& threads, int repeats) {
  const PmtrNetwork network = *PmtrNetwork::load(weights, "bench");
  const LossOptions losses = LossOptions::reference();
  Adam adam(network.parameters().learnt(), {});
  Laps laps;
  PairSample sample;
  repeat(laps, repeats, [&] {
    auto pyramids = pyramids_of(pair, network.options().pyramid, threads);
    laps.end("pyramid");
    Random random(0);
    sample.truth = find_pair_truth(pyramids[0], pyramids[1], pair[0].assembled, pair[1].assembled,
                                   PairTruthOptions{}, random, threads);
    sample.source.input.pyramid = std::move(pyramids[0]);
    sample.target.input.pyramid = std::move(pyramids[1]);
    laps.end("truth");
    const BatchGradient batch = batch_gradient(network, {&sample, 1}, losses, threads);
    laps.end("forward, losses, backward");
    adam.step(batch.gradients, 1e-6, threads);
    laps.end("Adam");
  });
  const double single_peak = peak_rss_mb();
  const double step = laps.wall("forward, losses, backward") + laps.wall("Adam");
  const double step_cpu = laps.cpu("forward, losses, backward") + laps.cpu("Adam");

  Laps batch_laps;
  const std::vector<PairSample> batch_samples(static_cast<std::size_t>(threads.count()), sample);
  repeat(batch_laps, std::max(2, repeats / 2), [&] {
    const BatchGradient batch = batch_gradient(network, batch_samples, losses, threads);
    adam.step(batch.gradients, 1e-6, threads);
    batch_laps.end("batch");
  });
  return {{"points", point_count(pair)},
          {"train_step_ms", step},
          {"train_step_cpu_ms", step_cpu},
          {"train_stages_ms", laps.all()},
          {"train_batch", threads.count()},
          {"train_step_in_batch_ms", batch_laps.wall("batch") / threads.count()},
          {"train_peak_rss_mb", single_peak},
          {"train_batch_peak_rss_mb", peak_rss_mb()}};
}

nlohmann::json measure_parts(const WeightFile& weights, const std::vector<BenchFragment>& fragments,
                             Threads& threads, int repeats) {
  const FragmentEncoder encoder = *FragmentEncoder::load(weights, "bench");
  const PyramidOptions& options = encoder.options().pyramid;
  const float dustbin = encoder.dustbin_score();
  const auto count = static_cast<std::int64_t>(fragments.size());
  Laps laps;
  repeat(laps, repeats, [&] {
    std::vector<FragmentInput> inputs;
    for (Pyramid& pyramid : pyramids_of(fragments, options, threads))
      inputs.push_back({std::move(pyramid), {}, {}, {}, {}});
    const auto features = encoder.encode_all(inputs, threads, {});
    laps.end("encode");
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < features.size(); ++i)
      for (std::size_t j = i + 1; j < features.size(); ++j) pairs.emplace_back(i, j);
    run_tasks(threads, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t i) {
      const auto& [a, b] = pairs[static_cast<std::size_t>(i)];
      find_pose(features[a], features[b], dustbin, threads);
    });
    laps.end("match");
  });
  const double peak = peak_rss_mb();
  Laps separate;
  repeat(separate, 1, [&] {
    for (std::size_t i = 0; i < fragments.size(); ++i) {
      for (std::size_t j = i + 1; j < fragments.size(); ++j) {
        const auto pyramids = pyramids_of({fragments[i], fragments[j]}, options, threads);
        const auto [source, target] = encoder.encode_pair(pyramids[0], pyramids[1], threads);
        find_pose(source, target, dustbin, threads);
      }
    }
    separate.end("separate");
  });
  return {{"fragments", count},
          {"points", point_count(fragments)},
          {"pairs", count * (count - 1) / 2},
          {"encodings", 2 * count},
          {"separate_encodings", count * (count - 1)},
          {"encode_ms", laps.wall("encode")},
          {"match_ms", laps.wall("match")},
          {"ms", laps.wall("encode") + laps.wall("match")},
          {"separate_ms", separate.wall("separate")},
          {"peak_rss_mb", peak}};
}

}  // namespace pmtr::command
