// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/fragment_encoder.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "pmtr/network/kernel_points.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/weights/safetensors.h"
#include "support/repeats.h"

namespace pmtr {
namespace {

Pyramid random_sphere(std::uint64_t seed, int count, double radius) {
  Random random(seed);
  std::vector<Eigen::Vector3f> points;
  for (int i = 0; i < count; ++i) points.push_back((random.rotation().col(0) * radius).cast<float>());
  return *build_pyramid(points, PyramidOptions{}, Threads::none());
}

void expect_same_bytes(const RoleFeatures& a, const RoleFeatures& b) {
  EXPECT_EQ(a.coarse.values, b.coarse.values);
  EXPECT_EQ(a.fine.values, b.fine.values);
}

TEST(FragmentEncoder, features_do_not_depend_on_the_partner) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(NetworkOptions::plain(), 1);
  const Pyramid fragment = random_sphere(1, 400, 0.3);
  const FragmentFeatures alone = encoder.encode(fragment, Threads::none());
  ASSERT_FALSE(alone.as_source.fine.values.empty());
  EXPECT_NE(alone.as_source.fine.values, alone.as_target.fine.values);
  for (const std::uint64_t partner : {2U, 3U}) {
    const Pyramid other = random_sphere(partner, 300 + 100 * static_cast<int>(partner), 0.25);
    const auto as_source = encoder.encode_pair(fragment, other, Threads::none());
    const auto as_target = encoder.encode_pair(other, fragment, Threads::none());
    expect_same_bytes(as_source.first.as_source, alone.as_source);
    expect_same_bytes(as_target.second.as_target, alone.as_target);
  }
}

TEST(FragmentEncoder, all_at_once_gives_the_bytes_of_one_at_a_time_ten_times) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(NetworkOptions::plain(), 1);
  std::vector<FragmentInput> fragments(4);
  for (int i = 0; i < 4; ++i)
    fragments[static_cast<std::size_t>(i)].pyramid =
        random_sphere(static_cast<std::uint64_t>(i), 200 + 90 * i, 0.3);
  Threads threads(2);
  for (int repeat = 0; repeat < test::repeats(10); ++repeat) {
    int done = 0;
    Listener listener;
    listener.progress = [&](std::string_view, std::int64_t, std::int64_t) { ++done; };
    const auto all = encoder.encode_all(fragments, threads, listener);
    EXPECT_EQ(done, 4);
    for (std::size_t i = 0; i < fragments.size(); ++i) {
      const FragmentFeatures alone = encoder.encode(fragments[i], Threads::none());
      expect_same_bytes(all[i].as_source, alone.as_source);
      expect_same_bytes(all[i].as_target, alone.as_target);
      EXPECT_EQ(all[i].patches.points, alone.patches.points);
    }
  }
}

NetworkOptions on_breaks() {
  NetworkOptions options;
  options.surface_input = options.fracture_head = options.fracture_context = false;
  options.break_network = options.break_cloud = true;
  return options;
}

/// A ball whose upper half is broken.
FragmentInput half_broken_ball(std::uint64_t seed, int count) {
  Random random(seed);
  PointCloud cloud;
  std::vector<float> broken;
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3f n = random.rotation().col(0).cast<float>();
    cloud.points.push_back(0.2F * (1.0F + 0.1F * std::sin(8.0F * n.x())) * n);
    cloud.normals.push_back(n);
    broken.push_back(n.z() > 0.0F ? 1.0F : 0.0F);
  }
  FragmentInput input = *prepare_input(cloud, cloud, 0.5, 1.0, on_breaks(), SIZE_MAX, Threads::none());
  input.known_fracture = broken;
  return input;
}

TEST(FragmentEncoder, on_breaks_a_fragment_has_the_same_bytes_alone_and_among_others) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(on_breaks(), 1);
  std::vector<FragmentInput> fragments;
  for (int i = 0; i < 3; ++i)
    fragments.push_back(half_broken_ball(static_cast<std::uint64_t>(i), 900 + 200 * i));
  Threads threads(2);
  const auto all = encoder.encode_all(fragments, threads, {});
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    const FragmentFeatures alone = encoder.encode(fragments[i], Threads::none());
    ASSERT_GT(alone.points.size(), 100U);
    EXPECT_EQ(alone.points.size(), alone.breaks.points.size());
    EXPECT_EQ(alone.as_source.fine.rows, static_cast<std::int64_t>(alone.points.size()));
    EXPECT_NE(alone.as_source.fine.values, alone.as_target.fine.values);
    for (const BreakPoint& point : alone.breaks.points) EXPECT_GT(point.position.z(), -0.03F);
    expect_same_bytes(all[i].as_source, alone.as_source);
    expect_same_bytes(all[i].as_target, alone.as_target);
  }
}

class MatcherOfEncoder : public testing::TestWithParam<MatcherKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, MatcherOfEncoder,
                         testing::Values(MatcherKind::none, MatcherKind::linear, MatcherKind::mlp,
                                         MatcherKind::pmt, MatcherKind::hdc, MatcherKind::geotr));

// On breaks and on surfaces: where a fragment can be encoded alone its features are those of any pair, and
// where it cannot they are found for the pair, and say which pair.
TEST_P(MatcherOfEncoder, features_of_a_pair_are_those_of_the_fragments_where_that_can_be) {
  const bool both = GetParam() == MatcherKind::hdc || GetParam() == MatcherKind::geotr;
  for (const bool breaks : {false, true}) {
    NetworkOptions options = breaks ? on_breaks() : NetworkOptions::plain();
    options.coarse_matcher = options.fine_matcher = GetParam();
    const FragmentEncoder encoder = *FragmentEncoder::untrained(options, 1);
    EXPECT_EQ(encoder.encodes_alone(), !both);
    std::vector<FragmentInput> inputs;
    for (std::uint64_t i = 0; i < 3; ++i) {
      if (breaks) {
        inputs.push_back(half_broken_ball(i, 500));
      } else {
        inputs.emplace_back().pyramid = random_sphere(i, 150, 0.3);
      }
    }
    Threads threads(2);
    const auto features = encoder.encode_all(inputs, threads, {});
    const auto first = encoder.match(features[0], features[1], threads);
    const auto again = encoder.match(features[0], features[1], Threads::none());
    const auto other = encoder.match(features[0], features[2], threads);
    expect_same_bytes(first.first, again.first);
    expect_same_bytes(first.second, again.second);
    ASSERT_EQ(first.first.fine.rows, static_cast<std::int64_t>(features[0].points.size()));
    for (const float value : first.first.fine.values) ASSERT_TRUE(std::isfinite(value));
    EXPECT_EQ(features[0].as_source.fine.values.empty(), both);
    EXPECT_EQ(first.first.fine.values != other.first.fine.values, both);
    EXPECT_EQ(encoder.match_memory(features[0], features[1]) > 0.0, both);
    if (!breaks) {
      const auto pair = encoder.encode_pair(inputs[0].pyramid, inputs[1].pyramid, Threads::none());
      expect_same_bytes(pair.first.as_source, first.first);
      expect_same_bytes(pair.second.as_target, first.second);
    }
  }
}

TEST_P(MatcherOfEncoder, is_carried_by_weights) {
  NetworkOptions options = NetworkOptions::plain();
  options.coarse_matcher = GetParam();
  options.fine_matcher = GetParam();
  const PmtrNetwork network = *PmtrNetwork::create(options, 5);
  const auto bytes = format_safetensors(network.save());
  const auto loaded = PmtrNetwork::load(*parse_safetensors(bytes, "memory"), "memory");
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_EQ(loaded->options().coarse_matcher, GetParam());
  EXPECT_EQ(loaded->options().fine_matcher, GetParam());
  EXPECT_EQ(loaded->parameters().learnt_count(), network.parameters().learnt_count());
}

TEST(FragmentEncoder, proxies_and_superpoints_live_in_one_space) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(on_breaks(), 1);
  const FragmentInput input = half_broken_ball(1, 600);
  const ProxySpace space = encoder.proxy_space(input, Role::source, Threads::none());
  EXPECT_EQ(space.attention_evenness.size(), 8U);  // two layers of four heads
  for (const double share : space.attention_evenness) {
    EXPECT_GT(share, 0.0);
    EXPECT_LE(share, 1.0 + 1e-6);
  }
  const FragmentFeatures features = encoder.encode(input, Threads::none());
  EXPECT_EQ(space.superpoints.rows, static_cast<std::int64_t>(features.superpoints.size()));
  EXPECT_EQ(space.proxies.rows, 4 * 32);
  EXPECT_EQ(space.proxies.columns, space.superpoints.columns);
  NetworkOptions without = on_breaks();
  without.coarse_matcher = MatcherKind::geotr;
  EXPECT_EQ(
      FragmentEncoder::untrained(without, 1)->proxy_space(input, Role::source, Threads::none()).proxies.rows,
      0);
}

TEST(FragmentEncoder, a_fragment_that_is_not_broken_has_nothing_to_match) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(on_breaks(), 1);
  FragmentInput whole = half_broken_ball(1, 500);
  std::fill(whole.known_fracture.begin(), whole.known_fracture.end(), 0.0F);
  const FragmentFeatures features = encoder.encode(whole, Threads::none());
  EXPECT_TRUE(features.points.empty());
  EXPECT_TRUE(features.as_source.fine.values.empty());
  EXPECT_EQ(features.fracture.size(), 500U);
}

TEST(FragmentEncoder, in_pair_scope_features_do_depend_on_the_partner) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(NetworkOptions::reference(), 1);
  const Pyramid fragment = random_sphere(1, 400, 0.3);
  const auto with_a = encoder.encode_pair(fragment, random_sphere(2, 500, 0.25), Threads::none());
  const auto with_b = encoder.encode_pair(fragment, random_sphere(3, 600, 0.2), Threads::none());
  EXPECT_NE(with_a.first.as_source.fine.values, with_b.first.as_source.fine.values);
}

TEST(FragmentEncoder, smallest_inputs) {
  const FragmentEncoder encoder = *FragmentEncoder::untrained(NetworkOptions::plain(), 1);
  for (const int count : {1, 2, 5}) {
    const FragmentFeatures features = encoder.encode(random_sphere(4, count, 0.1), Threads::none());
    EXPECT_EQ(features.as_source.fine.rows, count);
    for (const float value : features.as_source.fine.values) ASSERT_TRUE(std::isfinite(value));
    for (const float value : features.as_target.coarse.values) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(PmtrNetwork, a_saved_network_loads_with_its_options) {
  NetworkOptions options = NetworkOptions::plain();
  options.pyramid.voxel = {0.0F, 0.035F, 0.07F};
  options.coarse_attention_radius = 0.08;
  const PmtrNetwork network = *PmtrNetwork::create(options, 5);
  const auto bytes = format_safetensors(network.save());
  const auto file = parse_safetensors(bytes, "memory");
  ASSERT_TRUE(file.ok()) << file.error().text();
  const auto loaded = PmtrNetwork::load(*file, "memory");
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_EQ(to_json(loaded->options()), to_json(options));
  for (std::size_t i = 0; i < network.parameters().entries().size(); ++i) {
    EXPECT_TRUE(
        torch::equal(network.parameters().entries()[i].tensor, loaded->parameters().entries()[i].tensor));
  }
}

TEST(PmtrNetwork, same_seed_same_weights) {
  const PmtrNetwork a = *PmtrNetwork::create(NetworkOptions::plain(), 7);
  const PmtrNetwork b = *PmtrNetwork::create(NetworkOptions::plain(), 7);
  const PmtrNetwork c = *PmtrNetwork::create(NetworkOptions::plain(), 8);
  EXPECT_EQ(format_safetensors(a.save()), format_safetensors(b.save()));
  EXPECT_NE(format_safetensors(a.save()), format_safetensors(c.save()));
}

TEST(PmtrNetwork, weights_that_do_not_fit_are_named) {
  const WeightFile good = PmtrNetwork::create(NetworkOptions::plain(), 1)->save();
  const auto message = [](const WeightFile& file) {
    const auto network = PmtrNetwork::load(file, "some.safetensors");
    EXPECT_FALSE(network.ok());
    if (network.ok()) return std::string();
    EXPECT_EQ(network.error().cause, Cause::mismatch);
    return network.error().text();
  };
  WeightFile missing = good;
  missing.arrays.erase(missing.arrays.begin() + 3);
  EXPECT_NE(message(missing).find("1 missing: " + good.arrays[3].name), std::string::npos)
      << message(missing);

  WeightFile extra = good;
  extra.arrays.push_back(extra.arrays[0]);
  extra.arrays.back().name = "something.else";
  EXPECT_NE(message(extra).find("1 not part of it: something.else"), std::string::npos) << message(extra);

  WeightFile misshapen = good;
  misshapen.arrays[0].shape = {4, 16, 4};
  EXPECT_NE(message(misshapen).find("is [4, 16, 4], should be [4, 4, 16]"), std::string::npos)
      << message(misshapen);
}

TEST(PmtrNetwork, weights_that_are_not_numbers_are_refused) {
  WeightFile file = PmtrNetwork::create(NetworkOptions::plain(), 1)->save();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(file.arrays[2].data.data(), &nan, sizeof nan);
  const auto network = PmtrNetwork::load(file, "x");
  ASSERT_FALSE(network.ok());
  EXPECT_EQ(network.error().cause, Cause::not_finite);
}

TEST(NetworkOptions, bad_json_is_refused) {
  for (const char* text :
       {"", "[]", "{\"norm_scope\": 3}", "{\"norm_scope\": \"both\"}", "{\"unheard_of\": 1}",
        "{\"version\": 2}", "{\"kernel_radius\": -1}", "{\"voxel\": [0, 1]}", "{\"voxel\": \"a\"}"}) {
    EXPECT_FALSE(network_options_from_json(text, "x").ok()) << text;
  }
}

TEST(NetworkOptions, json_reads_back_and_messages_say_what_a_value_must_be) {
  NetworkOptions options;
  options.proxies = ProxyKind::separate;
  options.pyramid.ties = TieOrder::reference;
  options.pyramid.neighbour_limit = {30, 31, 32};
  const auto read = network_options_from_json(to_json(options), "x");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(to_json(*read), to_json(options));
  EXPECT_EQ(read->pyramid.voxel, options.pyramid.voxel);
  const auto wrong = network_options_from_json("{\"proxies\": \"some\"}", "weights");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().text(),
            "weights: network option 'proxies' must be one of \"none\", \"separate\", \"shared\"");
}

TEST(NetworkOptions, a_file_that_does_not_name_an_option_is_older_than_it) {
  const auto read = network_options_from_json(R"({"version": 1, "norm_scope": "pair"})", "x");
  ASSERT_TRUE(read.ok());
  NetworkOptions expected = NetworkOptions::plain();
  expected.norm_scope = NormScope::pair;
  EXPECT_EQ(to_json(*read), to_json(expected));
}

TEST(KernelPoints, are_spread_on_a_shell_about_the_centre) {
  Random random(1);
  const auto points = arrange_kernel_points(15, 0.5, random);
  ASSERT_EQ(points.size(), 15U);
  EXPECT_LT(points[0].norm(), 1e-12);
  double mean = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    mean += points[i].norm() / 14.0;
    EXPECT_NEAR(points[i].norm(), 0.33, 0.02);
    // Fourteen points on a sphere of radius 0.33 can keep 0.3 apart (the best arrangement reaches 0.93
    // radii).
    for (std::size_t j = 1; j < i; ++j) EXPECT_GT((points[i] - points[j]).norm(), 0.27);
  }
  EXPECT_NEAR(mean, 0.33, 1e-9);
}

}  // namespace
}  // namespace pmtr
