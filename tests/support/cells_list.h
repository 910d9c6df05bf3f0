// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "support/data_folder.h"

namespace pmtr::test {

/// Every object that is cut into cells, in order of its name.
inline std::vector<std::filesystem::path> cells_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cells_folder())) {
    if (entry.path().extension() == ".npz") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace pmtr::test
