// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/assembly_pictures.h"

#include <algorithm>

#include <fmt/format.h>

#include "pmtr/mesh/measures.h"
#include "pmtr/render/contact_sheet.h"
#include "pmtr/render/explode.h"
#include "pmtr/render/part_colours.h"
#include "pmtr/report/record/units.h"

namespace pmtr {
namespace {

std::optional<Image> joint_sheet(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes,
                                 const DisplayLayout& layout, int cells, Threads& threads) {
  const std::vector<Joint>& joints = record.assembly.joints;
  std::vector<std::size_t> used;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].used) used.push_back(j);
  }
  std::stable_sort(used.begin(), used.end(),
                   [&](std::size_t x, std::size_t y) { return joints[x].confidence < joints[y].confidence; });
  used.resize(std::min(used.size(), static_cast<std::size_t>(cells)));
  const std::vector<std::string> names = record.context.names();
  std::vector<SheetCell> sheet;
  for (const std::size_t j : used) {
    std::vector<RenderPart> pair;
    for (const int p : {joints[j].a, joints[j].b}) {
      const auto i = static_cast<std::size_t>(p);
      RenderPart part;
      part.mesh = meshes[i];
      part.world_from_part = layout.view_from_part[i];
      part.colour = part_colour(i);
      pair.push_back(part);
    }
    RenderOptions options = RenderOptions::white();
    options.width = 300;
    options.height = 240;
    std::string caption =
        fmt::format("{} + {}\nconfidence {:.2f}", names[static_cast<std::size_t>(joints[j].a)],
                    names[static_cast<std::size_t>(joints[j].b)], joints[j].confidence);
    if (joints[j].evidence && joints[j].evidence->contact_points > 0) {
      caption +=
          fmt::format("\ngap {:.3g}{}", joints[j].evidence->gap_mean, unit_suffix(record.context.units));
    }
    sheet.push_back({render_scene(exploded(pair, 0.25), options, threads), caption});
  }
  if (sheet.empty()) return std::nullopt;
  ContactSheetOptions options;
  options.text_scale = 1;
  auto image = contact_sheet(sheet, options);
  PMTR_CHECK(image.ok(), image.error().text());
  return *std::move(image);
}

}  // namespace

AssemblyPictures draw_assembly(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes,
                               const DisplayLayout& layout, const PictureOptions& options, Threads& threads,
                               const Listener& listener) {
  AssemblyPictures out;
  const std::vector<RenderPart> together = placed_parts(record, meshes, layout, 0.0);
  if (together.empty()) return out;
  RenderOptions render = RenderOptions::white();
  render.width = options.width;
  render.height = options.height;
  out.assembled = render_scene(together, render, threads);
  if (listener.stop()) return out;
  const std::vector<RenderPart> apart = placed_parts(record, meshes, layout, options.explode);
  render.camera = fit_camera(apart, render);
  out.exploded = render_scene(apart, render, threads);
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    if (!record.assembly.parts[i].placed) continue;
    const Eigen::Vector3d middle =
        bounding_box(*meshes[i], layout.view_from_part[i]).center() + options.explode * layout.explode[i];
    const Eigen::Vector3d at = render.camera->project(render.camera->eye_from_world * middle);
    out.numbers.push_back({i, 0.5 + 0.5 * at.x(), 0.5 - 0.5 * at.y()});
  }
  if (listener.stop()) return out;
  out.joints = joint_sheet(record, meshes, layout, options.joint_cells, threads);
  return out;
}

}  // namespace pmtr
