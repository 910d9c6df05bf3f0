// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pmtr/core/file.h"
#include "pmtr/core/random.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/pose/joint_evidence.h"
#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/report/record/assembly_json.h"
#include "pmtr/sample/sample_surface.h"

namespace pmtr::test {

/// An assembly of an object of examples/ as the network might have found it: the joints come from the true
/// poses, slightly off, each with a second, wrong candidate. No network needed.
struct ExampleAssembly {
  std::vector<MeshFile> files;
  AssemblyRecord record;
  std::vector<Rigid3> truth;          ///< world_from_part
  std::vector<OrientedCloud> clouds;  ///< on which contact is measured; every point may lie on a break

  std::vector<PartShape> shapes() const {
    std::vector<PartShape> out;
    for (const MeshFile& file : files) out.push_back(shape_of(file.mesh));
    return out;
  }

  void solve() {
    record.context.decisions = {};
    auto solved = solve_joints(shapes(), record.assembly.joints, record.context.object_size, {});
    if (!solved.ok()) throw std::runtime_error(solved.error().text());
    record.assembly = *std::move(solved);
  }
};

inline Joint measured_joint(const ExampleAssembly& example, int a, int b, const Rigid3& a_from_b,
                            double confidence) {
  Joint joint;
  joint.a = a;
  joint.b = b;
  joint.a_from_b = a_from_b;
  joint.confidence = confidence;
  joint.matches = 60;
  joint.evidence = measure_joint(example.clouds[static_cast<std::size_t>(a)],
                                 example.clouds[static_cast<std::size_t>(b)], a_from_b, {});
  return joint;
}

/// b turned about its own middle: where it does not belong.
inline Rigid3 turned_in_place(const ExampleAssembly& example, const Rigid3& a_from_b, int b, double degrees) {
  const Eigen::Vector3d centre = shape_of(example.files[static_cast<std::size_t>(b)].mesh).centre;
  const Rigid3 turn{
      Eigen::AngleAxisd(degrees * M_PI / 180, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix(),
      Eigen::Vector3d::Zero()};
  return a_from_b * Rigid3{Eigen::Matrix3d::Identity(), centre} * turn *
         Rigid3{Eigen::Matrix3d::Identity(), -centre};
}

/// `misled_part` (or -1) is joined to one other only, and its best candidate is wrong: a person must reject
/// it.
inline ExampleAssembly example_assembly(const std::filesystem::path& folder, int misled_part = -1) {
  const auto bytes = read_file(folder / "object.json");
  if (!bytes.ok()) throw std::runtime_error(bytes.error().text());
  const nlohmann::json json = nlohmann::json::parse(as_text(*bytes));
  ExampleAssembly example;
  AssemblyContext& context = example.record.context;
  context.weights = "example";
  context.object_size = 1.0;
  for (const nlohmann::json& piece : json["pieces"]) {
    const std::filesystem::path path = folder / piece["file"].get<std::string>();
    auto file = read_mesh_file(path);
    if (!file.ok()) throw std::runtime_error(file.error().text());
    auto sampled = sample_surface(file->mesh, 2000, 1.0, Random(1, example.files.size()));
    if (!sampled.ok()) throw std::runtime_error(sampled.error().text());
    for (Eigen::Vector3f& point : sampled->cloud.points) point += sampled->centre.cast<float>();
    const std::vector<float> everywhere(sampled->cloud.points.size(), 1.0F);
    example.clouds.push_back(orient_cloud(sampled->cloud, everywhere, sampled->area, {}, Threads::none()));
    example.files.push_back(*std::move(file));
    context.files.push_back(path.string());
    Rigid3 pose;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) pose.rotation(r, c) = piece["world_from_part"][r][c];
      pose.translation[r] = piece["world_from_part"][r][3];
    }
    example.truth.push_back(pose);
  }
  Random random(4);
  bool misled = false;
  for (const nlohmann::json& pair : json["adjacency"]) {
    const int a = pair["a"];
    const int b = pair["b"];
    const Rigid3 right =
        example.truth[static_cast<std::size_t>(a)].inverse() * example.truth[static_cast<std::size_t>(b)];
    const Rigid3 close = turned_in_place(example, right, b, random.uniform(0.1, 0.4));
    const Rigid3 wrong = turned_in_place(example, right, b, random.uniform(40, 120));
    std::vector<Joint>& joints = example.record.assembly.joints;
    if (a == misled_part || b == misled_part) {
      if (misled) continue;
      misled = true;
      joints.push_back(measured_joint(example, a, b, wrong, 0.9));
      joints.push_back(measured_joint(example, a, b, close, 0.75));
      continue;
    }
    joints.push_back(measured_joint(example, a, b, close, random.uniform(0.75, 0.97)));
    joints.push_back(measured_joint(example, a, b, wrong, random.uniform(0.05, 0.3)));
  }
  example.solve();
  return example;
}

/// What a network that errs nowhere would have seen: breaks are where another fragment lies against this one.
inline SeenBreaks true_breaks(const ExampleAssembly& example, int points = 2000, std::size_t matches = 40) {
  SeenBreaks seen;
  seen.unit = example.record.context.object_size;
  for (std::size_t i = 0; i < example.files.size(); ++i) {
    auto sampled = sample_surface(example.files[i].mesh, points, seen.unit, Random(7, i));
    if (!sampled.ok()) throw std::runtime_error(sampled.error().text());
    seen.surfaces.push_back({sampled->cloud, std::vector<float>(sampled->cloud.points.size(), 0.0F),
                             sampled->area, sampled->centre.cast<double>()});
  }
  for (std::size_t i = 0; i < seen.surfaces.size(); ++i) {
    SeenSurface& own = seen.surfaces[i];
    const double reach = 2.0 * std::sqrt(own.area / static_cast<double>(points));
    for (std::size_t j = 0; j < seen.surfaces.size(); ++j) {
      if (j == i) continue;
      const SeenSurface& other = seen.surfaces[j];
      const Rigid3 there = example.truth[j].inverse() * example.truth[i];
      SeenPair pair{static_cast<int>(i), static_cast<int>(j), {}};
      for (std::size_t k = 0; k < own.cloud.points.size(); ++k) {
        const Eigen::Vector3d in_file = own.cloud.points[k].cast<double>() * seen.unit + own.centre;
        const Eigen::Vector3f p = ((there * in_file - other.centre) / seen.unit).cast<float>();
        const Eigen::Vector3f normal = (there.rotation * own.cloud.normals[k].cast<double>()).cast<float>();
        auto nearest = static_cast<float>(reach);
        std::size_t mate = other.cloud.points.size();
        for (std::size_t m = 0; m < other.cloud.points.size(); ++m) {
          const float d = (other.cloud.points[m] - p).norm();
          if (d < nearest && other.cloud.normals[m].dot(normal) < -0.5F) nearest = d, mate = m;
        }
        if (mate == other.cloud.points.size()) continue;
        own.broken[k] = 1.0F;
        if (i < j && pair.matches.size() < matches)
          pair.matches.push_back(
              {in_file.cast<float>(),
               (other.cloud.points[mate].cast<double>() * seen.unit + other.centre).cast<float>()});
      }
      if (!pair.matches.empty()) seen.pairs.push_back(std::move(pair));
    }
  }
  return seen;
}

}  // namespace pmtr::test
