// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <span>

#include "pmtr/core/check.h"
#include "pmtr/formats/npy_array.h"
#include "pmtr/fracture/cells_file.h"

/// What is not refused must be whole: the pieces of every labelling can be built and are valid meshes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  (void)pmtr::parse_npy(bytes, "fuzz");
  const auto cells = pmtr::parse_cells(bytes, "fuzz");
  if (!cells.ok()) return 0;
  for (const auto& labels : cells->labels) {
    for (const auto& piece : pmtr::pieces_of_labels(cells->complex, labels))
      PMTR_CHECK(pmtr::check_mesh(piece).ok(), "a piece that is no mesh");
  }
  return 0;
}
