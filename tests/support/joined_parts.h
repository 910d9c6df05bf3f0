// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cmath>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/part_shape.h"
#include "pmtr/core/random.h"

namespace pmtr::test {

inline Eigen::Vector3d random_vector(Random& random) {
  return {random.normal(), random.normal(), random.normal()};
}

/// Parts at random places of the unit cube, each in a file of its own far from the origin, and the joints
/// between them: no surfaces, only what the assembly of joints needs.
struct JoinedParts {
  std::vector<PartShape> parts;
  std::vector<Rigid3> world_from_part;
  std::vector<Joint> joints;

  Rigid3 true_pose(int a, int b) const {
    return world_from_part[static_cast<std::size_t>(a)].inverse() *
           world_from_part[static_cast<std::size_t>(b)];
  }

  /// `noise_deg` about a random axis through b's centre, and `noise` of the object's size.
  void add_joint(int a, int b, double confidence, double noise_deg, double noise, Random& random) {
    const Eigen::Vector3d& centre = parts[static_cast<std::size_t>(b)].centre;
    const Eigen::Matrix3d turn =
        Eigen::AngleAxisd(noise_deg * M_PI / 180 * random.normal(), random_vector(random).normalized())
            .toRotationMatrix();
    const Rigid3 disturbed = Rigid3{Eigen::Matrix3d::Identity(), centre + noise * random_vector(random)} *
                             Rigid3{turn, Eigen::Vector3d::Zero()} *
                             Rigid3{Eigen::Matrix3d::Identity(), -centre};
    Joint joint;
    joint.a = a;
    joint.b = b;
    joint.a_from_b = true_pose(a, b) * disturbed;
    joint.confidence = confidence;
    joint.matches = 50;
    joints.push_back(joint);
  }

  /// Any turn; b somewhere beside a, as a search over poses would find it.
  void add_wrong_joint(int a, int b, double confidence, Random& random) {
    Joint joint;
    joint.a = a;
    joint.b = b;
    joint.confidence = confidence;
    joint.matches = 40;
    joint.a_from_b.rotation = random.rotation();
    const Eigen::Vector3d beside = random.uniform(0.2, 0.6) * random_vector(random).normalized();
    joint.a_from_b.translation = parts[static_cast<std::size_t>(a)].centre + beside -
                                 joint.a_from_b.rotation * parts[static_cast<std::size_t>(b)].centre;
    joints.push_back(joint);
  }

  /// Placed, in one component with the first placed part, and right to 5 degrees and 0.03 at the centre.
  std::vector<bool> right(const Assembly& assembly) const {
    std::vector<bool> out(parts.size(), false);
    int first = -1;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const PlacedPart& part = assembly.parts[i];
      if (!part.placed || part.component != 0) continue;
      if (first < 0) first = static_cast<int>(i);
      const Rigid3 found =
          assembly.parts[static_cast<std::size_t>(first)].world_from_part.inverse() * part.world_from_part;
      const Rigid3 wanted = true_pose(first, static_cast<int>(i));
      out[i] = rotation_angle_deg(found.rotation, wanted.rotation) < 5 &&
               (found * parts[i].centre - wanted * parts[i].centre).norm() < 0.03;
    }
    return out;
  }
};

inline JoinedParts scattered_parts(int count, Random& random) {
  JoinedParts object;
  for (int i = 0; i < count; ++i) {
    PartShape part;
    part.centre = 10 * random_vector(random);
    part.area = random.uniform(0.1, 1.0);
    const Eigen::Vector3d place(random.uniform(), random.uniform(), random.uniform());
    Rigid3 world_from_part;
    world_from_part.rotation = random.rotation();
    world_from_part.translation = place - world_from_part.rotation * part.centre;
    object.parts.push_back(part);
    object.world_from_part.push_back(world_from_part);
  }
  return object;
}

}  // namespace pmtr::test
