// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "project.h"

namespace pmtr::command {

struct UploadLimits {
  std::size_t files = 2'000;                             ///< per project
  std::uint64_t spare_bytes = std::uint64_t{64} << 20U;  ///< that stay free on the disk
};

/// Whether files may come, asked one after the other: each takes of the room that is left. The page asks
/// before it sends, so that refusals come as sentences and not as broken connections.
class UploadGate {
 public:
  UploadGate(const ProjectFolder& folder, const UploadLimits& limits);

  /// The name under which it is stored.
  Result<std::string> accept(std::string_view name, std::uint64_t bytes);

 private:
  std::set<std::string> files_;  ///< there, or accepted
  std::size_t most_files_;
  std::uint64_t room_;  ///< in bytes
};

/// Calls its argument with the pieces of the content, until that returns false; false if they did not all
/// come.
using UploadSource = std::function<bool(const std::function<bool(const char* data, std::size_t size)>&)>;

/// Streams an accepted file into incoming/, and renames it to its place when all of it is there. Of anything
/// that goes wrong nothing stays.
Status receive_upload(const ProjectFolder& folder, const std::string& accepted_name, std::uint64_t bytes,
                      const UploadSource& source);

}  // namespace pmtr::command
