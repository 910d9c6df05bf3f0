// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>

namespace pmtr::command {

struct InfoArguments {
  std::filesystem::path file;
  bool tensors = false;
  bool json = false;
};

// Print to stdout and return the exit code.
int print_mesh_info(const InfoArguments& arguments);
int print_weight_info(const InfoArguments& arguments);

}  // namespace pmtr::command
