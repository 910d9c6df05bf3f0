// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/confidence_scores.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pmtr/evaluate/percent.h"

namespace pmtr {
namespace {

std::string reliability_table(const char* what, std::span<const Claim> claims) {
  const Reliability reliability = reliability_of(claims);
  std::string text =
      fmt::format("| confidence | {} | mean confidence | right (%) |\n|---|---|---|---|\n", what);
  for (const ConfidenceClass& c : reliability.classes)
    text += fmt::format("| {:g} to {:g} | {} | {:.3f} | {:.1f} |\n", c.low, c.high, c.claims,
                        c.mean_confidence, percent(c.right, c.claims));
  return text + fmt::format("\nExpected calibration error: {:.3f} of {} {}.\n", reliability.error,
                            reliability.claims, what);
}

}  // namespace

Reliability reliability_of(std::span<const Claim> claims) {
  constexpr std::array edges = {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 1.0};
  Reliability result;
  result.claims = static_cast<std::int64_t>(claims.size());
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    ConfidenceClass own{edges[i], edges[i + 1], 0, 0.0, 0};
    for (const Claim& claim : claims) {
      const bool last = i + 2 == edges.size();
      if (claim.confidence < own.low || (claim.confidence >= own.high && !last)) continue;
      ++own.claims;
      own.mean_confidence += claim.confidence;
      own.right += claim.right ? 1 : 0;
    }
    if (own.claims == 0) continue;
    const auto count = static_cast<double>(own.claims);
    result.error += std::abs(own.mean_confidence - static_cast<double>(own.right));
    own.mean_confidence /= count;
    result.classes.push_back(own);
  }
  if (result.claims > 0) result.error /= static_cast<double>(result.claims);
  return result;
}

void ConfidenceScores::add(const JointRecord& joint) {
  joints.push_back({joint.confidence, joint.right});
  BandCount& count = by_band[static_cast<std::size_t>(joint.band)];
  ++count.joints;
  count.right += joint.right ? 1 : 0;
}

std::int64_t ConfidenceScores::right_joints() const {
  return std::count_if(joints.begin(), joints.end(), [](const Claim& claim) { return claim.right; });
}

std::string confidence_tables(const ConfidenceScores& scores) {
  std::string text =
      "| joints that hold | joints | wrong | right (%) | of all right ones (%) |\n|---|---|---|---|---|\n";
  for (const Band band : {Band::confirmed, Band::probable, Band::rejected}) {
    const BandCount& count = scores.by_band[static_cast<std::size_t>(band)];
    text += fmt::format("| {} | {} | {} | {:.1f} | {:.1f} |\n", band_name(band), count.joints,
                        count.joints - count.right, percent(count.right, count.joints),
                        percent(count.right, scores.right_joints()));
  }
  text += "\n" + reliability_table("joints", scores.joints);
  text += "\n" + reliability_table("placed pieces", scores.pieces);
  return text;
}

}  // namespace pmtr
