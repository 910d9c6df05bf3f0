// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/match/nearest_rows.h"
#include "pmtr/pose/frame_poses.h"
#include "pmtr/pose/search_pairs.h"

namespace pmtr {

/// What the matches of two fragments say; a is before b.
struct KeptMatches {
  int a = 0;
  int b = 0;
  std::vector<RowMatch> mutual;
  std::vector<FramePose> poses;  ///< best first
};

/// Of KeptMatches, what chooses who is worth a look: few bytes, since every worker reads those of all pairs.
struct KeptScore {
  int a = 0;
  int b = 0;
  double score = 0.0;
  bool compared = false;
};

/// What one search of a pair found, by what it was made from; see KeptWork.
struct KeptSearch {
  std::uint64_t key = 0;
  std::vector<PoseCandidate> poses;
};

std::vector<std::byte> format_matches(std::span<const KeptMatches> pairs);
std::vector<std::byte> format_scores(std::span<const KeptScore> pairs);
std::vector<std::byte> format_candidates(std::span<const PairCandidates> pairs);
std::vector<std::byte> format_search(const KeptSearch& search);

Result<std::vector<KeptMatches>> parse_matches(std::span<const std::byte> bytes, const std::string& name);
Result<std::vector<KeptScore>> parse_scores(std::span<const std::byte> bytes, const std::string& name);
Result<std::vector<PairCandidates>> parse_candidates(std::span<const std::byte> bytes,
                                                     const std::string& name);
Result<KeptSearch> parse_search(std::span<const std::byte> bytes, const std::string& name);

}  // namespace pmtr
