// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/render.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <vector>

#include <Eigen/Geometry>

#include "pmtr/mesh/measures.h"
#include "pmtr/render/corner_normals.h"
#include "pmtr/render/point_discs.h"
#include "pmtr/render/rasterise.h"
#include "pmtr/render/shade.h"

namespace pmtr {
namespace {

struct Scene {
  std::vector<ScreenTriangle> triangles;
  std::vector<Surface> surfaces;
};

Eigen::Vector3f corner_colour(const RenderPart& part, std::size_t face, std::uint32_t vertex) {
  if (part.vertex_colours && !part.mesh->colours.empty()) {
    const Eigen::Vector4f& rgba = part.mesh->colours[vertex];
    Rgb colour;
    for (int c = 0; c < 3; ++c) {
      colour[static_cast<std::size_t>(c)] =
          static_cast<std::uint8_t>(std::clamp(rgba[c], 0.0F, 1.0F) * 255.0F + 0.5F);
    }
    return linear_light(colour);
  }
  return linear_light(part.face_colours.empty() ? part.colour : part.face_colours[face]);
}

void add_part(const RenderPart& part, std::int32_t id, const Camera& camera, const RenderOptions& options,
              Scene& scene) {
  const TriangleMesh& mesh = *part.mesh;
  PMTR_CHECK(part.face_colours.empty() || part.face_colours.size() == mesh.faces.size(),
             "one colour for every face");
  const Rigid3 eye_from_part = camera.eye_from_world * part.world_from_part;
  const Eigen::Matrix3f turn = eye_from_part.rotation.cast<float>();
  const auto normals = corner_normals(mesh, options.crease_angle_deg);
  const double width = options.width * options.samples;
  const double height = options.height * options.samples;

  std::vector<Eigen::Vector3d> projected(mesh.vertices.size());
  for (std::size_t v = 0; v < projected.size(); ++v) {
    projected[v] = camera.project(eye_from_part * mesh.vertices[v]);
  }
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    ScreenTriangle triangle;
    Surface surface;
    surface.part = id;
    bool drawable = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t v = mesh.faces[f][k];
      const Eigen::Vector3d& p = projected[v];
      // Behind the eye, or so far beside the picture that the grid of the samples ends.
      drawable = drawable && p.z() > 0 && std::abs(p.x()) < 1e4 && std::abs(p.y()) < 1e4;
      triangle.x[k] = (p.x() + 1.0) / 2.0 * width;
      triangle.y[k] = (1.0 - p.y()) / 2.0 * height;
      triangle.inverse_depth[k] = 1.0 / p.z();
      surface.normals[k] = turn * normals[f][k];
      surface.colours[k] = corner_colour(part, f, v);
    }
    if (!drawable) continue;
    scene.triangles.push_back(snapped(triangle));
    scene.surfaces.push_back(surface);
  }
}

/// The parts with discs in place of points.
struct Drawable {
  std::vector<RenderPart> parts;
  std::list<TriangleMesh> discs;
};

Drawable drawable(std::span<const RenderPart> parts, const RenderOptions& options) {
  const Eigen::Vector3d towards_eye =
      options.camera ? Eigen::Vector3d(options.camera->eye_from_world.rotation.row(2)) : options.towards_eye;
  Drawable out;
  out.parts.assign(parts.begin(), parts.end());
  for (RenderPart& part : out.parts) {
    PMTR_CHECK(part.mesh != nullptr, "a part has a mesh");
    if (!part.mesh->faces.empty()) continue;
    out.discs.push_back(point_discs(*part.mesh, part.world_from_part.rotation.transpose() * towards_eye));
    part.mesh = &out.discs.back();
  }
  return out;
}

std::vector<Eigen::Vector3d> world_points(std::span<const RenderPart> parts) {
  std::vector<Eigen::Vector3d> points;
  for (const RenderPart& part : parts) {
    for (const Eigen::Vector3d& v : part.mesh->vertices) points.push_back(part.world_from_part * v);
  }
  return points;
}

}  // namespace

RenderOptions RenderOptions::white() {
  RenderOptions options;
  options.background_bottom = options.background_top;
  return options;
}

Status RenderOptions::validate() const {
  if (samples < 1 || samples > 8) return invalid_option("samples is 1 to 8");
  if (width < 1 || height < 1 || width > 16384 || height > 16384)
    return invalid_option("a picture is 1 to 16384 wide and high");
  if (std::int64_t{1} * width * height * samples * samples > std::int64_t{1} << 28) {
    return invalid_option("width times height times samples squared is at most 2^28");
  }
  if (!(towards_eye.norm() > 0) || !(up.norm() > 0))
    return invalid_option("towards_eye and up have a length");
  if (!(view_angle_deg > 0.1 && view_angle_deg < 150)) return invalid_option("view_angle_deg is 0.1 to 150");
  if (!(margin >= 0 && margin < 0.5)) return invalid_option("margin is 0 to below 0.5");
  if (!(crease_angle_deg >= 0 && crease_angle_deg <= 180))
    return invalid_option("crease_angle_deg is 0 to 180");
  if (!(occlusion >= 0 && occlusion <= 1)) return invalid_option("occlusion is 0 to 1");
  if (!(outline >= 0 && outline <= 1)) return invalid_option("outline is 0 to 1");
  return {};
}

Camera fit_camera(std::span<const RenderPart> parts, const RenderOptions& options) {
  const double half = std::tan(options.view_angle_deg * M_PI / 360.0);
  const double shorter = std::min(options.width, options.height);
  const Drawable content = drawable(parts, options);
  const std::vector<Eigen::Vector3d> points = world_points(content.parts);
  return camera_that_sees(points, options.towards_eye, options.up, half * options.width / shorter,
                          half * options.height / shorter, options.margin);
}

Image render_scene(std::span<const RenderPart> parts, const RenderOptions& options, Threads& threads) {
  const Status valid = options.validate();
  PMTR_CHECK(valid.ok(), valid.error().message);
  const Camera camera = options.camera ? *options.camera : fit_camera(parts, options);

  const Drawable content = drawable(parts, options);
  const Eigen::AlignedBox3d box = bounding_box(world_points(content.parts));
  Scene scene;
  for (std::size_t i = 0; i < content.parts.size(); ++i) {
    add_part(content.parts[i], static_cast<std::int32_t>(i), camera, options, scene);
  }
  const VisibilityBuffer seen =
      rasterise(scene.triangles, options.width * options.samples, options.height * options.samples, threads);
  ShadeOptions shading;
  shading.samples = options.samples;
  shading.occlusion = options.occlusion;
  shading.occlusion_radius = box.isEmpty() ? 0.0 : 0.08 * box.diagonal().norm();
  shading.outline = options.outline;
  shading.background_top = options.background_top;
  shading.background_bottom = options.background_bottom;
  return shade(seen, scene.triangles, scene.surfaces, camera, shading, threads);
}

}  // namespace pmtr
