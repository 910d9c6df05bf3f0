// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// A small pose graph and its optimum by the plainest means: one rotation at a time until nothing moves, then
// all eigenvalues of the dense certificate matrix, which prove that nothing is better. No code of averaging/
// but its reader.
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include <Eigen/Dense>

#include "own_golden/value_file.h"
#include "pmtr/averaging/pose_graph_file.h"
#include "pmtr/core/file.h"
#include "pmtr/core/random.h"
#include "pmtr/weights/safetensors.h"

namespace pmtr::test {
namespace {

using Rotations = std::vector<Eigen::Matrix3d>;

Eigen::Vector3d noise(Random& random, double size) {
  return size * Eigen::Vector3d(random.normal(), random.normal(), random.normal());
}

/// A ring with chords, edges of several weights, one of them twice.
void write_graph(const std::filesystem::path& path) {
  constexpr int nodes = 10;
  Random random(11);
  std::vector<Rigid3> truth;
  for (int i = 0; i < nodes; ++i) truth.push_back({random.rotation(), noise(random, 1.0)});
  std::ofstream out(path);
  out.precision(17);
  for (int i = 0; i < nodes; ++i) out << "VERTEX_SE3:QUAT " << i << " 0 0 0 0 0 0 1\n";
  const auto edge = [&](int a, int b) {
    Rigid3 a_from_b = truth[static_cast<std::size_t>(a)].inverse() * truth[static_cast<std::size_t>(b)];
    const Eigen::Vector3d error = noise(random, 0.15);
    a_from_b.rotation = a_from_b.rotation * Eigen::AngleAxisd(error.norm(), error.normalized());
    a_from_b.translation += noise(random, 0.1);
    const Eigen::Quaterniond q(a_from_b.rotation);
    out << "EDGE_SE3:QUAT " << a << " " << b << " " << a_from_b.translation.transpose() << " "
        << q.coeffs().transpose();
    const double weights[2] = {random.uniform(20.0, 200.0), random.uniform(20.0, 200.0)};
    for (int i = 0; i < 6; ++i) {
      for (int j = i; j < 6; ++j) out << " " << (i == j ? weights[i / 3] : 0.0);
    }
    out << "\n";
  };
  for (int i = 0; i < nodes; ++i) edge(i, (i + 1) % nodes);
  for (const auto& [a, b] : {std::pair{0, 4}, {7, 2}, {5, 9}, {3, 8}, {1, 6}, {1, 2}}) edge(a, b);
}

Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& m) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Vector3d signs(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant());
  return svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
}

double cost_of(const PoseGraph& graph, const Rotations& r) {
  double cost = 0;
  for (const PoseEdge& e : graph.edges)
    cost += 0.5 * e.rotation_weight *
            (r[static_cast<std::size_t>(e.b)] - r[static_cast<std::size_t>(e.a)] * e.a_from_b.rotation)
                .squaredNorm();
  return cost;
}

Rotations one_at_a_time(const PoseGraph& graph, Random& random) {
  Rotations r;
  for (int i = 0; i < graph.nodes; ++i) r.push_back(random.rotation());
  for (int sweep = 0; sweep < 20'000; ++sweep) {
    for (int i = 0; i < graph.nodes; ++i) {
      Eigen::Matrix3d wish = Eigen::Matrix3d::Zero();
      for (const PoseEdge& e : graph.edges) {
        if (e.b == i) wish += e.rotation_weight * r[static_cast<std::size_t>(e.a)] * e.a_from_b.rotation;
        if (e.a == i)
          wish += e.rotation_weight * r[static_cast<std::size_t>(e.b)] * e.a_from_b.rotation.transpose();
      }
      r[static_cast<std::size_t>(i)] = nearest_rotation(wish);
    }
  }
  const Eigen::Matrix3d first = r[0].transpose();
  for (Eigen::Matrix3d& rotation : r) rotation = first * rotation;
  return r;
}

/// Of the connection Laplacian minus the multipliers of the constraints, ascending.
Eigen::VectorXd certificate(const PoseGraph& graph, const Rotations& r) {
  Eigen::MatrixXd l = Eigen::MatrixXd::Zero(3 * graph.nodes, 3 * graph.nodes), y(3 * graph.nodes, 3);
  for (const PoseEdge& e : graph.edges) {
    const double w = e.rotation_weight;
    l.block<3, 3>(3 * e.a, 3 * e.a) += w * Eigen::Matrix3d::Identity();
    l.block<3, 3>(3 * e.b, 3 * e.b) += w * Eigen::Matrix3d::Identity();
    l.block<3, 3>(3 * e.a, 3 * e.b) -= w * e.a_from_b.rotation;
    l.block<3, 3>(3 * e.b, 3 * e.a) -= w * e.a_from_b.rotation.transpose();
  }
  for (int i = 0; i < graph.nodes; ++i) y.middleRows<3>(3 * i) = r[static_cast<std::size_t>(i)].transpose();
  const Eigen::MatrixXd ly = l * y;
  for (int i = 0; i < graph.nodes; ++i) {
    const Eigen::Matrix3d m = ly.middleRows<3>(3 * i) * y.middleRows<3>(3 * i).transpose();
    l.block<3, 3>(3 * i, 3 * i) -= 0.5 * (m + m.transpose());
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(l).eigenvalues();
}

/// Least squares with the first node at the origin.
Eigen::MatrixXd translations(const PoseGraph& graph, const Rotations& r) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(std::ssize(graph.edges), graph.nodes),
                  b(std::ssize(graph.edges), 3);
  for (int k = 0; k < std::ssize(graph.edges); ++k) {
    const PoseEdge& e = graph.edges[static_cast<std::size_t>(k)];
    const double w = std::sqrt(e.translation_weight);
    a(k, e.b) += w;
    a(k, e.a) -= w;
    b.row(k) = w * (r[static_cast<std::size_t>(e.a)] * e.a_from_b.translation).transpose();
  }
  Eigen::MatrixXd t = Eigen::MatrixXd::Zero(graph.nodes, 3);
  t.bottomRows(graph.nodes - 1) = a.rightCols(graph.nodes - 1).colPivHouseholderQr().solve(b);
  return t;
}

}  // namespace

void generate_averaging() {
  write_graph(own_golden_folder() / "graph.g2o");
  const auto file = read_pose_graph(own_golden_folder() / "graph.g2o");
  if (!file.ok()) throw std::runtime_error(file.error().text());
  const PoseGraph& graph = file->graph;
  Rotations best;
  Random random(1);
  for (int start = 0; start < 20; ++start) {
    Rotations r = one_at_a_time(graph, random);
    if (best.empty() || cost_of(graph, r) < cost_of(graph, best)) best = std::move(r);
  }
  const Eigen::VectorXd eigenvalues = certificate(graph, best);
  if (eigenvalues[0] < -1e-9) throw std::runtime_error("the best rotations found are not the best there are");

  ValueFile values;
  std::vector<double> rotations, places;
  for (const Eigen::Matrix3d& r : best) rotations.insert(rotations.end(), r.data(), r.data() + 9);
  const Eigen::MatrixXd t = translations(graph, best);
  for (int i = 0; i < t.rows(); ++i) places.insert(places.end(), {t(i, 0), t(i, 1), t(i, 2)});
  values.add("rotations_by_column", rotations, 9);
  values.add("translations", places, 3);
  const std::vector<double> figures{cost_of(graph, best), eigenvalues[3]};
  values.add("cost_and_fourth_eigenvalue", figures, 1);
  const auto bytes = format_safetensors(values.file());
  if (!write_file(own_golden_folder() / "averaging.safetensors", bytes).ok())
    throw std::runtime_error("cannot write");
  std::printf("averaging: cost %.12g, eigenvalues %.3g %.3g %.3g %.6g\n", figures[0], eigenvalues[0],
              eigenvalues[1], eigenvalues[2], eigenvalues[3]);
}

}  // namespace pmtr::test
