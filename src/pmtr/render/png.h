// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/render/image.h"

namespace pmtr {

/// A PNG file in memory. The same image gives the same bytes (with the same zlib). An image without pixels
/// is an error, for PNG has none.
Result<std::vector<std::byte>> encode_png(const Image& image);

Status write_png(const std::filesystem::path& path, const Image& image);

}  // namespace pmtr
