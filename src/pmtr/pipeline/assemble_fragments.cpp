// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/assemble_fragments.h"

#include <chrono>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "pmtr/pose/contact.h"
#include "pmtr/pyramid/pyramid.h"
#include "pmtr/sample/object_scale.h"
#include "pmtr/sample/sample_surface.h"

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

/// A fragment in the network's units: centred on the mean of its points, the object's longest side 1.
struct NetworkFrame {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  std::vector<Eigen::Vector3f> points;
};

NetworkFrame to_network_frame(const PointCloud& cloud, double object_size) {
  NetworkFrame frame;
  for (const auto& point : cloud.points)
    frame.centre += point.cast<double>() / static_cast<double>(cloud.points.size());
  for (const auto& point : cloud.points) {
    frame.points.push_back(((point.cast<double>() - frame.centre) / object_size).cast<float>());
  }
  return frame;
}

Rigid3 to_input_units(const Rigid3& source_from_target, const NetworkFrame& source,
                      const NetworkFrame& target, double object_size) {
  const Rigid3 source_from_centred{Eigen::Matrix3d::Identity(), source.centre};
  const Rigid3 centred_from_target{Eigen::Matrix3d::Identity(), -target.centre};
  const Rigid3 scaled{source_from_target.rotation, object_size * source_from_target.translation};
  return source_from_centred * scaled * centred_from_target;
}

bool all_have_normals(std::span<const PointCloud> clouds) {
  for (const PointCloud& cloud : clouds) {
    if (cloud.normals.size() != cloud.points.size()) return false;
  }
  return true;
}

}  // namespace

Status AssembleOptions::validate() const {
  PMTR_TRY_STATUS(match.validate());
  PMTR_TRY_STATUS(registration.validate());
  if (!std::isfinite(object_size) || object_size < 0.0) {
    return Error{Cause::invalid_option, "the size of the object must be a positive number", {}};
  }
  if (!(contact_tolerance > 0.0))
    return Error{Cause::invalid_option, "the contact tolerance must be positive", {}};
  return {};
}

Result<AssembleResult> assemble_fragments(std::span<const TriangleMesh> fragments,
                                          const FragmentEncoder& encoder, const AssembleOptions& options,
                                          Threads& threads, const Listener& listener) {
  PMTR_TRY_STATUS(options.validate());
  if (fragments.size() != 2) {
    return Error{Cause::unsupported,
                 fmt::format("{} fragments given; this version assembles two", fragments.size()),
                 {}};
  }
  AssembleResult result;
  StageClock clock(result.timing_ms);
  const auto stop = [&](const char* stage, int done) {
    listener.advance(stage, done, 4);
    return listener.stop();
  };
  const Error cancelled{Cause::cancelled, "stopped", {}};

  result.object_size = options.object_size;
  if (result.object_size == 0.0) {
    PMTR_TRY(result.object_size, estimate_object_size(fragments));
    listener.say(fmt::format("estimated longest side of the whole object: {:.4g}", result.object_size));
  }
  SampleOptions sample;
  sample.seed = options.seed;
  sample.points_per_object = options.points;
  PMTR_TRY(const std::vector<PointCloud> clouds, sample_fragments(fragments, sample, threads));
  sample.points_per_object = options.dense_points;
  PMTR_TRY(const std::vector<PointCloud> dense, sample_fragments(fragments, sample, threads));
  clock.ended("sample");
  if (stop("sample", 1)) return cancelled;

  std::vector<NetworkFrame> frames;
  std::vector<std::vector<Eigen::Vector3f>> points;
  for (const PointCloud& cloud : clouds) {
    frames.push_back(to_network_frame(cloud, result.object_size));
    points.push_back(std::move(frames.back().points));
  }
  PMTR_TRY(const std::vector<Pyramid> pyramids, build_pyramids(points, encoder.options().pyramid, threads));
  clock.ended("pyramid");

  const auto [source, target] = encoder.encode_pair(pyramids[0], pyramids[1], threads);
  clock.ended("encode");
  if (stop("encode", 2)) return cancelled;

  const PairMatches matches = match_pair(source, target, encoder.dustbin_score(), options.match, threads);
  clock.ended("match");
  if (stop("match", 3)) return cancelled;

  const auto registration =
      register_local_to_global(source.points, target.points, matches.correspondences, options.registration);
  std::optional<Joint> joint;
  if (registration) {
    joint.emplace();
    joint->a = 0;
    joint->b = 1;
    joint->a_from_b =
        to_input_units(registration->source_from_target, frames[0], frames[1], result.object_size);
    joint->matches = registration->inliers;
    joint->confidence = registration->inlier_share;
    if (all_have_normals(dense)) {
      joint->contact = measure_contact(dense[0], dense[1], joint->a_from_b, surface_area(fragments[1]),
                                       options.contact_tolerance * result.object_size, threads);
    }
  }
  clock.ended("pose");
  result.assembly = assemble_two(joint, surface_area(fragments[0]), surface_area(fragments[1]));
  stop("pose", 4);
  return result;
}

}  // namespace pmtr
