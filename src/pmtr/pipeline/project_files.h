// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pmtr/network/fragment_encoder.h"
#include "pmtr/pipeline/assemble_fragments.h"
#include "pmtr/pipeline/assemble_request.h"
#include "pmtr/project/kept_file.h"
#include "pmtr/project/kept_fragment.h"
#include "pmtr/project/kept_pairs.h"
#include "pmtr/project/project.h"

namespace pmtr {

// What the stages of a project share; private to them.

Result<FragmentEncoder> load_encoder(const std::filesystem::path& weights);

/// The options that pmtr assemble would have.
AssembleRequest request_of(const Project& project);

/// Is there a file of this kind, whole? A damaged one is as good as none: it is made again.
bool is_kept(const std::filesystem::path& file, KeptKind kind);

Result<EncodedFragment> read_fragment(const ProjectFolder& folder, const Project& project, int fragment);
Result<std::vector<KeptMatches>> read_matches(const ProjectFolder& folder, const Project& project,
                                              const BlockPair& pair);

/// The pairs of the whole project that are worth a look, ascending. Cause::empty if not all are matched.
Result<std::vector<std::pair<int, int>>> likely_pairs_of(const ProjectFolder& folder, const Project& project);

/// Those of them between two blocks.
std::vector<std::pair<int, int>> pairs_within(std::span<const std::pair<int, int>> pairs, const Block& first,
                                              const Block& second);

/// The fragments of the blocks that were asked for last: of two, since pairs of blocks need two.
class LoadedBlocks {
 public:
  LoadedBlocks(const ProjectFolder& folder, const Project& project) : folder_(folder), project_(project) {}

  using Fragments = std::shared_ptr<const std::vector<EncodedFragment>>;
  Result<std::pair<Fragments, Fragments>> of(const BlockPair& pair);

 private:
  Result<Fragments> load(int block) const;

  const ProjectFolder& folder_;
  const Project& project_;
  std::map<int, Fragments> loaded_;
};

}  // namespace pmtr
