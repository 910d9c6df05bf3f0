// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/broken_object.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "pmtr/dataset/internal_walls.h"
#include "pmtr/mesh/io/mesh_file.h"

namespace pmtr {

Status ReadObjectOptions::validate() const { return mating.validate(); }

bool volume_constrained(const BrokenObject& object, double least_share) {
  const double least = least_share * std::accumulate(object.volumes.begin(), object.volumes.end(), 0.0);
  return std::all_of(object.volumes.begin(), object.volumes.end(),
                     [least](double volume) { return volume >= least; });
}

BrokenObject make_broken_object(std::vector<TriangleMesh> pieces, const MatingOptions& options) {
  BrokenObject object;
  object.pieces = std::move(pieces);
  object.piece_names.resize(object.pieces.size());
  for (const TriangleMesh& piece : object.pieces) object.volumes.push_back(enclosed_volume(piece));
  object.mating = find_mating_surfaces(object.pieces, options);
  return object;
}

Result<BrokenObject> read_broken_object(const DatasetIndex& index, const ObjectFiles& object,
                                        const FractureFiles& fracture, const ReadObjectOptions& options) {
  PMTR_TRY_STATUS(options.validate());
  std::vector<TriangleMesh> pieces;
  std::vector<std::string> names;
  std::int64_t walls = 0;
  for (const std::string& piece : fracture.pieces) {
    const std::filesystem::path path = index.root / piece;
    PMTR_TRY(MeshFile file, read_mesh_file(path));
    if (options.remove_walls) walls += remove_internal_walls(file.mesh);
    if (file.mesh.faces.empty()) return error_at(path, Cause::empty, "a piece without triangles");
    pieces.push_back(std::move(file.mesh));
    names.push_back(path.filename().string());
  }
  BrokenObject result = make_broken_object(std::move(pieces), options.mating);
  result.object = object.name;
  result.fracture = fracture.name;
  result.category = object.category;
  result.piece_names = std::move(names);
  result.wall_triangles = walls;
  return result;
}

}  // namespace pmtr
