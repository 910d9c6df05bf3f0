// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dataset.h"
#include "pmtr/render/contact_sheet.h"
#include "pmtr/render/explode.h"
#include "pmtr/render/part_colours.h"
#include "pmtr/render/png.h"
#include "pmtr/render/render.h"

namespace pmtr::command {
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

Status write_dataset_sheet(const DatasetIndex& index, const ObjectCache& cache, int cells,
                           const std::filesystem::path& file, Threads& threads, const Listener& listener) {
  const std::size_t count = std::min(static_cast<std::size_t>(cells), index.objects.size());
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
  ContactSheetOptions options;
  options.text_scale = 1;
  PMTR_TRY(const Image image, contact_sheet(sheet, options));
  return write_png(file, image);
}

}  // namespace pmtr::command
