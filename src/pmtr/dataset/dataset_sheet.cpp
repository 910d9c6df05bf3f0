// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/dataset_sheet.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "pmtr/render/contact_sheet.h"
#include "pmtr/render/explode.h"
#include "pmtr/render/part_colours.h"
#include "pmtr/render/render.h"

namespace pmtr {
namespace {

constexpr double pulled_apart = 0.25;

Image picture_of(const BrokenObject& object, Threads& threads) {
  std::vector<RenderPart> parts;
  for (std::size_t p = 0; p < object.pieces.size(); ++p) {
    RenderPart part;
    part.mesh = &object.pieces[p];
    part.colour = part_colour(p);
    parts.push_back(part);
  }
  RenderOptions options = RenderOptions::white();
  options.width = 240;
  options.height = 240;
  options.samples = 2;
  return render_scene(exploded(parts, pulled_apart), options, threads);
}

}  // namespace

Status DatasetSheetOptions::validate() const {
  if (cells < 1) return Error{Cause::invalid_option, "a contact sheet has at least one cell", {}};
  return {};
}

Result<Image> draw_dataset_sheet(const DatasetIndex& index, const ObjectCache& cache,
                                 const DatasetSheetOptions& options, Threads& threads,
                                 const Listener& listener) {
  PMTR_TRY_STATUS(options.validate());
  const std::size_t count = std::min(static_cast<std::size_t>(options.cells), index.objects.size());
  std::vector<SheetCell> sheet;
  for (std::size_t i = 0; i < count; ++i) {
    if (listener.stop()) return Error{Cause::cancelled, "stopped while drawing", {}};
    const ObjectFiles& object = index.objects[i * index.objects.size() / count];
    // Another fracture of each, so that all numbers of pieces are seen.
    const FractureFiles& fracture = object.fractures[i % object.fractures.size()];
    PMTR_TRY(const BrokenObject broken, cache.read(index, object, fracture, listener));
    const std::string id = object.name.substr(object.name.rfind('/') + 1);
    sheet.push_back(
        {picture_of(broken, threads), fmt::format("{} {}\n{}: {} pieces", object.category, id.substr(0, 8),
                                                  fracture.name, broken.pieces.size())});
    listener.advance("picture", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(count));
  }
  ContactSheetOptions layout;
  layout.text_scale = 1;
  return contact_sheet(sheet, layout);
}

}  // namespace pmtr
