// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers as every text format writes them, in any locale.
namespace pmtr {

/// A whole word as a decimal number, "nan" and "inf" included. Beyond the range of its type (float or double)
/// it is infinite or zero: the caller checks what must be finite.
template <class T = double>
std::optional<T> parse_number(std::string_view word);

/// The shortest text that reads back as the same number; -0 is written as 0.
void append_number(std::string& text, double value);
void append_number(std::string& text, float value);
void append_number(std::string& text, std::uint64_t value);

}  // namespace pmtr
