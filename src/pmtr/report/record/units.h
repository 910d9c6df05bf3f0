// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace pmtr {

/// Units a person may name; the program never guesses one and never converts.
inline constexpr std::array<std::string_view, 7> known_units = {"um", "mm", "cm", "dm", "m", "in", "ft"};

/// " mm" behind a number, or nothing where the unit was not given.
inline std::string unit_suffix(const std::string& unit) { return unit.empty() ? "" : " " + unit; }
/// "mm", or "input units".
inline std::string unit_words(const std::string& unit) { return unit.empty() ? "input units" : unit; }

}  // namespace pmtr
