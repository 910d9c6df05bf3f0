// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/fracture/cut/cell_complex.h"

namespace pmtr {

/// An object cut into cells, with the fractures that are known of it.
struct CellsFile {
  CellComplex complex;
  std::vector<std::string> fracture_names;        ///< "fractured_3", "mode_0", ...
  std::vector<std::vector<std::int32_t>> labels;  ///< per fracture: the piece of every cell
};

/// Reads an .npz (zip of .npy, stored): V [vertices, 3], F [faces, 3] outward from cell A, AB [faces, 2]
/// owner cells (B = -1 on the outer surface), vol [cells]; optional frac [fractures] names and label
/// [fractures, cells]. Volumes are computed from the faces. The cells are checked: closed, of positive
/// volume.
Result<CellsFile> parse_cells(std::span<const std::byte> bytes, const std::string& name);

Result<CellsFile> read_cells_file(const std::filesystem::path& path);

}  // namespace pmtr
