// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "pmtr/averaging/pose_graph_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = pmtr::parse_pose_graph({reinterpret_cast<const char*>(data), size}, "fuzz");
  // Whatever is read can be worked with.
  if (file.ok() && !file->graph.validate().ok()) std::abort();
  return 0;
}
