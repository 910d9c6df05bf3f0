// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cells_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/npy_array.h"
#include "pmtr/formats/zip_reader.h"

namespace pmtr {
namespace {

constexpr std::size_t any = 0;

class CellsReader {
 public:
  CellsReader(const ZipReader& zip, const std::string& name) : zip_(zip), name_(name) {}

  Result<CellsFile> read() {
    CellsFile file;
    PMTR_TRY_STATUS(read_surfaces(file.complex));
    PMTR_TRY_STATUS(read_owners(file.complex));
    PMTR_TRY_STATUS(read_fractures(file));
    if (Status good = check_cell_complex(file.complex); !good.ok()) {
      Error error = good.error();
      error.place.file = name_;
      return error;
    }
    return file;
  }

 private:
  Error error(Cause cause, const std::string& entry, const std::string& message) const {
    return error_at(name_, cause, fmt::format("{}: {}", entry, message));
  }

  Result<NpyArray> array(const std::string& key, std::size_t rank, std::size_t columns) const {
    const std::string entry_name = key + ".npy";
    const ZipEntry* entry = zip_.find(entry_name);
    if (entry == nullptr) return error(Cause::malformed, entry_name, "is not in the file");
    if (!entry->stored) {
      return error(Cause::unsupported, entry_name,
                   "is compressed; numpy.savez writes what is read here, numpy.savez_compressed does not");
    }
    PMTR_TRY(const auto bytes, zip_.read(*entry));
    PMTR_TRY(NpyArray found, parse_npy(bytes, fmt::format("{}/{}", name_, entry_name)));
    if (found.shape.size() != rank || (columns != any && found.shape.back() != columns))
      return error(Cause::malformed, entry_name, "has another shape than cells have");
    return found;
  }

  Result<NpyArray> numbers(const std::string& key, std::size_t rank, std::size_t columns) const {
    PMTR_TRY(NpyArray found, array(key, rank, columns));
    if (found.kind == 'U') return error(Cause::malformed, key + ".npy", "holds text, not numbers");
    return found;
  }

  Status read_surfaces(CellComplex& complex) const {
    PMTR_TRY(const NpyArray vertices, numbers("V", 2, 3));
    PMTR_TRY(const NpyArray faces, numbers("F", 2, 3));
    complex.surfaces.vertices.resize(vertices.shape[0]);
    for (std::size_t v = 0; v < complex.surfaces.vertices.size(); ++v) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        complex.surfaces.vertices[v][static_cast<Eigen::Index>(axis)] = vertices.number(3 * v + axis);
    }
    complex.surfaces.faces.resize(faces.shape[0]);
    for (std::size_t f = 0; f < complex.surfaces.faces.size(); ++f) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double index = faces.number(3 * f + i);
        if (!(index >= 0 && index < static_cast<double>(complex.surfaces.vertices.size())))
          return error(Cause::malformed, "F.npy", fmt::format("face {} uses a vertex that is not there", f));
        complex.surfaces.faces[f][i] = static_cast<std::uint32_t>(index);
      }
    }
    return {};
  }

  Status read_owners(CellComplex& complex) const {
    PMTR_TRY(const NpyArray owners, numbers("AB", 2, 2));
    PMTR_TRY(const NpyArray volumes, numbers("vol", 1, any));
    if (owners.shape[0] != complex.surfaces.faces.size())
      return error(Cause::malformed, "AB.npy", "has not one row per face");
    const auto cells = static_cast<double>(volumes.shape[0]);
    complex.owners.resize(owners.shape[0]);
    for (std::size_t f = 0; f < complex.owners.size(); ++f) {
      for (std::size_t side = 0; side < 2; ++side) {
        const double owner = owners.number(2 * f + side);
        if (!(owner >= (side == 0 ? 0 : -1) && owner < cells))
          return error(Cause::malformed, "AB.npy", fmt::format("face {} has a cell that is not there", f));
        complex.owners[f][side] = static_cast<std::int32_t>(owner);
      }
    }
    complex.volumes = cell_volumes(complex, volumes.shape[0]);
    return {};
  }

  Status read_fractures(CellsFile& file) const {
    if (zip_.find("label.npy") == nullptr) return {};
    PMTR_TRY(const NpyArray labels, numbers("label", 2, any));
    const std::size_t cells = file.complex.cell_count();
    if (labels.shape[1] != cells) return error(Cause::malformed, "label.npy", "has not one column per cell");
    PMTR_TRY(const NpyArray names, array("frac", 1, any));
    if (names.kind != 'U' || names.shape[0] != labels.shape[0])
      return error(Cause::malformed, "frac.npy", "has not one name per row of label.npy");
    if (cells == 0) return {};  // rows without columns take no bytes: their number is not bounded
    for (std::size_t k = 0; k < labels.shape[0]; ++k) {
      std::vector<std::int32_t>& row = file.labels.emplace_back(cells);
      for (std::size_t c = 0; c < cells; ++c) {
        const double label = labels.number(k * cells + c);
        if (!(label >= 0 && label < static_cast<double>(cells)))
          return error(Cause::malformed, "label.npy", fmt::format("cell {} has no piece in row {}", c, k));
        row[c] = static_cast<std::int32_t>(label);
      }
      file.fracture_names.push_back(names.text(k));
    }
    return {};
  }

  const ZipReader& zip_;
  std::string name_;
};

}  // namespace

Result<CellsFile> parse_cells(std::span<const std::byte> bytes, const std::string& name) {
  PMTR_TRY(const ZipReader zip, ZipReader::open(bytes, name));
  return CellsReader(zip, name).read();
}

Result<CellsFile> read_cells_file(const std::filesystem::path& path) {
  PMTR_TRY(const auto bytes, read_file(path));
  return parse_cells(bytes, path.string());
}

}  // namespace pmtr
