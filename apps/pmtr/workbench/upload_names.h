// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "pmtr/core/result.h"

namespace pmtr::command {

/// The name of a file that a browser sends, as a path below the folder of the fragments: forward slashes, no
/// "." or "..", nothing hidden, no control characters, well-formed UTF-8. Anything else is an error with a
/// sentence for the person; nothing is repaired, since a repaired name is another file.
Result<std::string> clean_upload_name(std::string_view given);

enum class UploadKind {
  fragment,   ///< a mesh by its extension
  companion,  ///< what an OBJ may name: MTL and pictures
  unknown,
};
UploadKind upload_kind(const std::filesystem::path& name);

/// "piece_2" comes before "piece_10".
bool natural_less(std::string_view a, std::string_view b);

/// A folder name for a project of this name: one path component that is no surprise on any disk.
std::string folder_name_for(std::string_view project_name);

}  // namespace pmtr::command
