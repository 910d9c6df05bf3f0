// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "pmtr/assemble/assemble_surfaces.h"
#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/mesh/triangle_mesh.h"
#include "pmtr/network/fragment_encoder.h"
#include "pmtr/pipeline/find_joints.h"

namespace pmtr {

struct AssembleOptions {
  /// Points per object on which the network matches.
  int points = 5000;
  /// Points per object on which contact is measured.
  int dense_points = 20000;
  /// Longest side of the whole object in the input's units; 0: estimated from the fragments.
  double object_size = 0.0;
  /// Surfaces nearer than this share of the object's size touch.
  double contact_tolerance = 0.02;
  /// To study robustness: points are moved at random by this share of the object's size.
  double point_noise = 0.0;
  std::uint64_t seed = 0;
  JointOptions joints;
  SurfaceAssemblyOptions surfaces;
  /// Instead of assemble_many, where more is known about the joints. Joints are then in network units.
  JointSolver solve = assemble_many;

  Status validate() const;
};

struct AssembleResult {
  Assembly assembly;
  double object_size = 0.0;                 ///< the scale that was used
  std::map<std::string, double> timing_ms;  ///< wall time of each stage
};

/// The whole way from meshes to an assembly. Fragments for which no pose is found are not placed; that is not
/// an error. One fragment alone stays where it is.
Result<AssembleResult> assemble_fragments(std::span<const TriangleMesh> fragments,
                                          const FragmentEncoder& encoder, const AssembleOptions& options,
                                          Threads& threads, const Listener& listener);

}  // namespace pmtr
