// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/generated_source.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "pmtr/dataset/piece_count.h"
#include "pmtr/fracture/fracture_mesh.h"

namespace pmtr {
namespace {

/// Spread over orders of magnitude.
double draw_scale(double low, double high, Random& random) {
  return low * std::exp(random.uniform() * std::log(high / low));
}

FractureOptions draw_fracture(const GeneratedSourceOptions& options, Random& random) {
  FractureOptions fracture;
  fracture.pieces = draw_piece_count(options.min_pieces, options.max_pieces, random);
  fracture.seed = random.bits();
  // Most breaks are rough, glass and crystals are flat, some materials splinter.
  fracture.roughness.amplitude = random.uniform() < 0.1 ? 0.0 : draw_scale(0.01, 0.12, random);
  fracture.roughness.wavelength = random.uniform(0.25, 1.0);
  fracture.roughness.persistence = random.uniform(0.35, 0.65);
  fracture.roughness.splinter = random.uniform() < 0.2 ? random.uniform(0.2, 1.0) : 0.0;
  fracture.detail = random.uniform(0.022, 0.04);
  fracture.cells_per_piece = 2 + static_cast<int>(random.below(2));
  fracture.min_cells = 12 + static_cast<int>(random.below(24));
  // Some leave chips.
  if (random.uniform() < 0.3) fracture.min_volume_share = 0.08 / fracture.pieces;
  if (random.uniform() < options.worn) {
    fracture.wear.distance = draw_scale(0.1, 1.0, random) * options.max_wear;
    fracture.wear.unevenness = random.uniform();
    fracture.wear.smoothing = 1 + static_cast<int>(random.below(6));
  }
  return fracture;
}

std::shared_ptr<BrokenObject> broken_object(FracturedObject fractured) {
  auto broken = std::make_shared<BrokenObject>();
  std::vector<std::vector<std::int32_t>> partners;
  for (std::size_t i = 0; i < fractured.pieces.size(); ++i) {
    FracturePiece& piece = fractured.pieces[i];
    broken->piece_names.push_back(fmt::format("piece_{}", i));
    broken->volumes.push_back(piece.volume);
    broken->pieces.push_back(std::move(piece.mesh));
    partners.push_back(std::move(piece.partner));
  }
  broken->mating = mating_from_partners(broken->pieces, std::move(partners), fractured.exact);
  return broken;
}

}  // namespace

Status GeneratedSourceOptions::validate() const {
  for (const std::string& name : shapes)
    if (!shape_of_name(name)) return invalid_option(fmt::format("there is no shape '{}'", name));
  if (min_pieces < 2 || max_pieces < min_pieces || max_pieces > 1000)
    return invalid_option(
        fmt::format("{} to {} pieces: at least 2, at most 1000, in order", min_pieces, max_pieces));
  if (min_around < 40 || max_around < min_around || max_around > 1024)
    return invalid_option(
        fmt::format("{} to {} vertices around: from 40 to 1024, in order", min_around, max_around));
  if (!(worn >= 0.0 && worn <= 1.0)) return invalid_option("the share of worn objects must be from 0 to 1");
  if (!(max_wear >= 0.0 && max_wear <= 0.05)) return invalid_option("wear must be from 0 to 0.05 of a piece");
  return {};
}

Result<std::shared_ptr<GeneratedSource>> GeneratedSource::create(const GeneratedSourceOptions& options) {
  PMTR_TRY_STATUS(options.validate());
  std::vector<Shape> shapes;
  for (const std::string& name : options.shapes) shapes.push_back(*shape_of_name(name));
  if (shapes.empty()) shapes = all_shapes();
  return std::shared_ptr<GeneratedSource>(new GeneratedSource(options, std::move(shapes)));
}

Result<std::shared_ptr<const BrokenObject>> GeneratedSource::draw(Random& random) const {
  const std::uint64_t seed = random.bits();
  // A thin shape does not always break into as many pieces as were drawn: the next one may.
  constexpr std::uint64_t attempts = 20;
  Error last{Cause::degenerate, "nothing was drawn", {}};
  for (std::uint64_t attempt = 0; attempt < attempts; ++attempt) {
    Random own(seed, attempt);
    const Shape shape = shapes_[own.below(shapes_.size())];
    ShapeOptions form;
    form.seed = own.bits();
    form.around = static_cast<int>(draw_scale(options_.min_around, options_.max_around, own));
    const FractureOptions fracture = draw_fracture(options_, own);
    const auto mesh = make_shape(shape, form);
    auto fractured = mesh.ok() ? fracture_mesh(*mesh, fracture) : Result<FracturedObject>(mesh.error());
    if (!fractured.ok()) {
      last = fractured.error();
      continue;
    }
    auto broken = broken_object(std::move(*fractured));
    broken->category = shape_name(shape);
    broken->object = fmt::format("generated/{}/{:016x}", broken->category, form.seed);
    broken->fracture = fmt::format("generated_{:016x}", fracture.seed);
    return std::shared_ptr<const BrokenObject>(std::move(broken));
  }
  return last;
}

}  // namespace pmtr
