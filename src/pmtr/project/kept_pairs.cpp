// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/project/kept_pairs.h"

#include <algorithm>

#include "pmtr/core/check.h"
#include "pmtr/project/kept_fields.h"
#include "pmtr/project/kept_file.h"

namespace pmtr {

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, RowMatch>
void visit_fields(Visit& visit, Value& match) {
  visit(match.a);
  visit(match.b);
  visit(match.distance);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, FramePose>
void visit_fields(Visit& visit, Value& pose) {
  visit(pose.a_from_b);
  visit(pose.score);
  visit(pose.agreeing);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, KeptMatches>
void visit_fields(Visit& visit, Value& pair) {
  visit(pair.a);
  visit(pair.b);
  visit(pair.mutual);
  visit(pair.poses);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, KeptScore>
void visit_fields(Visit& visit, Value& pair) {
  visit(pair.a);
  visit(pair.b);
  visit(pair.score);
  visit(pair.compared);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, JointEvidence>
void visit_fields(Visit& visit, Value& evidence) {
  visit(evidence.contact_points);
  visit(evidence.contact_area);
  visit(evidence.close_area);
  visit(evidence.gap_mean);
  visit(evidence.gap_p95);
  visit(evidence.normal_deviation);
  visit(evidence.coverage_a);
  visit(evidence.coverage_b);
  visit(evidence.penetration_area);
  visit(evidence.penetration_depth);
  visit(evidence.same_side_area);
  visit(evidence.blocked_area);
  visit(evidence.border_points);
  visit(evidence.border_agreement);
  visit(evidence.border_step);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, PoseCandidate>
void visit_fields(Visit& visit, Value& candidate) {
  visit(candidate.a_from_b);
  visit(candidate.evidence);
  visit(candidate.confidence);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, PairCandidates>
void visit_fields(Visit& visit, Value& pair) {
  visit(pair.a);
  visit(pair.b);
  visit(pair.poses);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, KeptSearch>
void visit_fields(Visit& visit, Value& search) {
  visit(search.key);
  visit(search.poses);
}

namespace {

// A new member would be lost without a word.
static_assert(sizeof(JointEvidence) == 13 * sizeof(double) + 2 * sizeof(double));
static_assert(sizeof(PoseCandidate) == sizeof(Rigid3) + sizeof(JointEvidence) + sizeof(double));

bool is_consistent(const KeptMatches& pair) {
  const auto count = static_cast<std::int32_t>(pair.mutual.size());
  return std::all_of(pair.mutual.begin(), pair.mutual.end(),
                     [](const RowMatch& match) { return match.a >= 0 && match.b >= 0; }) &&
         std::all_of(pair.poses.begin(), pair.poses.end(), [&](const FramePose& pose) {
           return std::all_of(pose.agreeing.begin(), pose.agreeing.end(),
                              [&](std::int32_t i) { return i >= 0 && i < count; });
         });
}
bool is_consistent(const KeptScore&) { return true; }
bool is_consistent(const PairCandidates&) { return true; }

template <class Pair>
std::vector<std::byte> format_pairs(std::span<const Pair> pairs, KeptKind kind) {
  for (const Pair& pair : pairs) PMTR_CHECK(pair.a < pair.b && pair.a >= 0, "a is before b");
  kept::Put put;
  put(std::vector<Pair>(pairs.begin(), pairs.end()));
  return seal_kept(kind, put.take());
}

template <class Pair>
Result<std::vector<Pair>> parse_pairs(std::span<const std::byte> bytes, KeptKind kind,
                                      const std::string& name) {
  PMTR_TRY(const auto body, unseal_kept(bytes, kind, name));
  kept::Get get(body);
  std::vector<Pair> pairs;
  get(pairs);
  if (!get.good())
    return Error{Cause::malformed, "is not a list of pairs", {name, kept_head + get.place(), {}}};
  if (!get.at_end()) return error_at(name, Cause::malformed, "goes on after its end");
  for (const Pair& pair : pairs) {
    if (pair.a < 0 || pair.a >= pair.b || !is_consistent(pair))
      return error_at(name, Cause::malformed, "has a pair that cannot be");
  }
  return pairs;
}

}  // namespace

std::vector<std::byte> format_matches(std::span<const KeptMatches> pairs) {
  return format_pairs(pairs, KeptKind::matches);
}
std::vector<std::byte> format_scores(std::span<const KeptScore> pairs) {
  return format_pairs(pairs, KeptKind::scores);
}
std::vector<std::byte> format_candidates(std::span<const PairCandidates> pairs) {
  return format_pairs(pairs, KeptKind::candidates);
}

Result<std::vector<KeptMatches>> parse_matches(std::span<const std::byte> bytes, const std::string& name) {
  return parse_pairs<KeptMatches>(bytes, KeptKind::matches, name);
}
Result<std::vector<KeptScore>> parse_scores(std::span<const std::byte> bytes, const std::string& name) {
  return parse_pairs<KeptScore>(bytes, KeptKind::scores, name);
}
Result<std::vector<PairCandidates>> parse_candidates(std::span<const std::byte> bytes,
                                                     const std::string& name) {
  return parse_pairs<PairCandidates>(bytes, KeptKind::candidates, name);
}

std::vector<std::byte> format_search(const KeptSearch& search) {
  kept::Put put;
  put(search);
  return seal_kept(KeptKind::search, put.take());
}

Result<KeptSearch> parse_search(std::span<const std::byte> bytes, const std::string& name) {
  PMTR_TRY(const auto body, unseal_kept(bytes, KeptKind::search, name));
  kept::Get get(body);
  KeptSearch search;
  get(search);
  if (!get.good())
    return Error{Cause::malformed, "is not what a search found", {name, kept_head + get.place(), {}}};
  if (!get.at_end()) return error_at(name, Cause::malformed, "goes on after its end");
  return search;
}

}  // namespace pmtr
