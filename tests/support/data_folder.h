// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>

namespace pmtr::test {

/// Real fractures in the Breaking Bad layout, and the cells they are made of. The test data/unpack fills it;
/// tests that need it start with PMTR_REQUIRE_DATA().
inline std::filesystem::path fractures_folder() {
  return std::filesystem::path(PMTR_DATA_DIR) / "breaking_bad";
}
inline std::filesystem::path cells_folder() { return std::filesystem::path(PMTR_DATA_DIR) / "cells"; }

}  // namespace pmtr::test

#define PMTR_REQUIRE_DATA()                                                          \
  if (!std::filesystem::is_directory(::pmtr::test::fractures_folder())) {            \
    GTEST_SKIP() << "needs " << ::pmtr::test::fractures_folder() << ", not present"; \
  }                                                                                  \
  static_assert(true)
