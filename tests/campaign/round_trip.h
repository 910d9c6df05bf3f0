// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/pipeline/assemble_fragments.h"
#include "pmtr/pipeline/input_frame.h"
#include "pmtr/pipeline/sample_meshes.h"
#include "pmtr/pipeline/usable_scans.h"
#include "pmtr/pyramid/pyramid.h"
#include "pmtr/report/record/result_files.h"
#include "support/strange_mesh.h"
#include "support/temporary_folder.h"

namespace pmtr::test {

inline bool finite(const std::vector<Eigen::Vector3f>& points) {
  return std::all_of(points.begin(), points.end(), [](const auto& p) { return p.allFinite(); });
}

/// Where a set of meshes ended: refused with a sentence, or in a folder of results that was read again.
struct RoundTrip {
  std::string refused;
  int placed = 0;
  double seconds = 0.0;
};

/// From meshes to a folder of results without the network: the scores of the breaks are drawn. Expects that
/// nothing on the way is not a number.
inline RoundTrip round_trip(const std::vector<TriangleMesh>& meshes, std::uint64_t seed,
                            const std::filesystem::path& folder) {
  RoundTrip trip;
  const auto begin = std::chrono::steady_clock::now();
  const auto refused = [&](const Error& error) {
    EXPECT_FALSE(error.text().empty());
    trip.refused = error.text();
    return trip;
  };
  Threads& threads = Threads::none();
  AssembleOptions options;
  options.seed = seed;
  options.sample = {.points = 600, .dense_points = 2000, .least_points = 64, .least_dense_points = 200};
  // As files, so that writers and readers take part.
  std::vector<MeshFile> files;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const bool faces = !meshes[i].faces.empty();
    constexpr std::array extensions = {"ply", "obj", "off", "stl", "glb"};
    const auto path = folder / fmt::format("part_{}.{}", i, faces ? extensions[(seed + i) % 5] : "ply");
    if (const Status written = write_mesh(path, meshes[i]); !written.ok()) return refused(written.error());
    auto file = read_mesh_file(path);
    if (!file.ok()) return refused(file.error());
    EXPECT_TRUE(check_mesh(file->mesh).ok());
    files.push_back(*std::move(file));
  }
  const auto scans = make_usable(meshes_of(files), options, threads, {});
  if (!scans.ok()) return refused(scans.error());
  const auto sampled = sample_meshes(scans->surfaces(), options, threads, {});
  if (!sampled.ok()) return refused(sampled.error());
  std::vector<OrientedCloud> surfaces;
  Random random(seed, 99);
  for (const FragmentClouds& fragment : sampled->fragments) {
    EXPECT_TRUE(finite(fragment.dense.points) && finite(fragment.dense.normals)) << "sample";
    EXPECT_TRUE(finite(fragment.cloud.points) && fragment.centre.allFinite()) << "sample";
    const auto pyramid = build_pyramid(fragment.cloud.points, {}, threads);
    if (!pyramid.ok()) return refused(pyramid.error());
    for (const PyramidLevel& level : pyramid->levels) EXPECT_TRUE(finite(level.points)) << "pyramid";
    std::vector<float> scores(fragment.dense.points.size());
    // Half of it is broken, with a rim that is not sharp.
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] = static_cast<float>(std::clamp(
          0.5 + 5.0 * static_cast<double>(fragment.dense.points[i].x()) + random.uniform(-0.2, 0.2), 0.0,
          1.0));
    surfaces.push_back(orient_cloud(fragment.dense, scores, fragment.area, {}, threads));
    for (const OrientedPoint& p : surfaces.back().points)
      EXPECT_TRUE(p.position.allFinite() && p.normal.allFinite() && std::isfinite(p.score)) << "orient";
  }
  const auto solved = assemble_surfaces(surfaces, options, threads, {});
  if (!solved.ok()) return refused(solved.error());
  AssemblyRecord record;
  record.assembly = in_input_frame(*solved, sampled->fragments);
  record.context.object_size = sampled->object_size;
  record.context.unit = sampled->unit();
  record.context.solve = options.solve_again();
  record.context.weights = "untrained";
  for (const MeshFile& file : files) {
    record.context.files.push_back(file.path.string());
    record.context.shapes.push_back(shape_of(file.mesh));
  }
  for (const PlacedPart& part : record.assembly.parts) {
    EXPECT_TRUE(part.world_from_part.matrix().allFinite()) << "pose";
    EXPECT_TRUE(std::isfinite(part.confidence)) << "confidence";
    trip.placed += part.placed ? 1 : 0;
  }
  for (const Joint& joint : record.assembly.joints)
    EXPECT_TRUE(joint.a_from_b.matrix().allFinite() && std::isfinite(joint.confidence)) << "joint";
  if (const Status written = write_results(folder / "result", files, record, {.light = true}, threads, {});
      !written.ok())
    return refused(written.error());
  const auto again = read_assembly(folder / "result");
  EXPECT_TRUE(again.ok()) << again.error().text();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& placed = record.context.placed_files[i];
    if (!record.assembly.parts[i].placed) continue;
    const auto moved = read_mesh_file(folder / "result" / placed);  // refuses what is not finite
    EXPECT_TRUE(moved.ok()) << moved.error().text();
  }
  for (const char* name : {"matrices.csv", "assembly.mlp", "report.html"}) {
    const auto bytes = read_file(folder / "result" / name);
    if (!bytes.ok()) continue;
    std::string text(as_text(*bytes));
    // The program of the page knows NaN; the data in front of it must not.
    if (const std::size_t script = text.find("<script>"); script != std::string::npos) text.resize(script);
    for (const char* word : {"nan", "inf,", "-inf", " inf", "NaN"})
      EXPECT_EQ(text.find(word), std::string::npos) << name << " has " << word;
  }
  trip.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(trip.seconds, 60.0);
  return trip;
}

/// Meshes of one kind, or of all kinds mixed.
inline void expect_round_trips(std::uint64_t first_seed, int count) {
  int whole = 0;
  std::map<std::string, int> refusals;
  double longest = 0.0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    Random random(seed, 7);
    std::vector<TriangleMesh> meshes;
    std::string kinds;
    const bool mixed = i % 2 == 1;
    const std::size_t parts = 2 + random.below(3);
    for (std::size_t part = 0; part < parts; ++part) {
      const int kind = mixed ? static_cast<int>(random.below(strange_kinds)) : (i / 2) % strange_kinds;
      kinds += fmt::format(" {}", kind);
      meshes.push_back(strange_mesh(static_cast<Strange>(kind), seed * 10 + part));
    }
    SCOPED_TRACE(fmt::format("seed {}, kinds{}", seed, kinds));
    const TemporaryFolder folder;
    const RoundTrip trip = round_trip(meshes, seed, folder / "");
    longest = std::max(longest, trip.seconds);
    whole += trip.refused.empty() ? 1 : 0;
    if (!trip.refused.empty()) ++refusals[trip.refused.substr(trip.refused.rfind(": ") + 1, 60)];
  }
  fmt::print("{} round trips: {} to the end, {} refused; the longest {:.1f} s\n", count, whole, count - whole,
             longest);
  for (const auto& [why, times] : refusals) fmt::print("  {} x{}\n", times, why);
  EXPECT_GT(whole, count / 4) << "nearly all of them were refused";
}

}  // namespace pmtr::test
