// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "eval_sheet.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "pmtr/render/contact_sheet.h"
#include "pmtr/render/part_colours.h"
#include "pmtr/render/png.h"
#include "pmtr/render/render.h"

namespace pmtr::command {
namespace {

constexpr std::size_t per_row = 6;

/// The pieces behind '#' in the path of a pair; all where there is none.
std::vector<std::size_t> pieces_in(const std::string& path, std::size_t count) {
  std::vector<std::size_t> pieces;
  const std::size_t mark = path.find('#');
  if (mark == std::string::npos) {
    for (std::size_t i = 0; i < count; ++i) pieces.push_back(i);
    return pieces;
  }
  const char* at = path.data() + mark + 1;
  const char* end = path.data() + path.size();
  while (at < end) {
    std::size_t piece = 0;
    const auto [stop, error] = std::from_chars(at, end, piece);
    if (error != std::errc() || piece >= count) break;
    pieces.push_back(piece);
    at = stop + 1;
  }
  return pieces;
}

/// Found on the left, true on the right, seen from the same place. Pieces that were not placed are grey and
/// stand above.
Image picture_of(const BrokenObject& object, const SampleRecord& sample, Threads& threads) {
  std::vector<RenderPart> found, truth;
  const double size = longest_side(object.pieces);
  const std::vector<std::size_t> pieces = pieces_in(sample.path, object.pieces.size());
  for (std::size_t i = 0; i < std::min(pieces.size(), sample.pieces.size()); ++i) {
    RenderPart part;
    part.mesh = &object.pieces[pieces[i]];
    part.colour = part_colour(i);
    truth.push_back(part);
    if (const auto& moved = sample.pieces[i].displacement) {
      part.world_from_part = *moved;
      part.world_from_part.translation *= size;
    } else {
      part.colour = {190, 190, 190};
      part.world_from_part.translation.z() += 0.9 * size;
    }
    found.push_back(part);
  }
  RenderOptions options = RenderOptions::white();
  options.width = options.height = 200;
  options.samples = 2;
  std::vector<RenderPart> everything = found;
  everything.insert(everything.end(), truth.begin(), truth.end());
  options.camera = fit_camera(everything, options);
  const Image left = render_scene(found, options, threads);
  const Image right = render_scene(truth, options, threads);
  Image both(left.width + right.width, left.height);
  for (int y = 0; y < left.height; ++y)
    for (int x = 0; x < left.width; ++x) {
      both.set_pixel(x, y, left.pixel(x, y));
      both.set_pixel(left.width + x, y, right.pixel(x, y));
    }
  return both;
}

}  // namespace

Status write_eval_sheet(const Evaluation& evaluation, const DatasetIndex& index, const ObjectCache& cache,
                        const std::filesystem::path& file, Threads& threads, const Listener& listener) {
  std::vector<const SampleRecord*> order;
  for (const SampleRecord& sample : evaluation.samples) order.push_back(&sample);
  // By the share of right pieces, then by how far off the others are.
  std::stable_sort(order.begin(), order.end(), [](const SampleRecord* a, const SampleRecord* b) {
    if (a->scores.recall_10_005 != b->scores.recall_10_005)
      return a->scores.recall_10_005 > b->scores.recall_10_005;
    return a->scores.crd < b->scores.crd;
  });
  if (order.empty()) return {};
  std::vector<std::pair<const char*, const SampleRecord*>> chosen;
  const std::size_t each = std::clamp<std::size_t>(order.size() / 3, 1, per_row);
  const std::size_t middle = (order.size() - each) / 2;
  for (std::size_t i = 0; i < each; ++i) chosen.emplace_back("best", order[i]);
  for (std::size_t i = 0; i < each; ++i) chosen.emplace_back("median", order[middle + i]);
  for (std::size_t i = 0; i < each; ++i) chosen.emplace_back("worst", order[order.size() - each + i]);

  std::vector<SheetCell> cells;
  for (const auto& [kind, sample] : chosen) {
    if (listener.stop()) return Error{Cause::cancelled, "stopped while drawing", {}};
    for (const ObjectFiles& object : index.objects) {
      if (object.name != sample->object) continue;
      for (const FractureFiles& fracture : object.fractures) {
        const std::string name = object.name + "/" + fracture.name;
        if (sample->path.substr(0, sample->path.find('#')) != name) continue;
        PMTR_TRY(const BrokenObject broken, cache.read(index, object, fracture, listener));
        const std::string id = object.name.substr(object.name.rfind('/') + 1);
        cells.push_back({picture_of(broken, *sample, threads),
                         fmt::format("{}: {} {}\n{} parts, {:.0f} % right, CRD {:.3f}", kind, object.category,
                                     id.substr(0, 8), sample->pieces.size(),
                                     100.0 * sample->scores.recall_10_005, sample->scores.crd)});
      }
    }
    listener.advance("picture", static_cast<std::int64_t>(cells.size()),
                     static_cast<std::int64_t>(chosen.size()));
  }
  ContactSheetOptions options;
  options.columns = 3;
  options.text_scale = 1;
  options.title = "found (left) and true (right)";
  PMTR_TRY(const Image image, contact_sheet(cells, options));
  return write_png(file, image);
}

}  // namespace pmtr::command
