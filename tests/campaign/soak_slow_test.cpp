// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Many objects in one process: memory stays, and each comes to what it comes to alone. PMTR_SOAK_OBJECTS says
// how many.
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/shapes/shapes.h"
#include "pmtr/pipeline/assemble_fragments.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr::test {
namespace {

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double all = 0.0;
  double resident = 0.0;
  file >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1048576.0;
}

/// Poses of a generated object that is broken, sampled and put together without the network; empty where no
/// shape or no fracture was found.
std::vector<Eigen::Matrix4d> poses_of(std::uint64_t seed) {
  ShapeOptions made;
  made.seed = seed;
  made.around = 32;
  const auto shape = make_shape(first_shapes[seed % first_shapes.size()], made);
  if (!shape.ok()) return {};
  FractureOptions breaking;
  breaking.seed = seed;
  breaking.pieces = 3;
  breaking.detail = 0.05;
  const auto broken = fracture_mesh(*shape, breaking, {});
  if (!broken.ok()) return {};
  std::vector<const TriangleMesh*> meshes;
  for (const FracturePiece& piece : broken->pieces) meshes.push_back(&piece.mesh);
  const auto clouds = sample_object(
      meshes, 1.0, {.points = 600, .dense_points = 3000, .least_points = 64, .least_dense_points = 200}, seed,
      Threads::none());
  if (!clouds.ok()) return {};
  std::vector<OrientedCloud> surfaces;
  for (std::size_t i = 0; i < clouds->size(); ++i) {
    const FragmentClouds& fragment = (*clouds)[i];
    std::vector<float> scores;
    for (const std::uint32_t face : fragment.faces)
      scores.push_back(broken->pieces[i].partner[face] >= 0 ? 1.0F : 0.0F);
    surfaces.push_back(orient_cloud(fragment.dense, scores, fragment.area, {}, Threads::none()));
  }
  const auto assembly = assemble_surfaces(surfaces, {}, Threads::none(), {});
  std::vector<Eigen::Matrix4d> poses;
  if (!assembly.ok()) return poses;
  for (const PlacedPart& part : assembly->parts) poses.push_back(part.world_from_part.matrix());
  return poses;
}

TEST(ManyObjectsInOneProcess, take_no_more_memory_and_come_out_the_same) {
  const char* text = std::getenv("PMTR_SOAK_OBJECTS");  // NOLINT(concurrency-mt-unsafe): before any thread
  const int count = text == nullptr ? 500 : std::stoi(text);
  constexpr std::uint64_t different = 20;
  std::vector<std::vector<Eigen::Matrix4d>> first;
  int assembled = 0;
  double begin_mb = 0.0;
  double end_mb = 0.0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t seed = static_cast<std::uint64_t>(i) % different;
    const auto poses = poses_of(seed);
    assembled += poses.empty() ? 0 : 1;
    if (first.size() <= seed) {
      first.push_back(poses);
    } else {
      EXPECT_EQ(poses, first[seed]) << "object " << i;
    }
    // Each object was there once: buffers that are kept have their size.
    const double now_mb = resident_mb();
    if (i + 1 == 2 * static_cast<int>(different)) begin_mb = now_mb;
    end_mb = now_mb;
    if ((i + 1) % 50 == 0) fmt::print("{} objects: {:.1f} MB\n", i + 1, now_mb);
  }
  EXPECT_GT(assembled, count * 3 / 4);
  const double per_hundred = (end_mb - begin_mb) * 100.0 / (count - 2 * static_cast<int>(different));
  fmt::print("{} of {} objects assembled, {:+.2f} MB per hundred\n", assembled, count, per_hundred);
  EXPECT_LT(per_hundred, 1.0);
}

}  // namespace
}  // namespace pmtr::test
