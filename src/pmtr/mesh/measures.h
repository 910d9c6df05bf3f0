// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "pmtr/core/rigid3.h"
#include "pmtr/mesh/triangle_mesh.h"

/// What is measured of a mesh (its surface area stands beside it), and a mesh put somewhere else.
namespace pmtr {

/// Empty where there is no point.
Eigen::AlignedBox3d bounding_box(std::span<const Eigen::Vector3d> points);
Eigen::AlignedBox3d bounding_box(const TriangleMesh& mesh);
Eigen::AlignedBox3d bounding_box(std::span<const TriangleMesh> meshes);
/// Of the mesh where the pose puts it, with sides along the new axes.
Eigen::AlignedBox3d bounding_box(const TriangleMesh& mesh, const Rigid3& world_from_mesh);
/// Only of vertices that a face uses.
Eigen::AlignedBox3d surface_box(const TriangleMesh& mesh);

/// The longest side of the box; 0 where there is no point.
double longest_side(const TriangleMesh& mesh);
double longest_side(std::span<const TriangleMesh> meshes);

/// Zero where there is no point.
Eigen::Vector3d vertex_mean(const TriangleMesh& mesh);

double triangle_area(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);
double triangle_area(const TriangleMesh& mesh, std::size_t face);

/// Six times the signed volume of the tetrahedron between the origin and the triangle.
double signed_volume6(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);

/// By the divergence theorem: right for closed surfaces, negative if they face inward.
double enclosed_volume(const TriangleMesh& mesh);

/// A copy with vertices moved and normals turned.
TriangleMesh moved(const TriangleMesh& mesh, const Rigid3& world_from_mesh);

}  // namespace pmtr
