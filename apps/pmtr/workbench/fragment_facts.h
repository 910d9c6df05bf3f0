// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/threads.h"
#include "project.h"

namespace pmtr::command {

/// What the page tells of one file of a project.
struct FragmentFacts {
  std::uint64_t bytes = 0;
  std::int64_t written = 0;  ///< when, in ticks of the file system: with `bytes` it tells an old answer
  bool good = false;         ///< can take part in an assembly
  std::string message;       ///< why not
  std::string format;
  std::uint64_t vertices = 0;
  std::uint64_t faces = 0;
  std::array<double, 3> sides{};  ///< of the box around it
  double diameter = 0.0;
  std::vector<std::string> problems;  ///< sentences, as `pmtr info` finds them
};

/// Reads a fragment and draws it; both go to the project's cache, so that it happens once per file. A file
/// that cannot be read is not an error here: that is what the facts say.
Result<FragmentFacts> study_fragment(const ProjectFolder& folder, const std::string& name, Threads& threads);

/// What the cache knows of a file as it is now.
std::optional<FragmentFacts> known_facts(const ProjectFolder& folder, const std::string& name);
std::filesystem::path thumbnail_file(const ProjectFolder& folder, const std::string& name);

/// What can only be said of a fragment beside the others: one in other units stands out by its size. One
/// sentence per fragment, or an empty one.
std::vector<std::string> odd_sizes(std::span<const double> diameters);

}  // namespace pmtr::command
