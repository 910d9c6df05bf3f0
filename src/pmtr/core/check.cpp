// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/check.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "pmtr/core/check_handler.h"

namespace pmtr {
namespace {

std::atomic<CheckHandler> check_handler = nullptr;

}  // namespace

void set_check_handler(CheckHandler handler) { check_handler = handler; }

void check_failed(const char* expression, const char* file, int line, std::string_view message) {
  const std::string text = fmt::format("internal error at {}:{}: {}{}{}", file, line, expression,
                                       message.empty() ? "" : ": ", message);
  if (const CheckHandler handler = check_handler) handler(text);
  std::fprintf(stderr, "pmtr: %s\n", text.c_str());
  std::abort();
}

}  // namespace pmtr
