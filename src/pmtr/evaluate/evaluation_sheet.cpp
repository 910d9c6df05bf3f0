// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/evaluation_sheet.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "pmtr/evaluate/list_samples.h"
#include "pmtr/render/contact_sheet.h"
#include "pmtr/render/part_colours.h"
#include "pmtr/render/render.h"

namespace pmtr {
namespace {

constexpr std::size_t most_of_a_kind = 6;

/// The pieces behind '#' in the path of a sample (sample_path); all where there is none.
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

struct ChosenSample {
  const char* kind;
  const SampleRecord* sample;
};

/// The same number of the best, the median and the worst.
std::vector<ChosenSample> choose_samples(std::span<const SampleRecord> samples) {
  std::vector<const SampleRecord*> order;
  for (const SampleRecord& sample : samples) order.push_back(&sample);
  // By the share of right pieces, then by how far off the others are.
  std::stable_sort(order.begin(), order.end(), [](const SampleRecord* a, const SampleRecord* b) {
    if (a->scores.recall_10_005 != b->scores.recall_10_005)
      return a->scores.recall_10_005 > b->scores.recall_10_005;
    return a->scores.crd < b->scores.crd;
  });
  std::vector<ChosenSample> chosen;
  if (order.empty()) return chosen;
  const std::size_t each = std::clamp<std::size_t>(order.size() / 3, 1, most_of_a_kind);
  const std::size_t middle = (order.size() - each) / 2;
  for (std::size_t i = 0; i < each; ++i) chosen.push_back({"best", order[i]});
  for (std::size_t i = 0; i < each; ++i) chosen.push_back({"median", order[middle + i]});
  for (std::size_t i = 0; i < each; ++i) chosen.push_back({"worst", order[order.size() - each + i]});
  return chosen;
}

/// The fracture of a sample, or nothing.
std::optional<Sample> find_sample(const SampleRecord& record, const DatasetIndex& index) {
  for (const ObjectFiles& object : index.objects) {
    if (object.name != record.object) continue;
    for (const FractureFiles& fracture : object.fractures) {
      if (record.path.substr(0, record.path.find('#')) == object.name + "/" + fracture.name)
        return Sample{&object, &fracture, {}};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Image> draw_evaluation_sheet(const Evaluation& evaluation, const DatasetIndex& index,
                                    const ObjectCache& cache, Threads& threads, const Listener& listener) {
  const std::vector<ChosenSample> chosen = choose_samples(evaluation.samples);
  std::vector<SheetCell> cells;
  for (const auto& [kind, sample] : chosen) {
    if (listener.stop()) return Error{Cause::cancelled, "stopped while drawing", {}};
    if (const std::optional<Sample> files = find_sample(*sample, index)) {
      PMTR_TRY(const BrokenObject broken, cache.read(index, *files->object, *files->fracture, listener));
      const std::string id = broken.object.substr(broken.object.rfind('/') + 1);
      cells.push_back({picture_of(broken, *sample, threads),
                       fmt::format("{}: {} {}\n{} parts, {:.0f} % right, CRD {:.3f}", kind, sample->category,
                                   id.substr(0, 8), sample->pieces.size(),
                                   100.0 * sample->scores.recall_10_005, sample->scores.crd)});
    }
    listener.advance("picture", static_cast<std::int64_t>(cells.size()),
                     static_cast<std::int64_t>(chosen.size()));
  }
  ContactSheetOptions options;
  options.columns = 3;
  options.text_scale = 1;
  options.title = "found (left) and true (right)";
  return contact_sheet(cells, options);
}

}  // namespace pmtr
