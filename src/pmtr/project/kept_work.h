// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/match/fragment_features.h"
#include "pmtr/pose/known_searches.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr {

/// A folder where one assembly keeps what costs most while it goes on, so that the next one, after a kill,
/// does not do it again: what the network said of each fragment (fragments/KEY.fragment), and what each
/// search of a pair found (one file, searches, that only grows). Names and keys are digests of what the work
/// was done on, so nothing stale is found: a changed scan, size, option or program just finds nothing. One
/// process at a time. Where nothing can be written (a full disk), work goes on without being kept.
class KeptWork final : public KnownSearches {
 public:
  /// `maker` names the program's version and the weights. Cause::mismatch if another process has the folder.
  static Result<std::unique_ptr<KeptWork>> open(const std::filesystem::path& folder, std::string maker);
  ~KeptWork() override;

  /// Of a fragment with these points.
  std::optional<FragmentFeatures> find_features(const FragmentClouds& clouds);
  void keep_features(const FragmentClouds& clouds, const FragmentFeatures& features);

  std::vector<PoseCandidate> find(std::uint64_t a, std::uint64_t b, std::span<const Rigid3> hints,
                                  const PoseSearchOptions& options, const Search& search) override;

  /// How much of the work was there, and how much was done.
  struct Counts {
    int fragments_found = 0, fragments_made = 0;
    int searches_found = 0, searches_made = 0;
  };
  Counts counts() const;
  /// Why nothing more is kept; empty: all is well.
  std::string trouble() const;

 private:
  KeptWork(std::filesystem::path folder, std::string maker);
  Status take_file();
  void read_searches(std::span<const std::byte> bytes);
  void append(std::span<const std::byte> record);
  std::filesystem::path fragment_file(const FragmentClouds& clouds) const;

  std::filesystem::path folder_;
  std::string maker_;
  int file_ = -1;  ///< searches, locked
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::vector<PoseCandidate>> searches_;
  std::size_t good_bytes_ = 0;  ///< of the file
  Counts counts_;
  std::string trouble_;
};

}  // namespace pmtr
