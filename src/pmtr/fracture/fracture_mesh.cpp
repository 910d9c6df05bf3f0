// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/fracture_mesh.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "pmtr/core/random.h"
#include "pmtr/fracture/cut/cut_solid.h"
#include "pmtr/fracture/cut/solid_input.h"
#include "pmtr/fracture/merge/refracture.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

// Streams of one seed, so that wear or a loss does not change where the object breaks.
constexpr std::uint64_t wear_stream = 1000001;
constexpr std::uint64_t missing_stream = 1000002;
constexpr std::uint64_t foreign_stream = 1000003;

CutOptions cut_options(const FractureOptions& options, int attempt) {
  CutOptions cut;
  cut.cells = std::max(options.min_cells, options.cells_per_piece * options.pieces);
  cut.cells += attempt * cut.cells / 2;
  cut.seed = options.seed;
  cut.roughness = options.roughness;
  cut.detail = options.detail;
  return cut;
}

RefractureOptions merge_options(const FractureOptions& options) {
  RefractureOptions merge;
  merge.pieces = options.pieces;
  merge.seed = options.seed;
  merge.min_volume_share = options.min_volume_share;
  return merge;
}

/// Per piece and face, the piece on the other side or -1; in the order of pieces_of_labels.
std::vector<std::vector<std::int32_t>> face_partners(const CellComplex& complex,
                                                     const std::vector<std::int32_t>& labels,
                                                     std::size_t pieces) {
  std::vector<std::vector<std::int32_t>> partners(pieces);
  for (const auto& [a, b] : complex.owners) {
    const std::int32_t label_a = labels[static_cast<std::size_t>(a)];
    const std::int32_t label_b = b < 0 ? -1 : labels[static_cast<std::size_t>(b)];
    if (label_a == label_b) continue;
    partners[static_cast<std::size_t>(label_a)].push_back(label_b);
    if (b >= 0) partners[static_cast<std::size_t>(label_b)].push_back(label_a);
  }
  return partners;
}

FracturedObject make_object(const CellComplex& complex, const std::vector<std::int32_t>& labels,
                            const FractureOptions& options) {
  FracturedObject object;
  object.mating = mating_areas(complex, labels);
  object.volume = std::accumulate(complex.volumes.begin(), complex.volumes.end(), 0.0);
  const CellGraph graph = cell_graph(complex);
  object.outer_area = std::accumulate(graph.outer_areas.begin(), graph.outer_areas.end(), 0.0);
  std::vector<TriangleMesh> meshes = pieces_of_labels(complex, labels);
  std::vector<std::vector<std::int32_t>> partners = face_partners(complex, labels, meshes.size());
  if (options.wear.distance > 0) {
    Random random(options.seed, wear_stream);
    for (std::size_t p = 0; p < meshes.size(); ++p) {
      std::vector<bool> broken;
      for (const std::int32_t partner : partners[p]) broken.push_back(partner >= 0);
      wear_piece(meshes[p], broken, options.wear, random);
    }
    object.exact = false;
  }
  for (std::size_t p = 0; p < meshes.size(); ++p) {
    FracturePiece& piece = object.pieces.emplace_back();
    piece.volume = enclosed_volume(meshes[p]);
    piece.area = surface_area(meshes[p]);
    piece.mesh = std::move(meshes[p]);
    piece.partner = std::move(partners[p]);
  }
  Random random(options.seed, missing_stream);
  for (int i = 0; i < options.missing;) {
    FracturePiece& piece = object.pieces[random.below(object.pieces.size())];
    i += piece.missing ? 0 : 1;
    piece.missing = true;
  }
  return object;
}

}  // namespace

Status FractureOptions::validate() const {
  PMTR_TRY_STATUS(merge_options(*this).validate());
  if (pieces > 1000) return invalid_option(fmt::format("{} pieces asked for; at most 1000 are made", pieces));
  if (cells_per_piece < 1 || cells_per_piece > 100)
    return invalid_option("cells per piece must be from 1 to 100");
  if (min_cells < 2 || min_cells > 100000)
    return invalid_option("the number of cells must be from 2 to 100000");
  PMTR_TRY_STATUS(cut_options(*this, 0).validate());
  PMTR_TRY_STATUS(wear.validate());
  if (missing < 0 || missing >= pieces)
    return invalid_option(fmt::format("{} of {} pieces cannot be missing", missing, pieces));
  return {};
}

Result<FracturedObject> fracture_mesh(const TriangleMesh& mesh, const FractureOptions& options,
                                      const Listener& listener) {
  PMTR_TRY_STATUS(options.validate());
  PMTR_TRY(const TriangleMesh solid, prepare_solid(mesh, listener));
  // Merging may fail where single cells are too large; more cells help.
  for (int attempt = 0; attempt < 3; ++attempt) {
    PMTR_TRY(const CellComplex complex, cut_solid(solid, cut_options(options, attempt), listener));
    const auto labels = refracture(cell_graph(complex), merge_options(options));
    if (labels.ok()) return make_object(complex, *labels, options);
    if (labels.error().cause == Cause::invalid_option) return labels.error();
  }
  return Error{
      Cause::degenerate,
      fmt::format("no way was found to break this object into {} pieces of at least {:.4g} of its volume; "
                  "fewer pieces or a smaller share may be possible",
                  options.pieces, merge_options(options).volume_share()),
      {}};
}

Result<FracturedObject> fracture_cells(const CellComplex& complex, const FractureOptions& options) {
  PMTR_TRY_STATUS(options.validate());
  PMTR_TRY(const auto labels, refracture(cell_graph(complex), merge_options(options)));
  return make_object(complex, labels, options);
}

void add_foreign_piece(FracturedObject& object, const FracturedObject& other, std::uint64_t seed) {
  std::vector<std::size_t> there;
  for (std::size_t i = 0; i < other.pieces.size(); ++i)
    if (!other.pieces[i].missing) there.push_back(i);
  PMTR_CHECK(!there.empty(), "an object always has a piece left");
  Random random(seed, foreign_stream);
  FracturePiece piece = other.pieces[there[random.below(there.size())]];
  piece.foreign = true;
  piece.partner.clear();  // numbers of the other object
  object.pieces.push_back(std::move(piece));
}

}  // namespace pmtr
