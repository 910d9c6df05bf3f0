// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pyramid/reference_search.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nanoflann.hpp>

namespace pmtr {

struct ReferenceSearch::Tree {
  struct Cloud {
    std::span<const Eigen::Vector3f> points;

    // Names that nanoflann asks for.
    std::size_t kdtree_get_point_count() const { return points.size(); }
    float kdtree_get_pt(std::size_t i, std::size_t axis) const {
      return points[i][static_cast<Eigen::Index>(axis)];
    }
    template <class Box>
    bool kdtree_get_bbox(Box&) const {
      return false;
    }
  };
  static constexpr std::size_t leaf_size = 10;  // the reference's: decides the order in which points are met

  Cloud cloud;
  nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Cloud>, Cloud, 3, std::size_t>
      index;

  explicit Tree(std::span<const Eigen::Vector3f> points) : cloud{points}, index(3, cloud, {leaf_size}) {}
};

ReferenceSearch::ReferenceSearch(std::span<const Eigen::Vector3f> supports)
    : tree_(std::make_unique<Tree>(supports)) {}

ReferenceSearch::~ReferenceSearch() = default;

void ReferenceSearch::search(const Eigen::Vector3f& q, float radius, std::span<std::int32_t> row) const {
  std::vector<std::pair<std::size_t, float>> found;
  nanoflann::SearchParams sorted;
  sorted.sorted = true;
  tree_->index.radiusSearch(q.data(), radius * radius, found, sorted);
  for (std::size_t i = 0; i < std::min(row.size(), found.size()); ++i) {
    row[i] = static_cast<std::int32_t>(found[i].first);
  }
}

}  // namespace pmtr
