// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>

namespace pmtr::test {

/// The folder with golden values and data. Tests that need it start with PMTR_REQUIRE_SHARED("golden").
inline std::filesystem::path shared_folder() { return PMTR_SHARED_DIR; }

}  // namespace pmtr::test

#define PMTR_REQUIRE_SHARED(subfolder)                                                            \
  if (!std::filesystem::is_directory(::pmtr::test::shared_folder() / (subfolder))) {              \
    GTEST_SKIP() << "needs " << (::pmtr::test::shared_folder() / (subfolder)) << ", not present"; \
  }                                                                                               \
  static_assert(true)
