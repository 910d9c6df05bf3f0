// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "pmtr/core/check.h"
#include "pmtr/train/study.h"

/// A TOML study. Its variants get folders of their own, below the study's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // It may name a configuration file: one from the disk would make runs differ.
  if (text.find("config") != std::string_view::npos) return 0;
  const auto study = pmtr::parse_study(text, "/nowhere/study.toml");
  if (!study.ok()) return 0;
  std::set<std::string> folders;
  for (const pmtr::StudyVariant& variant : study->variants) {
    PMTR_CHECK(!variant.folder.empty(), "a variant without a folder");
    PMTR_CHECK(variant.folder.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos,
               variant.folder);
    PMTR_CHECK(folders.insert(variant.folder).second, "two variants in one folder");
  }
  return 0;
}
