// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/assemble_fragments.h"

#include <chrono>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "pmtr/core/threads.h"
#include "pmtr/pose/contact.h"
#include "pmtr/sample/object_scale.h"

namespace pmtr {
namespace {

/// Adds the wall time since the last stage to the one that just ended.
class StageClock {
 public:
  explicit StageClock(std::map<std::string, double>& timing) : timing_(&timing) {}
  void ended(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    (*timing_)[stage] += std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
  }

 private:
  std::map<std::string, double>* timing_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

bool all_have_normals(std::span<const NetworkFrame> frames) {
  for (const NetworkFrame& frame : frames) {
    if (frame.dense.normals.size() != frame.dense.points.size()) return false;
  }
  return true;
}

/// The way of the paper: the matches of two fragments make the pose, nothing looks at the surfaces.
std::optional<Joint> joint_by_matches(std::span<const NetworkFrame> frames, const FragmentFeatures& source,
                                      const FragmentFeatures& target, float dustbin_score,
                                      const AssembleOptions& options, Threads& threads) {
  const PairMatches matches = match_pair(source, target, dustbin_score, options.joints.match, threads);
  const auto registration = register_local_to_global(source.points, target.points, matches.correspondences,
                                                     options.joints.registration);
  if (!registration) return std::nullopt;
  Joint joint;
  joint.a = 0;
  joint.b = 1;
  joint.a_from_b = to_input_units(registration->source_from_target, frames[0], frames[1]);
  joint.matches = registration->inliers;
  joint.confidence = registration->inlier_share;
  if (all_have_normals(frames)) {
    // Measured in network units, told in the input's.
    const double size = frames[0].object_size;
    joint.contact = measure_contact(frames[0].dense, frames[1].dense, registration->source_from_target,
                                    frames[1].area, options.contact_tolerance, threads);
    joint.contact->area *= size * size;
    joint.contact->gap_mean *= size;
    joint.contact->gap_p95 *= size;
    joint.contact->penetration *= size;
  }
  return joint;
}

}  // namespace

Status AssembleOptions::validate() const {
  PMTR_TRY_STATUS(joints.validate());
  PMTR_TRY_STATUS(surfaces.validate());
  if (!std::isfinite(object_size) || object_size < 0.0) {
    return Error{Cause::invalid_option, "the size of the object must be a positive number", {}};
  }
  if (!(point_noise >= 0.0 && point_noise < 1.0))
    return Error{Cause::invalid_option, "the noise of the points must be from 0 to below 1", {}};
  if (!(contact_tolerance > 0.0))
    return Error{Cause::invalid_option, "the contact tolerance must be positive", {}};
  return {};
}

Result<AssembleResult> assemble_fragments(std::span<const TriangleMesh> fragments,
                                          const FragmentEncoder& encoder, const AssembleOptions& options,
                                          Threads& threads, const Listener& listener) {
  PMTR_TRY_STATUS(options.validate());
  const bool searching = encoder.options().fracture_head;
  if (fragments.empty()) return Error{Cause::empty, "nothing to assemble: no fragments", {}};
  if (!searching && fragments.size() > 2) {
    return Error{
        Cause::unsupported,
        fmt::format("{} fragments given; weights without a fracture head assemble two", fragments.size()),
        {}};
  }
  AssembleResult result;
  if (fragments.size() == 1) {
    // Nothing to join, but nothing wrong either: it is already where it belongs.
    result.object_size = options.object_size;
    if (result.object_size == 0.0) {
      PMTR_TRY(result.object_size, estimate_object_size(fragments));
    }
    result.assembly.parts.resize(1);
    result.assembly.parts[0].placed = result.assembly.parts[0].anchor = true;
    result.assembly.parts[0].component = 0;
    return result;
  }
  StageClock clock(result.timing_ms);
  const Error cancelled{Cause::cancelled, "stopped", {}};

  result.object_size = options.object_size;
  if (result.object_size == 0.0) {
    PMTR_TRY(result.object_size, estimate_object_size(fragments));
    listener.say(fmt::format("estimated longest side of the whole object: {:.4g}", result.object_size));
  }
  PMTR_TRY(std::vector<NetworkFrame> frames,
           sample_for_network(fragments, options.points, options.dense_points, result.object_size,
                              options.seed, threads));
  if (options.point_noise > 0.0) add_noise(frames, options.point_noise, options.seed);
  clock.ended("sample");
  if (listener.stop()) return cancelled;

  std::vector<FragmentInput> inputs(fragments.size());
  std::vector<Status> states(fragments.size());
  run_tasks(threads, static_cast<std::int64_t>(fragments.size()), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    auto input = prepare_input(frames[at].cloud, frames[at].dense, encoder.options(), SIZE_MAX, threads);
    if (input.ok()) {
      inputs[at] = std::move(input).value();
    } else {
      states[at] = input.error();
    }
  });
  for (const Status& state : states) PMTR_TRY_STATUS(state);
  clock.ended("pyramid");

  if (!searching) {
    const auto [source, target] = encoder.encode_pair(inputs[0].pyramid, inputs[1].pyramid, threads);
    clock.ended("encode");
    if (listener.stop()) return cancelled;
    const auto joint = joint_by_matches(frames, source, target, encoder.dustbin_score(), options, threads);
    clock.ended("pose");
    result.assembly = assemble_two(joint, surface_area(fragments[0]), surface_area(fragments[1]));
    return result;
  }

  const std::vector<FragmentFeatures> features = encoder.encode_all(inputs, threads, listener);
  clock.ended("encode");
  if (listener.stop()) return cancelled;
  std::vector<KnownFragment> known;
  for (std::size_t i = 0; i < fragments.size(); ++i) known.push_back({&frames[i], &features[i]});
  if (options.joints.source == PoseSource::matches) {
    const std::vector<Joint> joints =
        joints_by_matches(known, encoder.dustbin_score(), options.joints, threads, listener);
    clock.ended("joints");
    if (listener.stop()) return cancelled;
    std::vector<PartShape> shapes;
    for (const NetworkFrame& frame : frames) shapes.push_back({Eigen::Vector3d::Zero(), frame.area});
    PMTR_TRY(result.assembly,
             options.solve(shapes, joints, 1.0, options.surfaces.assembly, listener, PairCheck{}));
    to_input_units(known, result.assembly);
    clock.ended("assemble");
    return result;
  }
  const std::vector<OrientedCloud> clouds = orient_fragments(known, options.joints.oriented, threads);
  clock.ended("orient");
  std::vector<int> inliers(fragments.size() * fragments.size(), 0);
  HintSource hints;
  if (options.joints.source == PoseSource::both) {
    hints = [&](int a, int b) {
      MatchedPair pair =
          match_fragments(a, b, known, clouds, encoder.dustbin_score(), options.joints, threads);
      if (pair.registration)
        inliers[static_cast<std::size_t>(a) * fragments.size() + static_cast<std::size_t>(b)] =
            pair.registration->inliers;
      return std::move(pair.poses);
    };
  }
  SurfaceAssemblyOptions surfaces = options.surfaces;
  surfaces.pairs.search.seed = surfaces.pairs.look.seed = options.seed;
  surfaces.oriented = options.joints.oriented;
  PMTR_TRY(result.assembly,
           assemble_surfaces(clouds, 1.0, hints, surfaces, threads, listener, options.solve));
  for (Joint& joint : result.assembly.joints)
    joint.matches =
        inliers[static_cast<std::size_t>(joint.a) * fragments.size() + static_cast<std::size_t>(joint.b)];
  to_input_units(known, result.assembly);
  clock.ended("assemble");
  return result;
}

}  // namespace pmtr
