// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/decimate.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include <Eigen/Dense>

namespace pmtr {
namespace {

using Face = std::array<std::uint32_t, 3>;

/// The sum of squared distances from planes, as x'Ax + 2b'x + c.
struct Quadric {
  Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  double c = 0.0;

  void add_plane(const Eigen::Vector3d& normal, const Eigen::Vector3d& point, double weight) {
    const double offset = -normal.dot(point);
    a += weight * normal * normal.transpose();
    b += weight * offset * normal;
    c += weight * offset * offset;
  }
  Quadric operator+(const Quadric& other) const { return {a + other.a, b + other.b, c + other.c}; }
  double at(const Eigen::Vector3d& x) const { return x.dot(a * x) + 2.0 * b.dot(x) + c; }
};

struct Collapse {
  double cost = 0.0;
  std::uint32_t from = 0, to = 0;
  std::uint32_t from_version = 0, to_version = 0;
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  /// Cheapest first; equal ones in a fixed order.
  bool operator<(const Collapse& other) const {
    return std::tie(cost, from, to) > std::tie(other.cost, other.from, other.to);
  }
};

class Decimation {
 public:
  explicit Decimation(const TriangleMesh& mesh)
      : points_(mesh.vertices),
        faces_(mesh.faces),
        quadrics_(points_.size()),
        versions_(points_.size(), 0),
        faces_of_(points_.size()),
        left_(faces_.size()),
        alive_(faces_.size(), true) {
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      for (const std::uint32_t v : faces_[f]) faces_of_[v].push_back(static_cast<std::uint32_t>(f));
    }
    measure();
    for (std::uint32_t v = 0; v < points_.size(); ++v) {
      for (const std::uint32_t w : neighbours(v)) {
        if (v < w) consider(v, w);
      }
    }
  }

  void run(std::size_t faces) {
    while (left_ > faces && !queue_.empty()) {
      const Collapse next = queue_.top();
      queue_.pop();
      if (versions_[next.from] != next.from_version || versions_[next.to] != next.to_version) continue;
      if (allowed(next)) collapse(next);
    }
  }

  DecimatedMesh result() const {
    DecimatedMesh out;
    std::vector<std::int64_t> place(points_.size(), -1);
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      if (!alive_[f]) continue;
      Face face{};
      for (std::size_t c = 0; c < 3; ++c) {
        std::int64_t& at = place[faces_[f][c]];
        if (at < 0) {
          at = static_cast<std::int64_t>(out.mesh.vertices.size());
          out.mesh.vertices.push_back(points_[faces_[f][c]]);
        }
        face[c] = static_cast<std::uint32_t>(at);
      }
      out.mesh.faces.push_back(face);
      out.was.push_back(static_cast<std::uint32_t>(f));
    }
    return out;
  }

 private:
  Eigen::Vector3d cross(const Face& face) const {
    return (points_[face[1]] - points_[face[0]]).cross(points_[face[2]] - points_[face[0]]);
  }

  void measure() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<int, std::size_t>> edges;
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      const Eigen::Vector3d area = cross(faces_[f]);
      const double length = area.norm();
      for (std::size_t c = 0; c < 3; ++c) {
        if (length > 0.0) quadrics_[faces_[f][c]].add_plane(area / length, points_[faces_[f][0]], length);
        auto& [count, face] = edges[std::minmax(faces_[f][c], faces_[f][(c + 1) % 3])];
        ++count;
        face = f;
      }
    }
    // An edge with one face is the end of the surface: a plane across it holds it in place.
    for (const auto& [edge, faces] : edges) {
      if (faces.first != 1) continue;
      const Eigen::Vector3d along = points_[edge.second] - points_[edge.first];
      const Eigen::Vector3d across = along.cross(cross(faces_[faces.second])).normalized();
      if (!across.allFinite()) continue;
      for (const std::uint32_t v : {edge.first, edge.second})
        quadrics_[v].add_plane(across, points_[edge.first], 10.0 * along.squaredNorm());
    }
  }

  std::vector<std::uint32_t> neighbours(std::uint32_t v) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t f : faces_of_[v]) {
      if (!alive_[f]) continue;
      for (const std::uint32_t w : faces_[f]) {
        if (w != v) found.push_back(w);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  void consider(std::uint32_t v, std::uint32_t w) {
    const Quadric sum = quadrics_[v] + quadrics_[w];
    Collapse next{0.0, v, w, versions_[v], versions_[w], points_[v]};
    // Where the planes do not fix a point, one of three on the edge has to do.
    const Eigen::Vector3d middle = (points_[v] + points_[w]) / 2;
    for (const Eigen::Vector3d& place : {points_[w], middle}) {
      if (sum.at(place) < sum.at(next.place)) next.place = place;
    }
    const Eigen::FullPivLU<Eigen::Matrix3d> solver(sum.a);
    if (solver.rcond() > 1e-4) {
      const Eigen::Vector3d best = solver.solve(-sum.b);
      if ((best - middle).norm() < 2.0 * (points_[v] - points_[w]).norm()) next.place = best;
    }
    next.cost = std::max(0.0, sum.at(next.place));
    queue_.push(next);
  }

  /// The surface stays one sheet, and no face turns over.
  bool allowed(const Collapse& next) const {
    const auto a = neighbours(next.from);
    const auto b = neighbours(next.to);
    std::vector<std::uint32_t> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    std::size_t shared = 0;
    for (const std::uint32_t v : {next.from, next.to}) {
      const std::uint32_t other = v == next.from ? next.to : next.from;
      for (const std::uint32_t f : faces_of_[v]) {
        if (!alive_[f]) continue;
        const Face& face = faces_[f];
        if (std::find(face.begin(), face.end(), other) != face.end()) {
          shared += v == next.from ? 1 : 0;
          continue;
        }
        const Eigen::Vector3d before = cross(face);
        std::array<Eigen::Vector3d, 3> corners;
        for (std::size_t c = 0; c < 3; ++c) corners[c] = face[c] == v ? next.place : points_[face[c]];
        const Eigen::Vector3d after = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        if (before.dot(after) <= 0.2 * before.norm() * after.norm()) return false;
      }
    }
    return common.size() == shared && a.size() + b.size() > common.size() + 4;
  }

  void collapse(const Collapse& next) {
    points_[next.to] = next.place;
    quadrics_[next.to] = quadrics_[next.to] + quadrics_[next.from];
    ++versions_[next.from];
    ++versions_[next.to];
    for (const std::uint32_t f : faces_of_[next.from]) {
      if (!alive_[f]) continue;
      Face& face = faces_[f];
      if (std::find(face.begin(), face.end(), next.to) != face.end()) {
        alive_[f] = false;
        --left_;
        continue;
      }
      std::replace(face.begin(), face.end(), next.from, next.to);
      faces_of_[next.to].push_back(f);
    }
    faces_of_[next.from].clear();
    for (const std::uint32_t w : neighbours(next.to)) consider(next.to, w);
  }

  std::vector<Eigen::Vector3d> points_;
  std::vector<Face> faces_;
  std::vector<Quadric> quadrics_;
  std::vector<std::uint32_t> versions_;  ///< of a point, so that old plans for it are recognised
  std::vector<std::vector<std::uint32_t>> faces_of_;
  std::size_t left_;
  std::vector<bool> alive_;
  std::priority_queue<Collapse> queue_;
};

}  // namespace

DecimatedMesh decimate(const TriangleMesh& mesh, std::size_t faces) {
  if (mesh.faces.size() <= faces) {
    DecimatedMesh same{mesh, std::vector<std::uint32_t>(mesh.faces.size())};
    std::iota(same.was.begin(), same.was.end(), 0U);
    return same;
  }
  Decimation decimation(merge_duplicate_vertices(mesh));
  decimation.run(faces);
  return decimation.result();
}

DecimatedMesh decimate_to_share(const TriangleMesh& mesh, double share) {
  constexpr std::size_t least = 50;
  const double wanted = share * static_cast<double>(mesh.faces.size());
  return decimate(mesh, std::max(least, static_cast<std::size_t>(wanted)));
}

}  // namespace pmtr
