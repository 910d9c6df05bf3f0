// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/scan/sight_votes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pmtr {
namespace {

constexpr float grazing = 0.15F;   // cosine below which a line runs along a disc rather than through it
constexpr float together = 0.5F;   // discs of one surface: how far apart they may be met, in radii
constexpr float one_plane = 0.7F;  // and how alike their normals are

/// A disc that a line meets.
struct Meeting {
  float place = 0.0F;  ///< along the line, from the point that it is laid through
  float room = 0.0F;   ///< others of the same surface are met within this
  std::uint32_t disc = 0;
};

/// The discs as one direction sees them, in a grid across it.
class SeenDiscs {
 public:
  SeenDiscs(std::span<const Eigen::Vector3f> points, std::span<const Eigen::Vector3f> normals,
            std::span<const float> radii, const Eigen::Matrix3f& frame)
      : radii_(radii) {
    seen_.reserve(points.size());
    normals_.reserve(points.size());
    float sum = 0.0F;
    Eigen::Vector2f low = Eigen::Vector2f::Constant(1e30F), high = -low;
    for (std::size_t i = 0; i < points.size(); ++i) {
      seen_.emplace_back(frame.transpose() * points[i]);
      normals_.emplace_back(frame.transpose() * normals[i]);
      sum += radii[i];
      low = low.cwiseMin(seen_[i].head<2>());
      high = high.cwiseMax(seen_[i].head<2>());
    }
    low_ = low;
    cell_ = std::max(sum / static_cast<float>(points.size()), (high - low).maxCoeff() / most_cells);
    columns_ = cell_of(high.x() - low.x()) + 1;
    rows_ = cell_of(high.y() - low.y()) + 1;
    fill();
  }

  const Eigen::Vector3f& normal(std::size_t i) const { return normals_[i]; }

  /// All discs that the line through this point meets, in no order. False if it runs along one.
  bool meet(std::size_t point, std::vector<Meeting>& meetings) const {
    meetings.clear();
    const Eigen::Vector3f& q = seen_[point];
    const std::size_t cell = cell_of(q.y() - low_.y()) * columns_ + cell_of(q.x() - low_.x());
    for (std::uint32_t k = begin_[cell]; k < begin_[cell + 1]; ++k) {
      const std::uint32_t disc = listed_[k];
      const Eigen::Vector3f offset = seen_[disc] - q;
      const float squared_radius = radii_[disc] * radii_[disc];
      if (offset.head<2>().squaredNorm() > squared_radius) continue;
      const Eigen::Vector3f& n = normals_[disc];
      if (std::abs(n.z()) < grazing) return false;
      const float along = n.dot(offset) / n.z();
      const Eigen::Vector3f from_middle = Eigen::Vector3f(0.0F, 0.0F, along) - offset;
      if (from_middle.squaredNorm() > squared_radius) continue;
      meetings.push_back({along, together * radii_[disc] / std::abs(n.z()), disc});
    }
    return true;
  }

 private:
  static constexpr float most_cells = 2000.0F;

  std::size_t cell_of(float distance) const {
    return static_cast<std::size_t>(std::max(0.0F, distance / cell_));
  }

  template <class Visit>
  void visit_cells(std::size_t disc, const Visit& visit) const {
    const Eigen::Vector2f from = seen_[disc].head<2>() - low_ - Eigen::Vector2f::Constant(radii_[disc]);
    const Eigen::Vector2f to = seen_[disc].head<2>() - low_ + Eigen::Vector2f::Constant(radii_[disc]);
    for (std::size_t y = cell_of(from.y()); y <= std::min(cell_of(to.y()), rows_ - 1); ++y)
      for (std::size_t x = cell_of(from.x()); x <= std::min(cell_of(to.x()), columns_ - 1); ++x)
        visit(y * columns_ + x);
  }

  void fill() {
    begin_.assign(columns_ * rows_ + 1, 0);
    for (std::size_t i = 0; i < seen_.size(); ++i)
      visit_cells(i, [&](std::size_t cell) { ++begin_[cell + 1]; });
    for (std::size_t cell = 0; cell < columns_ * rows_; ++cell) begin_[cell + 1] += begin_[cell];
    listed_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < seen_.size(); ++i)
      visit_cells(i, [&](std::size_t cell) { listed_[next[cell]++] = static_cast<std::uint32_t>(i); });
  }

  std::span<const float> radii_;
  std::vector<Eigen::Vector3f> seen_, normals_;  ///< in the frame: the lines run along z
  Eigen::Vector2f low_;
  float cell_ = 1.0F;
  std::size_t columns_ = 1, rows_ = 1;
  std::vector<std::uint32_t> begin_, listed_;
};

/// How many surfaces the line meets before and behind its point.
struct Crossings {
  int before = 0;
  int behind = 0;
};

Crossings count_crossings(std::vector<Meeting>& meetings, std::span<const Eigen::Vector3f> normals,
                          std::size_t point, float own_room) {
  std::sort(meetings.begin(), meetings.end(), [](const Meeting& x, const Meeting& y) {
    return x.place != y.place ? x.place < y.place : x.disc < y.disc;
  });
  Crossings crossings;
  const Meeting* last = nullptr;
  for (const Meeting& meeting : meetings) {
    const bool own = std::abs(meeting.place) < std::max(own_room, meeting.room) &&
                     std::abs(normals[meeting.disc].dot(normals[point])) > one_plane;
    if (own) {
      last = nullptr;
      continue;
    }
    const bool same = last != nullptr && meeting.place - last->place < std::max(last->room, meeting.room) &&
                      std::abs(normals[meeting.disc].dot(normals[last->disc])) > one_plane;
    last = &meeting;
    if (!same) ++(meeting.place < 0.0F ? crossings.before : crossings.behind);
  }
  return crossings;
}

}  // namespace

std::vector<SightVote> vote_by_sight(std::span<const Eigen::Vector3f> points,
                                     std::span<const Eigen::Vector3f> normals, std::span<const float> radii,
                                     std::span<const std::uint32_t> asked, int directions, Random random,
                                     Threads& threads) {
  std::vector<SightVote> votes(asked.size());
  constexpr std::int64_t points_at_once = 1024;
  const auto total = static_cast<std::int64_t>(asked.size());
  for (int k = 0; k < directions; ++k) {
    const Eigen::Matrix3f frame = random.rotation().cast<float>();
    const SeenDiscs discs(points, normals, radii, frame);
    run_tasks(threads, (total + points_at_once - 1) / points_at_once, [&](std::int64_t task) {
      std::vector<Meeting> meetings;
      for (std::int64_t at = task * points_at_once; at < std::min(total, (task + 1) * points_at_once); ++at) {
        const std::uint32_t i = asked[static_cast<std::size_t>(at)];
        SightVote& vote = votes[static_cast<std::size_t>(at)];
        const float towards = discs.normal(i).z();
        if (std::abs(towards) < grazing || !discs.meet(i, meetings)) continue;
        const Crossings crossings =
            count_crossings(meetings, normals, i, together * radii[i] / std::abs(towards));
        if ((crossings.before + crossings.behind) % 2 == 0) continue;  // with its own it would be odd
        // Nothing or an even number behind it: the line is outside there.
        const float outward = crossings.behind % 2 == 0 ? towards : -towards;
        vote.side += outward;
        vote.weight += std::abs(towards);
      }
    });
  }
  for (SightVote& vote : votes) {
    if (vote.weight > 0.0F) vote.side /= vote.weight;
  }
  return votes;
}

}  // namespace pmtr
