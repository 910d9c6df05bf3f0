// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/config.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/train/config_fields.h"

namespace pmtr {
namespace {

using testing::HasSubstr;

Error error_of(const std::string& text) {
  const auto config = parse_config(text, "run.toml");
  EXPECT_FALSE(config.ok());
  return config.ok() ? Error{} : config.error();
}

TEST(Config, nothing_said_is_the_defaults) {
  const auto config = parse_config("", "run.toml");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(to_toml(*config), to_toml(TrainConfig{}));
}

/// Field by field, so that a difference is named.
void expect_equal(const TrainConfig& a, const TrainConfig& b) {
  for_each_field(a, [&](std::string_view section, std::string_view key, const auto& x) {
    for_each_field(b, [&](std::string_view other_section, std::string_view other_key, const auto& y) {
      if constexpr (std::is_same_v<decltype(x), decltype(y)>) {
        if (section == other_section && key == other_key) {
          EXPECT_EQ(x, y) << section << "." << key;
        }
      }
    });
  });
}

TEST(Config, the_default_file_is_the_defaults_of_the_members) {
  const auto config = read_config(PMTR_CONFIGS "/default.toml");
  ASSERT_TRUE(config.ok()) << config.error().text();
  expect_equal(*config, TrainConfig{});
}

TEST(Config, the_reference_file_is_the_reference) {
  const auto config = read_config(PMTR_CONFIGS "/reference.toml");
  ASSERT_TRUE(config.ok()) << config.error().text();
  expect_equal(*config, TrainConfig::reference());
}

TEST(Config, the_two_files_name_the_same_keys) {
  const auto keys = [](const char* path) {
    std::vector<std::string> names;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("[")) names.push_back(line);
      if (const auto end = line.find(" = "); !line.starts_with("#") && end != std::string::npos)
        names.push_back(line.substr(0, end));
    }
    return names;
  };
  EXPECT_THAT(keys(PMTR_CONFIGS "/reference.toml"),
              testing::UnorderedElementsAreArray(keys(PMTR_CONFIGS "/default.toml")));
}

TEST(Config, what_is_written_reads_back) {
  TrainConfig config;
  config.network.norm_scope = NormScope::pair;
  config.network.proxies = ProxyKind::separate;
  config.network.pyramid.voxel = {0.0F, 0.035F, 0.07F};
  config.train.learning_rate = 3e-4;
  config.train.decay = Decay::constant;
  config.train.seed = 17;
  config.train.losses.zero = 0.0;
  config.data.pairs.noise = 0.002;
  const auto read = parse_config(to_toml(config), "run.toml");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(to_toml(*read), to_toml(config));
  EXPECT_EQ(read->network.pyramid.voxel, config.network.pyramid.voxel);
  EXPECT_EQ(read->train.losses.zero, 0.0);
}

TEST(Config, every_key_counts) {
  // If a key were written but not read, changing it would not survive.
  const std::string defaults = to_toml(TrainConfig{});
  EXPECT_THAT(defaults, HasSubstr("[network]"));
  EXPECT_THAT(defaults, HasSubstr("learning_rate = "));
  const auto config = parse_config("[train]\nsteps = 5\n[losses]\ncoarse = 2\n", "run.toml");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->train.steps, 5);
  EXPECT_EQ(config->train.losses.coarse, 2.0);  // a whole number is a number
}

TEST(Config, an_unknown_key_is_named_with_its_line_and_the_nearest_known) {
  const Error error = error_of("[train]\nsteps = 10\nlearning_rat = 1e-3\n");
  EXPECT_EQ(error.place.file, "run.toml");
  EXPECT_EQ(error.place.line, 3U);
  EXPECT_THAT(error.message, HasSubstr("train.learning_rat'"));
  EXPECT_THAT(error.message, HasSubstr("'train.learning_rate'"));
}

TEST(Config, an_unknown_section_is_named) {
  const Error error = error_of("\n[traim]\nsteps = 10\n");
  EXPECT_THAT(error.message, HasSubstr("[train]"));
  EXPECT_EQ(error.place.line, 2U);
}

TEST(Config, values_of_another_type_say_what_they_must_be) {
  EXPECT_THAT(error_of("[train]\nsteps = \"ten\"\n").message,
              HasSubstr("train.steps must be a whole number"));
  EXPECT_THAT(error_of("[train]\nsteps = 1.5\n").message, HasSubstr("whole number"));
  EXPECT_THAT(error_of("[train]\nclip = true\n").message, HasSubstr("a number"));
  EXPECT_THAT(error_of("[network]\nfracture_head = 1\n").message, HasSubstr("true or false"));
  EXPECT_THAT(error_of("[network]\nproxies = \"some\"\n").message,
              HasSubstr("one of \"none\", \"separate\", \"shared\""));
  EXPECT_THAT(error_of("[network]\nvoxel = [0.0, 0.1]\n").message, HasSubstr("a list of 3 numbers"));
  EXPECT_EQ(error_of("[network]\n\nvoxel = [0.0, 0.1]\n").place.line, 3U);
  EXPECT_THAT(error_of("[network]\nneighbour_limit = [35, 32, 3.5]\n").message,
              HasSubstr("a list of 3 whole numbers"));
  EXPECT_THAT(error_of("[train]\nseed = -1\n").message, HasSubstr("whole number"));
}

TEST(Config, values_without_sense_and_broken_files_are_errors) {
  EXPECT_THAT(error_of("[train]\nbatch = 0\n").message, HasSubstr("batch is 0"));
  EXPECT_THAT(error_of("[data]\nnoise = 7.0\n").message, HasSubstr("noise"));
  EXPECT_THAT(error_of("[losses]\nfine = -1.0\n").message, HasSubstr("fine is -1"));
  EXPECT_THAT(error_of("[losses]\ntransport_iterations = 0\n").message, HasSubstr("transport_iterations"));
  EXPECT_EQ(error_of("[train]\nsteps = = 3\n").place.line, 2U);
  EXPECT_FALSE(read_config("no/such/file.toml").ok());
}

TEST(LearningRate, warms_up_and_decays) {
  TrainOptions options;
  options.learning_rate = 1.0 / 8;
  options.warm_up = 10;
  options.steps = 110;
  options.final_rate = 0.1;
  EXPECT_NEAR(learning_rate_at(options, 0), 0.0125, 1e-12);
  EXPECT_NEAR(learning_rate_at(options, 9), 0.125, 1e-12);
  EXPECT_NEAR(learning_rate_at(options, 60), 0.125 * 0.55, 1e-12);
  EXPECT_NEAR(learning_rate_at(options, 110), 0.0125, 1e-12);
  options.decay = Decay::constant;
  EXPECT_NEAR(learning_rate_at(options, 100), 0.125, 1e-12);
}

}  // namespace
}  // namespace pmtr
