// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/geotransformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/network/pmtr_network.h"
#include "pmtr/systems/assemble_system.h"
#include "pmtr/systems/system.h"

namespace pmtr {
namespace {

using testing::HasSubstr;

TEST(GeoTransformer, is_what_its_configuration_file_says) {
  const auto file = read_config(std::filesystem::path(PMTR_CONFIGS) / "geotransformer.toml");
  ASSERT_TRUE(file.ok()) << file.error().text();
  TrainConfig own = geotransformer_config();
  own.data.max_parts = file->data.max_parts;  // the file is for the paper's pairs
  EXPECT_EQ(to_toml(own), to_toml(*file));
}

TEST(GeoTransformer, takes_no_other_network) {
  EXPECT_TRUE(check_geotransformer(geotransformer_config().network, "w").ok());
  const Status other = check_geotransformer(NetworkOptions::plain(), "w");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().cause, Cause::mismatch);
  EXPECT_THAT(other.error().message, HasSubstr("geotr"));
  const auto system = System::create("geotransformer", 0);
  ASSERT_FALSE(system.ok());
  const auto chosen = choose_system("geotransformer", "none", 0, {});
  ASSERT_TRUE(chosen.ok());
  EXPECT_TRUE(chosen->network.has_value());
  EXPECT_EQ(chosen->network->encoder.options().coarse_matcher, MatcherKind::geotr);
}

}  // namespace
}  // namespace pmtr
