// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

/// What a file of a project holds; the numbers are in the files.
enum class KeptKind : std::uint32_t { fragment = 1, matches = 2, scores = 3, candidates = 4, search = 5 };

/// Goes into every file and every name of one. Raised when a format, or what a stage makes of the same input,
/// changes.
inline constexpr std::uint32_t kept_version = 3;

/// A head of 24 bytes before the body: "pmtrkept", kind, version, checksum of the body.
inline constexpr std::size_t kept_head = 24;
std::vector<std::byte> seal_kept(KeptKind kind, std::span<const std::byte> body);

/// The body, checked to be whole. Cause::unknown_format, ::mismatch (another kind or version), ::truncated
/// and
/// ::malformed name the file.
Result<std::span<const std::byte>> unseal_kept(std::span<const std::byte> bytes, KeptKind kind,
                                               const std::string& name);

/// Of a file, to tell whether it is the same: 16 hexadecimal digits. Against accidents, not against an enemy.
std::string digest_of(std::span<const std::byte> bytes);

}  // namespace pmtr
