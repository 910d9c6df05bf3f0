// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <span>

#include <Eigen/Core>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/core/threads.h"
#include "pmtr/mesh/triangle_mesh.h"
#include "pmtr/render/camera.h"
#include "pmtr/render/image.h"

namespace pmtr {

/// One thing in the picture. The mesh and the face colours belong to the caller.
struct RenderPart {
  const TriangleMesh* mesh = nullptr;  ///< without faces: drawn as small discs
  Rigid3 world_from_part;
  Rgb colour = {200, 200, 200};
  bool vertex_colours = false;          ///< the mesh's own, where it has them
  std::span<const Rgb> face_colours{};  ///< one per face, in place of `colour`; or empty
};

struct RenderOptions {
  int width = 640;   ///< pixels
  int height = 480;  ///< pixels
  /// Samples per pixel and side: 2 means four samples. Edges get smoother, time grows with the square.
  int samples = 2;
  /// From the content towards the eye, any length. Z is up, as most scans have it.
  Eigen::Vector3d towards_eye = {0.8, -1.0, 0.55};
  Eigen::Vector3d up = Eigen::Vector3d::UnitZ();
  double view_angle_deg = 24.0;  ///< of the shorter side; small angles look flat
  double margin = 0.06;          ///< share of each side that stays free
  Rgb background_top = {255, 255, 255};
  Rgb background_bottom = {232, 235, 239};
  /// Faces that meet at less than this look round, others have an edge.
  double crease_angle_deg = 32.0;
  double occlusion = 0.75;  ///< how dark it gets in corners, 0 to 1; 0 saves the time
  double outline = 0.55;    ///< how dark the line between parts is, 0 to 1
  /// Where to look from; by default everything fits. For several pictures in the same frame.
  std::optional<Camera> camera;

  static RenderOptions white();  ///< a plain white ground, for print
  Status validate() const;
};

/// Where the eye must be to see all parts under these options.
Camera fit_camera(std::span<const RenderPart> parts, const RenderOptions& options);

/// Draws with the processor alone: no window, no graphics card. The same for any number of threads.
/// The options must be valid.
Image render_scene(std::span<const RenderPart> parts, const RenderOptions& options, Threads& threads);

}  // namespace pmtr
