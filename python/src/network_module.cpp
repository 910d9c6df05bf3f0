// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cmath>

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.h"
#include "mesh.h"
#include "pmtr/evaluate/evaluation_tables.h"
#include "pmtr/network/network_threads.h"
#include "pmtr/pipeline/assemble_files.h"
#include "pmtr/pipeline/evaluation_assembler.h"
#include "pmtr/pipeline/sample_meshes.h"
#include "pmtr/pipeline/usable_scans.h"
#include "pmtr/report/record/result_files.h"
#include "pmtr/train/train_job.h"
#include "poses.h"
#include "record.h"
#include "work.h"

namespace pmtr::python {
namespace {

using OptionalPath = std::optional<std::filesystem::path>;

/// The network; nothing of it changes after it is made, so threads may share one.
struct Encoder {
  ChosenWeights weights;
};

Encoder make_encoder(const OptionalPath& file, const OptionalPath& bundled, std::uint64_t seed) {
  Work work{py::none()};
  return {work.run([&] { return choose_weights(file, bundled, seed, work.listener()); })};
}

std::vector<Mesh> read_all(const std::vector<std::filesystem::path>& paths) {
  Work work{py::none()};
  std::vector<Mesh> out;
  for (MeshFile& file : work.run([&] { return read_fragments(paths, work.listener()); }))
    out.emplace_back(std::make_shared<MeshFile>(std::move(file)), true);
  return out;
}

Record assemble(const std::vector<const Mesh*>& fragments, const Encoder& encoder, std::uint64_t seed,
                std::optional<double> object_size, std::optional<int> points, bool place_all,
                bool only_confirmed, bool exhaustive, std::string units, OptionalPath constraints,
                int threads, py::object callback) {
  AssembleRequest request;
  request.seed = seed;
  request.object_size = object_size;
  request.points = points;
  request.place_all = place_all;
  request.only_confirmed = only_confirmed;
  request.exhaustive = exhaustive;
  request.units = std::move(units);
  request.constraints = std::move(constraints);
  Record out;
  out.files = files_of(fragments);
  if (out.files.empty()) raise({Cause::empty, "there are no fragments", {}});
  Work work(std::move(callback));
  out.record = work.run([&] {
    Threads team(threads);
    return assemble_files(out.files, encoder.weights, request, team, work.listener());
  });
  return out;
}

std::vector<Eigen::Vector3d> in_input(std::span<const Eigen::Vector3f> points, const FragmentClouds& frame) {
  std::vector<Eigen::Vector3d> out;
  for (const Eigen::Vector3f& point : points)
    out.emplace_back(frame.unit * point.cast<double>() + frame.centre);
  return out;
}

py::array matrix_array(const FeatureMatrix& matrix) {
  py::array_t<float> array({static_cast<py::ssize_t>(matrix.rows), static_cast<py::ssize_t>(matrix.columns)});
  std::copy(matrix.values.begin(), matrix.values.end(), array.mutable_data());
  return array;
}

/// What the network says of each fragment of an object, and its surface for the search of poses.
py::list encode(const Encoder& encoder, const std::vector<const Mesh*>& fragments, double object_size,
                std::optional<int> points, std::uint64_t seed, int threads, py::object callback) {
  const std::vector<MeshFile> files = files_of(fragments);
  if (files.empty()) raise({Cause::empty, "there are no fragments", {}});
  AssembleOptions options;
  options.seed = seed;
  options.object_size = object_size;
  if (points) options.sample.points = *points;
  for (const MeshFile& file : files) options.names.push_back(file.path.string());
  raise_unless_ok(options.validate());
  struct Encoded {
    std::vector<FragmentClouds> clouds;
    std::vector<FragmentFeatures> features;
    std::vector<OrientedCloud> surfaces;
  };
  Work work(std::move(callback));
  Encoded found = work.run([&]() -> Result<Encoded> {
    Threads team(threads);
    const std::vector<const TriangleMesh*> meshes = meshes_of(files);
    PMTR_TRY(const UsableScans scans, make_usable(meshes, options, team, work.listener()));
    Encoded out;
    PMTR_TRY(SampledMeshes sampled, sample_meshes(scans.surfaces(), options, team, work.listener()));
    out.clouds = std::move(sampled.fragments);
    PMTR_TRY(out.features, encode_fragments(out.clouds, {}, encoder.weights.encoder, team, work.listener()));
    out.surfaces = orient_fragments(out.clouds, out.features, options.oriented, team);
    return out;
  });
  py::list out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FragmentClouds& cloud = found.clouds[i];
    const FragmentFeatures& features = found.features[i];
    py::dict entry;
    entry["points"] = points_array(in_input(cloud.dense.points, cloud));
    entry["normals"] = points_array(cloud.dense.normals);
    entry["broken"] =
        features.fracture.empty() ? py::object(py::none()) : py::object(copy_array(features.fracture));
    entry["feature_points"] = points_array(in_input(features.points, cloud));
    entry["as_source"] = matrix_array(features.as_source.fine);
    entry["as_target"] = matrix_array(features.as_target.fine);
    Surface surface{std::move(found.surfaces[i]), {}};
    surface.frame.centre = cloud.centre;
    surface.frame.unit = cloud.unit;
    entry["surface"] = py::cast(std::move(surface));
    out.append(entry);
  }
  return out;
}

/// The matches of two fragments as the way of the paper uses them (assemble_by_matches.h).
py::dict match(const Mesh& a, const Mesh& b, const Encoder& encoder, double object_size, std::uint64_t seed,
               int threads, py::object callback) {
  const std::vector<MeshFile> files = files_of({&a, &b});
  AssembleOptions options;
  options.method = PoseMethod::matches;
  options.seed = seed;
  options.object_size = object_size;
  options.names = {files[0].path.string(), files[1].path.string()};
  raise_unless_ok(options.validate());
  Work work(std::move(callback));
  const AssembleResult found = work.run([&] {
    Threads team(threads);
    return assemble_fragments(meshes_of(files), encoder.weights.encoder, options, team, work.listener());
  });
  const auto at = [&](std::size_t side, std::int32_t index) -> Eigen::Vector3d {
    const FragmentClouds& frame = found.fragments[side];
    return frame.unit * found.features[side].points[static_cast<std::size_t>(index)].cast<double>() +
           frame.centre;
  };
  std::vector<Eigen::Vector3d> points_a;
  std::vector<Eigen::Vector3d> points_b;
  std::vector<double> scores;
  py::list poses;
  if (!found.matched.empty()) {
    const MatchedPair& pair = found.matched.front();
    for (const RowMatch& row : pair.mutual) {
      points_a.push_back(at(0, row.a));
      points_b.push_back(at(1, row.b));
      scores.push_back(1.0 - static_cast<double>(row.distance) / 2.0);  // of rows of length 1
    }
    if (pair.mutual.empty()) {
      for (const Correspondence& each : pair.matches.correspondences) {
        points_a.push_back(at(0, each.source));
        points_b.push_back(at(1, each.target));
        scores.push_back(static_cast<double>(each.score));
      }
    }
    std::vector<Rigid3> candidates;
    for (const FramePose& pose : pair.frame_poses) candidates.push_back(pose.a_from_b);
    if (candidates.empty()) candidates = pair.poses;
    for (const Rigid3& pose : candidates)
      poses.append(pose_array(in_input_frame(pose, found.fragments[0], found.fragments[1])));
  }
  py::dict out;
  out["points_a"] = points_array(points_a);
  out["points_b"] = points_array(points_b);
  out["scores"] = copy_array(scores);
  out["poses"] = poses;
  return out;
}

py::dict evaluate(const std::filesystem::path& root, const OptionalPath& split, int min_parts, int max_parts,
                  std::optional<int> limit, bool pairs, const std::string& pose, bool place_all,
                  std::uint64_t seed, const OptionalPath& cache, const Encoder& encoder, int threads,
                  py::object callback) {
  EvaluateOptions options;
  options.layout.split = split;
  options.layout.min_parts = min_parts;
  options.layout.max_parts = max_parts;
  options.limit = limit;
  options.pairs = pairs;
  options.seed = seed;
  raise_unless_ok(options.validate());
  Work work(std::move(callback));
  Evaluation found = work.run([&]() -> Result<Evaluation> {
    PMTR_TRY(const AssembleOptions assembly,
             evaluated_options(pose, place_all, seed, encoder.weights.encoder));
    PMTR_TRY(const DatasetIndex index, list_dataset(root, options.layout, work.listener()));
    Threads team(threads);
    return evaluate_objects(index, ObjectCache(cache.value_or("")),
                            make_assembler(encoder.weights.encoder, assembly, {}, nullptr), options, team,
                            work.listener());
  });
  found.config["weights"] = encoder.weights.name;
  found.config["pose"] = pose;
  found.config["placed"] = place_all ? "all" : "likely";
  py::dict out;
  out["json"] = py::bytes(format_evaluation(found));
  out["tables"] = markdown_tables(found);
  return out;
}

py::dict train(const OptionalPath& config, const std::filesystem::path& data,
               const std::filesystem::path& folder, std::optional<std::int64_t> steps,
               std::optional<std::uint64_t> seed, const OptionalPath& weights, const OptionalPath& cache,
               bool resume, int threads, py::object callback) {
  Work work(std::move(callback));
  TrainJob job;
  if (config) job.config = work.run([&] { return read_config(*config); });
  if (steps) job.config.train.steps = *steps;
  if (seed) job.config.train.seed = *seed;
  raise_unless_ok(job.config.validate());
  job.folders.data = data;
  job.out = folder;
  job.warm_start = weights;
  job.cache = cache;
  job.resume = resume;
  const TrainJobResult result = work.run([&] {
    Threads team(threads);
    const std::unique_ptr<WorkerGroup> alone = lone_worker();
    return run_training(job, *alone, team, work.listener());
  });
  const TrainingSummary& summary = result.summary;
  py::dict losses;
  losses["total"] = summary.losses.total;
  losses["coarse"] = summary.losses.coarse;
  losses["fine"] = summary.losses.fine;
  losses["points"] = summary.losses.points;
  losses["orthonormal"] = summary.losses.orthonormal;
  losses["zero"] = summary.losses.zero;
  losses["fracture"] = summary.losses.fracture;
  py::dict out;
  out["first_step"] = summary.first_step;
  out["steps"] = summary.steps;
  out["losses"] = losses;
  out["best_score"] = summary.best_score < 0.0 ? py::object(py::none()) : py::cast(summary.best_score);
  out["seconds_per_step"] = summary.seconds_per_step;
  return out;
}

}  // namespace
}  // namespace pmtr::python

// What needs torch. Types of _geometry (Mesh, Record, Surface) come from there, so it is loaded first.
PYBIND11_MODULE(_network, module) {
  using namespace pmtr::python;
  py::module_::import("pmtr._geometry");
  prepare_module();
  // As pmtr-network does: the kernels do the threading. Torch's own operators are for the whole process, so a
  // program that uses PyTorch as well may set them again; results do not depend on it.
  pmtr::set_network_threads(1);
  py::class_<Encoder>(module, "Encoder")
      .def_property_readonly("name", [](const Encoder& encoder) { return encoder.weights.name; })
      .def_property_readonly("trained", [](const Encoder& encoder) { return encoder.weights.trained; })
      .def_property_readonly("reads_breaks", [](const Encoder& encoder) {
        return encoder.weights.encoder.options().break_cloud;
      });
  module.def("make_encoder", &make_encoder);
  module.def("read_fragments", &read_all);
  module.def("assemble", &assemble);
  module.def("encode", &encode);
  module.def("match", &match);
  module.def("evaluate", &evaluate);
  module.def("train", &train);
}
