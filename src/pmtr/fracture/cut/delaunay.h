// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pmtr {

/// Whole coordinates from 0 to 2^24, so that the tests of orientation and of circles are exact.
struct GridPoint {
  std::int64_t x = 0;
  std::int64_t y = 0;
  auto operator<=>(const GridPoint&) const = default;
};

/// A Delaunay triangulation to which edges can be forced. All points first, then the edges.
class Delaunay {
 public:
  /// The points must be different.
  explicit Delaunay(std::span<const GridPoint> points);

  void insert(std::int32_t point);

  /// False if the edge crosses a forced one or a point lies on it.
  bool force_edge(std::int32_t a, std::int32_t b);

  /// The triangles on the left of the given forced edges; none if a triangle is on both sides.
  std::optional<std::vector<std::array<std::int32_t, 3>>> region(
      std::span<const std::array<std::int32_t, 2>> borders) const;

 private:
  struct Triangle {
    std::array<std::int32_t, 3> vertex;     ///< counterclockwise
    std::array<std::int32_t, 3> neighbour;  ///< opposite each vertex; -1 outside
    std::array<bool, 3> forced{};           ///< the edge opposite each vertex
  };
  struct Edge {
    std::int32_t triangle;
    int side;  ///< the vertex opposite
  };

  int orientation(std::int32_t a, std::int32_t b, std::int32_t c) const;
  bool in_circle(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) const;
  std::int32_t locate(std::int32_t point);
  void set_neighbour(std::int32_t triangle, std::int32_t old_one, std::int32_t new_one);
  std::int32_t add(const Triangle& triangle);
  void split_inside(std::int32_t triangle, std::int32_t point);
  void split_edge(std::int32_t triangle, int side, std::int32_t point);
  void flip(Edge edge);
  void restore(std::int32_t point);
  std::optional<Edge> find_edge(std::int32_t a, std::int32_t b) const;
  std::optional<Edge> first_crossed(std::int32_t a, std::int32_t b, bool& blocked) const;
  Triangle& at(std::int32_t t) { return triangles_[static_cast<std::size_t>(t)]; }
  const Triangle& at(std::int32_t t) const { return triangles_[static_cast<std::size_t>(t)]; }
  static int side_of(const Triangle& triangle, std::int32_t vertex);
  static int side_towards(const Triangle& triangle, std::int32_t neighbour);
  void force(Edge edge);

  std::vector<GridPoint> points_;  ///< the three corners of the surrounding triangle come last
  std::vector<Triangle> triangles_;
  std::vector<std::int32_t> triangle_of_;  ///< one triangle at each point
  std::vector<Edge> suspects_;             ///< edges that may have to be flipped
  std::int32_t last_ = 0;
};

}  // namespace pmtr
