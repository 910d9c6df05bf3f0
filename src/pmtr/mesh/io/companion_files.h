// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/mesh/io/mesh_file.h"

namespace pmtr {

/// A file name found inside a mesh file, as a clean path relative to that file: forward slashes, no "."
/// parts. None if it is empty, absolute (also "C:\..."), a folder ("maps/"), leads out of the folder, or
/// holds control characters: a mesh file must not make us read or overwrite anything else.
std::optional<std::string> clean_companion_name(std::string_view written);

/// Gives the content of a file beside the mesh. The name is clean, so `read_file(folder / name)` is safe.
using CompanionLoader = std::function<Result<std::vector<std::byte>>(const std::string& relative_name)>;

/// Reads regular files of at most 1 GiB from the mesh file's folder; the mesh file itself is refused, since
/// its companion would overwrite it where both are written.
CompanionLoader load_beside(const std::filesystem::path& mesh_file);

/// Loads each companion once. What is missing or refused becomes a warning.
class Companions {
 public:
  /// Without loader nothing is found. The lists must outlive this object.
  Companions(CompanionLoader loader, std::vector<CompanionFile>& files, std::vector<std::string>& warnings)
      : loader_(std::move(loader)), files_(files), warnings_(warnings) {}

  /// Index into the files, or -1. `folder` is empty or ends with a slash: the name is tried there first, then
  /// in the mesh's own folder. `kind` is for the warning: "texture".
  int load(std::string_view written, const std::string& folder, std::string_view kind);

 private:
  int warn(std::string text);

  CompanionLoader loader_;
  std::vector<CompanionFile>& files_;
  std::vector<std::string>& warnings_;
  std::unordered_map<std::string, int> loaded_;
  std::unordered_set<std::string> warned_;
};

}  // namespace pmtr
