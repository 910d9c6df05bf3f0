// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <array>
#include <cmath>

#include "pmtr/pose/pose_hypotheses.h"
#include "pmtr/pose/weighted_draw.h"

namespace pmtr {
namespace {

constexpr float pi = 3.14159265F;

/// Distance and the cosines of three angles of two oriented points; equal for equal configurations in any
/// pose.
struct Feature {
  float length;
  std::array<float, 3> cosine;
};

Feature feature_of(const Eigen::Vector3f& p, const Eigen::Vector3f& n, const Eigen::Vector3f& q,
                   const Eigen::Vector3f& m) {
  const Eigen::Vector3f d = q - p;
  const float length = d.norm();
  const Eigen::Vector3f u = d / length;
  return {length, {n.dot(u), m.dot(u), n.dot(m)}};
}

class FeatureKeys {
 public:
  FeatureKeys(float distance_step, float angle_step)
      : distance_step_(distance_step), angles_(static_cast<std::uint32_t>(pi / angle_step) + 1) {
    for (std::uint32_t k = 1; k < angles_; ++k) ends_.push_back(std::cos(static_cast<float>(k) * angle_step));
    ends_.push_back(-2.0F);
    for (std::size_t i = 0; i < first_.size(); ++i) {
      // The first step that a cosine of this piece of the table can belong to.
      const float highest = 2.0F * static_cast<float>(i + 1) / static_cast<float>(first_.size()) - 1.0F;
      while (ends_[first_[i]] >= highest) ++first_[i];
    }
  }

  std::uint32_t key(const Feature& f) const {
    auto k = static_cast<std::uint32_t>(f.length / distance_step_);
    for (const float cosine : f.cosine) k = k * angles_ + step_of(cosine);
    return k;
  }

 private:
  /// The quantised angle of a cosine, without the inverse cosine: most of a search's guesses end here.
  std::uint32_t step_of(float cosine) const {
    const float place = (cosine + 1.0F) * 0.5F * static_cast<float>(first_.size());
    const auto last = static_cast<float>(first_.size() - 1);
    std::uint32_t step = first_[static_cast<std::size_t>(std::clamp(place, 0.0F, last))];
    while (cosine <= ends_[step]) ++step;
    return step;
  }

  float distance_step_;
  std::uint32_t angles_;
  std::vector<float> ends_;  ///< the cosine where each step ends
  std::array<std::uint8_t, 256> first_{};
};

struct StoredPair {
  std::uint32_t key;
  std::uint16_t first, second;
};

/// By key; pairs of one key keep their order.
void sort_by_key(std::vector<StoredPair>& pairs) {
  constexpr unsigned bits = 11;
  std::vector<StoredPair> sorted(pairs.size());
  for (unsigned shift = 0; shift < 32; shift += bits) {
    std::array<std::size_t, (1U << bits) + 1> begin{};
    const auto digit = [&](const StoredPair& pair) { return (pair.key >> shift) & ((1U << bits) - 1); };
    for (const StoredPair& pair : pairs) ++begin[digit(pair) + 1];
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    if (begin[1] == pairs.size()) continue;  // nobody has such a digit
    for (const StoredPair& pair : pairs) sorted[begin[digit(pair)]++] = pair;
    pairs.swap(sorted);
  }
}

/// A frame from two oriented points: one axis along the line between them, one along the normals' mean part
/// across it.
bool frame_of(const Eigen::Vector3f& p, const Eigen::Vector3f& n, const Eigen::Vector3f& q,
              const Eigen::Vector3f& m, Eigen::Matrix3f& axes) {
  const Eigen::Vector3f u = (q - p).normalized();
  Eigen::Vector3f across = n + m;
  across -= across.dot(u) * u;
  const float length = across.norm();
  if (length < 0.2F) return false;  // the normals say nothing about the turn around the line
  axes.col(0) = u;
  axes.col(1) = across / length;
  axes.col(2) = u.cross(axes.col(1));
  return true;
}

std::vector<std::size_t> choose_seeds(std::size_t count, const WeightedDraw& draw, Random& random) {
  std::vector<std::size_t> seeds;
  for (std::size_t i = 0; i < 2 * count; ++i) seeds.push_back(draw(random));
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  while (seeds.size() > count) {
    seeds[random.below(seeds.size())] = seeds.back();
    seeds.pop_back();
  }
  return seeds;
}

}  // namespace

std::vector<PoseHypothesis> point_pair_hypotheses(const OrientedCloud& a, const OrientedCloud& b,
                                                  const PointPairOptions& options, Random random) {
  std::vector<PoseHypothesis> result;
  if (a.fracture.size() < 2 || b.fracture.size() < 2) return result;
  const WeightedDraw draw_a(a.fracture);
  const WeightedDraw draw_b(b.fracture);
  const float spacing = std::max(a.spacing, b.spacing);
  const float nearest = static_cast<float>(options.min_distance) * spacing;
  const FeatureKeys keys(static_cast<float>(options.distance_step) * spacing,
                         static_cast<float>(options.angle_step));

  const auto seeds = choose_seeds(static_cast<std::size_t>(options.seeds), draw_b, random);
  std::vector<StoredPair> table;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    for (std::size_t j = 0; j < seeds.size(); ++j) {
      const OrientedPoint& p = b.fracture[seeds[i]];
      const OrientedPoint& q = b.fracture[seeds[j]];
      if ((p.position - q.position).norm() < nearest) continue;
      const Feature f = feature_of(p.position, -p.normal, q.position, -q.normal);
      table.push_back({keys.key(f), static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)});
    }
  }
  sort_by_key(table);

  for (int draw = 0; draw < options.draws; ++draw) {
    const OrientedPoint& p = a.fracture[draw_a(random)];
    const OrientedPoint& q = a.fracture[draw_a(random)];
    if ((p.position - q.position).norm() < nearest) continue;
    Eigen::Matrix3f axes_a;
    if (!frame_of(p.position, p.normal, q.position, q.normal, axes_a)) continue;
    const std::uint32_t key = keys.key(feature_of(p.position, p.normal, q.position, q.normal));
    const auto begin = std::lower_bound(table.begin(), table.end(), key,
                                        [](const StoredPair& x, std::uint32_t k) { return x.key < k; });
    auto end = begin;
    while (end != table.end() && end->key == key) ++end;
    const auto found = static_cast<std::size_t>(end - begin);
    const std::size_t taken = std::min(found, static_cast<std::size_t>(options.hits_per_draw));
    for (std::size_t k = 0; k < taken; ++k) {
      const StoredPair& hit = begin[static_cast<std::ptrdiff_t>(found <= taken ? k : random.below(found))];
      const OrientedPoint& r = b.fracture[seeds[hit.first]];
      const OrientedPoint& s = b.fracture[seeds[hit.second]];
      Eigen::Matrix3f axes_b;
      if (!frame_of(r.position, -r.normal, s.position, -s.normal, axes_b)) continue;
      PoseHypothesis h;
      h.rotation = axes_a * axes_b.transpose();
      h.translation = 0.5F * (p.position + q.position) - h.rotation * (0.5F * (r.position + s.position));
      h.b_first = static_cast<std::int32_t>(seeds[hit.first]);
      h.b_second = static_cast<std::int32_t>(seeds[hit.second]);
      result.push_back(h);
    }
  }
  return result;
}

}  // namespace pmtr
