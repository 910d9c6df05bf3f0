// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/label_sheet.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "pmtr/render/contact_sheet.h"
#include "pmtr/render/render.h"

namespace pmtr {
namespace {

bool worse(const LabelledCloud& a, const LabelledCloud& b) {
  return std::tuple(a.score.overlap(), a.score.object, a.score.fragment) <
         std::tuple(b.score.overlap(), b.score.object, b.score.fragment);
}

TriangleMesh coloured(const LabelledCloud& cloud, bool truth) {
  TriangleMesh mesh;
  for (std::size_t i = 0; i < cloud.points.points.size(); ++i) {
    const float broken = truth ? (cloud.broken[i] != 0 ? 1.0F : 0.0F) : cloud.said[i];
    mesh.vertices.push_back(cloud.points.points[i].cast<double>());
    mesh.normals.push_back(cloud.points.normals[i]);
    mesh.colours.emplace_back(0.62F + 0.25F * broken, 0.62F - 0.5F * broken, 0.62F - 0.5F * broken, 1.0F);
  }
  return mesh;
}

Image picture_of_labels(const LabelledCloud& cloud, Threads& threads) {
  constexpr int side = 150;
  Image both(2 * side, side);
  for (const bool truth : {false, true}) {
    const TriangleMesh mesh = coloured(cloud, truth);
    RenderPart part;
    part.mesh = &mesh;
    part.vertex_colours = true;
    RenderOptions options = RenderOptions::white();
    options.width = options.height = side;
    options.samples = 2;
    const Image image = render_scene(std::span(&part, 1), options, threads);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) both.set_pixel((truth ? side : 0) + x, y, image.pixel(x, y));
  }
  return both;
}

}  // namespace

void WorstLabels::add(LabelledCloud cloud) {
  if (most_ == 0) return;
  const std::lock_guard lock(mutex_);
  if (clouds_.size() == most_ && !worse(cloud, clouds_.back())) return;
  clouds_.insert(std::upper_bound(clouds_.begin(), clouds_.end(), cloud, worse), std::move(cloud));
  if (clouds_.size() > most_) clouds_.pop_back();
}

Result<Image> draw_label_sheet(const std::vector<LabelledCloud>& clouds, Threads& threads) {
  std::vector<SheetCell> cells;
  for (const LabelledCloud& cloud : clouds) {
    const LabelScore& score = cloud.score;
    cells.push_back(
        {picture_of_labels(cloud, threads),
         fmt::format("{} #{}\n{:.1f} % of surface, {:.0f} % break\nAUC {:.3f} prec {:.2f} rec {:.2f}",
                     score.object, score.fragment, 100.0 * score.share, 100.0 * score.broken, score.auc,
                     score.precision, score.recall)});
  }
  ContactSheetOptions options;
  options.text_scale = 1;
  options.title = "breaks as seen (left) and true (right)";
  return contact_sheet(cells, options);
}

}  // namespace pmtr
