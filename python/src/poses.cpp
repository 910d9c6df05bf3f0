// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "poses.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.h"
#include "pmtr/averaging/robust_averaging.h"
#include "pmtr/averaging/translations.h"
#include "pmtr/evaluate/metrics.h"
#include "pmtr/pose/pose_search.h"
#include "work.h"

namespace pmtr::python {
namespace {

Surface make_surface(const py::object& points_in, const py::object& normals_in, const py::object& broken_in,
                     double area, double object_size, int threads) {
  const auto points = rows3(expect_doubles(points_in, "points", {-1, 3}));
  const auto normals = rows3(expect_doubles(normals_in, "normals", {-1, 3}));
  const auto broken = values_of<double>(expect_doubles(broken_in, "broken", {-1}));
  if (points.empty()) raise({Cause::empty, "points: there are none", {}});
  if (normals.size() != points.size() || broken.size() != points.size())
    raise({Cause::mismatch,
           fmt::format("{} points, {} normals and {} labels do not belong together", points.size(),
                       normals.size(), broken.size()),
           {}});
  if (!(area > 0.0 && std::isfinite(area))) raise(invalid_option("area: must be a positive number"));
  if (!(object_size > 0.0 && std::isfinite(object_size)))
    raise(invalid_option("object_size: must be a positive number"));
  Surface surface;
  Eigen::Vector3d& centre = surface.frame.centre;
  for (const Eigen::Vector3d& point : points) centre += point / static_cast<double>(points.size());
  surface.frame.unit = object_size;
  PointCloud cloud;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double length = normals[i].norm();
    if (!points[i].allFinite() || !std::isfinite(length) || !std::isfinite(broken[i]))
      raise({Cause::not_finite, fmt::format("point {}: a number is NaN or infinite", i), {}});
    if (!(length > 0.0)) raise({Cause::degenerate, fmt::format("normals: that of point {} is zero", i), {}});
    if (broken[i] < 0.0 || broken[i] > 1.0)
      raise({Cause::malformed, fmt::format("broken: that of point {} is not from 0 to 1", i), {}});
    cloud.points.emplace_back(((points[i] - centre) / object_size).cast<float>());
    cloud.normals.emplace_back((normals[i] / length).cast<float>());
  }
  const std::vector<float> scores = to_floats(broken);
  Work work{py::none()};
  surface.cloud = work.run([&]() -> Result<OrientedCloud> {
    Threads team(threads);
    return orient_cloud(cloud, scores, area / (object_size * object_size), {}, team);
  });
  return surface;
}

py::list search(const Surface& a, const Surface& b, const std::vector<py::object>& hints_in, bool brief,
                int kept, std::uint64_t seed, int threads) {
  PoseSearchOptions options = brief ? PoseSearchOptions::brief() : PoseSearchOptions{};
  options.kept = kept;
  options.seed = seed;
  raise_unless_ok(options.validate());
  if (a.frame.unit != b.frame.unit)
    raise({Cause::mismatch, "the two surfaces were made with different object sizes", {}});
  std::vector<Rigid3> hints;
  for (const py::object& hint : hints_in)
    hints.push_back(in_object_frame(expect_pose(hint, "hints"), a.frame, b.frame));
  Work work{py::none()};
  const auto found = work.run([&]() -> Result<std::vector<PoseCandidate>> {
    Threads team(threads);
    return search_poses(a.cloud, b.cloud, hints, options, team);
  });
  py::list out;
  for (const PoseCandidate& candidate : found) {
    py::dict entry;
    entry["a_from_b"] = pose_array(in_input_frame(candidate.a_from_b, a.frame, b.frame));
    entry["confidence"] = candidate.confidence;
    entry["evidence"] = evidence_dict(in_units(candidate.evidence, a.frame.unit));
    out.append(entry);
  }
  return out;
}

PoseGraph graph_of(int nodes, const py::object& pairs_in, const py::object& rotations_in,
                   const py::object& weights_in) {
  const auto pairs = values_of<std::int32_t>(expect_ints(pairs_in, "pairs", {-1, 2}));
  const py::array rotations = expect_doubles(rotations_in, "a_from_b", {-1, 3, 3});
  const std::size_t count = pairs.size() / 2;
  if (static_cast<std::size_t>(rotations.shape(0)) != count)
    raise({Cause::mismatch, fmt::format("{} pairs, but {} rotations", count, rotations.shape(0)), {}});
  std::span<const double> weights;
  if (!weights_in.is_none()) {
    weights = values_of<double>(expect_doubles(weights_in, "weights", {-1}));
    if (weights.size() != count)
      raise({Cause::mismatch, fmt::format("{} pairs, but {} weights", count, weights.size()), {}});
  }
  PoseGraph graph{nodes, {}};
  for (std::size_t i = 0; i < count; ++i) {
    PoseEdge& edge = graph.edges.emplace_back();
    edge.a = pairs[2 * i];
    edge.b = pairs[2 * i + 1];
    edge.a_from_b.rotation = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
        static_cast<const double*>(rotations.data()) + 9 * i);
    if (!weights.empty()) edge.rotation_weight = weights[i];
  }
  raise_unless_ok(graph.validate());
  return graph;
}

py::dict average(int nodes, const py::object& pairs, const py::object& rotations, const py::object& weights,
                 bool robust, double inlier_angle_deg) {
  const PoseGraph graph = graph_of(nodes, pairs, rotations, weights);
  RobustAveragingOptions options;
  options.inlier_angle_deg = inlier_angle_deg;
  raise_unless_ok(options.validate());
  Work work{py::none()};
  const RobustAveraging found = work.run([&]() -> Result<RobustAveraging> {
    if (robust) return average_rotations_robustly(graph, options);
    PMTR_TRY(RotationAveraging averaging, average_rotations(graph, options.averaging));
    return RobustAveraging{std::move(averaging), std::vector<bool>(graph.edges.size(), true), 0};
  });
  const RotationAveraging& averaging = found.averaging;
  py::array_t<double> rotations_out(
      {static_cast<py::ssize_t>(averaging.world_from_node.size()), py::ssize_t{3}, py::ssize_t{3}});
  double* to = rotations_out.mutable_data();
  for (const Eigen::Matrix3d& rotation : averaging.world_from_node)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) *to++ = rotation(r, c);
  py::array_t<bool> kept(static_cast<py::ssize_t>(found.kept.size()));
  std::copy(found.kept.begin(), found.kept.end(), kept.mutable_data());
  py::dict out;
  out["world_from_node"] = rotations_out;
  out["kept"] = kept;
  out["residual_deg"] = copy_array(averaging.residual_deg);
  out["cost"] = averaging.cost;
  out["lower_bound"] = averaging.lower_bound;
  out["min_eigenvalue"] = averaging.min_eigenvalue;
  out["optimal"] = averaging.optimal;
  return out;
}

double chamfer(const py::object& a_in, const py::object& b_in, int threads) {
  std::array<std::vector<Eigen::Vector3f>, 2> clouds;
  for (const auto& [name, value, cloud] :
       {std::tuple("a", &a_in, &clouds[0]), std::tuple("b", &b_in, &clouds[1])}) {
    const auto rows = rows3(expect_doubles(*value, name, {-1, 3}));
    if (rows.empty()) raise({Cause::empty, fmt::format("{}: no points", name), {}});
    for (const Eigen::Vector3d& row : rows)
      if (!row.allFinite()) raise({Cause::not_finite, fmt::format("{}: NaN or infinite", name), {}});
    *cloud = to_float_rows(rows);
  }
  Work work{py::none()};
  return work.run([&]() -> Result<double> {
    Threads team(threads);
    return chamfer_distance(clouds[0], clouds[1], team);
  });
}

}  // namespace

py::dict evidence_dict(const JointEvidence& evidence) {
  py::dict out;
  out["contact_points"] = evidence.contact_points;
  out["contact_area"] = evidence.contact_area;
  out["gap_mean"] = evidence.gap_mean;
  out["gap_p95"] = evidence.gap_p95;
  out["coverage_a"] = evidence.coverage_a;
  out["coverage_b"] = evidence.coverage_b;
  out["penetration_area"] = evidence.penetration_area;
  out["penetration_depth"] = evidence.penetration_depth;
  out["border_agreement"] = evidence.border_agreement;
  return out;
}

void bind_poses(py::module_& module) {
  py::class_<Surface>(module, "Surface")
      .def_property_readonly("points", [](const Surface& s) { return s.cloud.points.size(); })
      .def_property_readonly("broken_points", [](const Surface& s) { return s.cloud.fracture.size(); })
      .def_property_readonly("object_size", [](const Surface& s) { return s.frame.unit; });
  module.def("make_surface", &make_surface);
  module.def("search_poses", &search);
  module.def("average_rotations", &average);
  module.def("chamfer_distance", &chamfer);
}

}  // namespace pmtr::python
