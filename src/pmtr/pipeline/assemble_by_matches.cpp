// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/assemble_by_matches.h"

#include <algorithm>
#include <utility>

#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/pipeline/input_frame.h"
#include "pmtr/pipeline/sample_meshes.h"
#include "pmtr/pipeline/stage_clock.h"
#include "pmtr/pipeline/usable_scans.h"

namespace pmtr {
namespace {

bool all_have_normals(std::span<const FragmentClouds> fragments) {
  return std::all_of(fragments.begin(), fragments.end(), [](const FragmentClouds& fragment) {
    return fragment.dense.normals.size() == fragment.dense.points.size();
  });
}

}  // namespace

Result<AssembleResult> assemble_by_matches(std::span<const TriangleMesh* const> given,
                                           const FragmentEncoder& encoder, const AssembleOptions& options,
                                           Threads& threads, const Listener& listener) {
  PMTR_TRY_STATUS(options.validate());
  AssembleResult result;
  StageClock clock(result.timing_ms);
  PMTR_TRY(const UsableScans scans, make_usable(given, options, threads, listener));
  const std::vector<const TriangleMesh*> meshes = scans.surfaces();
  AssembleOptions how = options;
  // The networks of the paper know objects of size 1 only.
  if (!encoder.options().sees_breaks()) how.unit_fragments = 0.0;
  PMTR_TRY(SampledMeshes sampled, sample_meshes(meshes, how, threads, listener));
  result.object_size = sampled.object_size;
  result.fragments = std::move(sampled.fragments);
  // Two fragments have one joint at most, and nothing else could tell whether it is wrong.
  result.solve = meshes.size() == 2 ? options.solve.placing_all() : options.solve;
  clock.ended("sample");
  if (meshes.size() == 1) {
    result.assembly = lone_fragment();
    return result;
  }
  PMTR_TRY(result.features,
           encode_fragments(result.fragments, options.known_breaks, encoder, threads, listener));
  clock.ended("encode");

  result.matched = match_pairs(result.features, {}, options.pairs_to_look_at(static_cast<int>(meshes.size())),
                               encoder.dustbin_score(), options.match, threads, listener,
                               features_of_pair(encoder, result.features, threads));
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  clock.ended("match");

  std::vector<OrientedCloud>& surfaces = result.surfaces;
  if (all_have_normals(result.fragments))
    surfaces = orient_fragments(result.fragments, result.features, options.oriented, threads);
  std::vector<PartShape> shapes;
  for (const FragmentClouds& fragment : result.fragments)
    shapes.push_back({Eigen::Vector3d::Zero(), fragment.area});
  const bool by_frames = options.method != PoseMethod::lgr && encoder.options().break_cloud;
  result.candidates = by_frames ? joints_by_frames(result.matched) : joints_by_registration(result.matched);
  PMTR_TRY(Assembly assembly, solve_joints(shapes, result.candidates, 1.0, result.solve, listener));
  assembly = measure_assembly(std::move(assembly), shapes, surfaces);
  result.assembly = in_input_frame(std::move(assembly), result.fragments);
  clock.ended("assemble");
  return result;
}

}  // namespace pmtr
