// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>
#include <string_view>

namespace pmtr {

/// Reports a programming error and aborts. Never for bad input: that is a Result.
[[noreturn]] void check_failed(const char* expression, const char* file, int line, std::string_view message);

}  // namespace pmtr

/// Aborts with the message unless the condition holds. The message is only built on failure.
#define PMTR_CHECK(condition, ...)                                                                      \
  do {                                                                                                  \
    if (!(condition)) ::pmtr::check_failed(#condition, __FILE__, __LINE__, ::std::string{__VA_ARGS__}); \
  } while (false)
