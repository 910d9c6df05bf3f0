// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Prints the time of every stage from points to pose, on request:
//   golden_network --gtest_also_run_disabled_tests --gtest_filter='StageTimes*'
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>

#include <gtest/gtest.h>

#include "pmtr/match/match_pair.h"
#include "pmtr/network/fragment_encoder.h"
#include "pmtr/network/network_threads.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/pose/local_to_global.h"
#include "support/golden_case.h"

namespace pmtr {
namespace {

class StageTimes : public testing::TestWithParam<std::string> {
 protected:
  using Clock = std::chrono::steady_clock;

  void lap(const std::string& stage) {
    const auto now = Clock::now();
    times_[stage].push_back(std::chrono::duration<double, std::milli>(now - last_).count());
    last_ = Clock::now();
  }

  void run(bool composed, int thread_count) {
    Threads threads(thread_count);
    set_network_threads(thread_count);
    const torch::NoGradGuard no_grad;
    const test::GoldenCase golden(GetParam());
    const auto weights = read_weights(test::shared_folder() / "golden" / "state_dict.safetensors");
    const PmtrNetwork network = *PmtrNetwork::load(*weights, "golden");
    const FragmentEncoder encoder = *FragmentEncoder::load(*weights, "golden");
    const Execution execution{&threads, composed};
    const std::vector<Role> roles = {Role::source, Role::target};
    times_.clear();
    constexpr int repeats = 10;
    for (int i = 0; i <= repeats; ++i) {
      if (i == 1) times_.clear();  // the first is a warm-up
      last_ = Clock::now();
      const auto begin = last_;
      std::array<Pyramid, 2> pyramids;
      pyramids[0] = *build_pyramid(golden.points("in_src_pts"), network.options().pyramid, threads);
      pyramids[1] = *build_pyramid(golden.points("in_trg_pts"), network.options().pyramid, threads);
      lap("1 pyramid");
      const PyramidBatch batch = stack_pyramids(std::array<const Pyramid*, 2>{&pyramids[0], &pyramids[1]});
      const EncoderFeatures encoded = network.backbone().encode(batch, execution);
      lap("2 encoder");
      network.backbone().decode(batch, encoded, roles, execution);
      lap("3 decoder with fine PMT");
      network.match_coarse(batch.levels[2], encoded[2], roles, execution);
      lap("4 coarse matcher");
      times_["5 whole network (sum)"].push_back(
          std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
      const auto [a, b] = encoder.encode_pair(pyramids[0], pyramids[1], threads);
      last_ = Clock::now();
      const auto superpoints =
          match_superpoints(a.as_source.coarse, a.patches, b.as_target.coarse, b.patches, {}, threads);
      lap("6 coarse top-k");
      const auto transport = transport_patches(superpoints, a.as_source.fine, a.patches, b.as_target.fine,
                                               b.patches, encoder.dustbin_score(), {}, threads);
      lap("7 patch scores and transport");
      const auto found = mutual_correspondences(superpoints, a.patches, b.patches, transport, {});
      const auto pose = register_local_to_global(a.points, b.points, found, RegistrationOptions::reference());
      EXPECT_TRUE(pose.has_value());
      lap("8 correspondences and pose");
    }
    std::printf("%s, %s, %d thread(s): median ms\n", GetParam().c_str(), composed ? "composed" : "kernels",
                thread_count);
    for (auto& [stage, ms] : times_) {
      std::sort(ms.begin(), ms.end());
      std::printf("  %-32s %8.2f (min %.2f)\n", stage.c_str(), ms[ms.size() / 2], ms.front());
    }
  }

  std::map<std::string, std::vector<double>> times_;
  Clock::time_point last_;
};

INSTANTIATE_TEST_SUITE_P(Cases, StageTimes, testing::Values("artifact", "bottle"),
                         [](const auto& test_case) { return test_case.param; });

TEST_P(StageTimes, DISABLED_from_points_to_pose) {
  PMTR_REQUIRE_SHARED("golden");
  for (const bool composed : {true, false}) {
    for (const int thread_count : {1, 2}) run(composed, thread_count);
  }
}

}  // namespace
}  // namespace pmtr
