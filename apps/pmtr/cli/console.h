// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "pmtr/core/result.h"

namespace pmtr::command {

/// What the program returns to the shell; documented in docs/command_line.md.
namespace exit_code {
inline constexpr int done = 0;
inline constexpr int failed = 1;
inline constexpr int usage = 2;
inline constexpr int bad_input = 3;
inline constexpr int nothing_assembled = 4;
}  // namespace exit_code

/// Called first in main: a reader that goes away must not end hours of work.
void ignore_broken_pipes();

/// People read stderr: "pmtr: <text>", "pmtr: warning: <text>", "pmtr: error: <text>".
void say(std::string_view text);
void warn(std::string_view text);
void complain(std::string_view text);

/// Complains about the error and returns the exit code for it.
int report(const Error& error);
/// The same for a command whose options all come from its arguments: one outside its range is wrong usage.
int report_usage(const Error& error);

/// Programs read stdout. Returns the exit code: a closed pipe is fine (the reader has seen enough), a full
/// disk is not.
int print(std::string_view text);
int print_json(const nlohmann::json& value);

}  // namespace pmtr::command
