// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pmtr {

/// Appends the bytes as base64, with padding and without line ends.
void append_base64(std::string& text, std::span<const std::byte> bytes);

/// The bytes that base64 stands for, padded or not, in the usual letters or those for addresses ('-' and
/// '_'). None if there is any other letter.
std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

}  // namespace pmtr
