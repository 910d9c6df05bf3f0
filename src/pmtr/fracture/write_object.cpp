// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/write_object.h"

#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/file.h"
#include "pmtr/core/random.h"
#include "pmtr/formats/pose_json.h"
#include "pmtr/fracture/merge/refracture.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::uint64_t scatter_stream = 1000004;

Json parameters_json(const ObjectContext& context) {
  const FractureOptions& o = context.options;
  RefractureOptions merge;
  merge.pieces = o.pieces;
  merge.min_volume_share = o.min_volume_share;
  Json json;
  json["pieces"] = o.pieces;
  json["min_volume_share"] = merge.volume_share();
  if (!context.cells) {
    json["roughness"] = {{"amplitude", o.roughness.amplitude},
                         {"wavelength", o.roughness.wavelength},
                         {"scales", o.roughness.scales},
                         {"persistence", o.roughness.persistence},
                         {"splinter", o.roughness.splinter}};
    json["detail"] = o.detail;
    json["cells_per_piece"] = o.cells_per_piece;
    json["min_cells"] = o.min_cells;
  }
  json["wear"] = {
      {"distance", o.wear.distance}, {"unevenness", o.wear.unevenness}, {"smoothing", o.wear.smoothing}};
  json["missing"] = o.missing;
  return json;
}

Status remove_earlier(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    const std::string name = i->path().filename().string();
    if (name.starts_with("piece_") || name == "object.json") fs::remove(i->path(), error);
  }
  if (error) return error_at(folder, Cause::unwritable, "cannot clear the folder: " + error.message());
  return {};
}

/// Turned at random about its middle, which goes to the origin.
Rigid3 scattered(const TriangleMesh& mesh, Random& random) { return {random.rotation(), vertex_mean(mesh)}; }

/// What a file holds.
TriangleMesh in_single_precision(TriangleMesh mesh) {
  for (Eigen::Vector3d& p : mesh.vertices) p = p.cast<float>().cast<double>();
  return mesh;
}

}  // namespace

Status write_object(const fs::path& folder, const FracturedObject& object, const ObjectContext& context) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return error_at(folder, Cause::unwritable, "cannot make the folder: " + error.message());
  PMTR_TRY_STATUS(remove_earlier(folder));
  Json json;
  json["version"] = 1;
  json["source"] = context.source;
  json["seed"] = context.options.seed;
  json["parameters"] = parameters_json(context);
  json["volume"] = object.volume;
  json["outer_area"] = object.outer_area;
  json["mating_exact"] = object.exact && !context.scatter;
  json["pieces"] = Json::array();
  Random random(context.options.seed, scatter_stream);
  for (std::size_t i = 0; i < object.pieces.size(); ++i) {
    const FracturePiece& piece = object.pieces[i];
    const Rigid3 world_from_part = context.scatter ? scattered(piece.mesh, random) : Rigid3{};
    Json entry;
    const std::string name = fmt::format("piece_{}{}", i, context.extension);
    entry["file"] = piece.missing ? Json() : Json(name);
    entry["missing"] = piece.missing;
    entry["foreign"] = piece.foreign;
    entry["volume"] = piece.volume;
    entry["area"] = piece.area;
    entry["world_from_part"] = piece.foreign ? Json() : pose_rows(world_from_part);
    json["pieces"].push_back(std::move(entry));
    if (piece.missing) continue;
    PMTR_TRY_STATUS(write_mesh(
        folder / name,
        context.scatter ? in_single_precision(moved(piece.mesh, world_from_part.inverse())) : piece.mesh));
  }
  json["adjacency"] = Json::array();
  for (const MatingArea& pair : object.mating)
    json["adjacency"].push_back({{"a", pair.a}, {"b", pair.b}, {"mating_area", pair.area}});
  return write_file(folder / "object.json", json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace pmtr
