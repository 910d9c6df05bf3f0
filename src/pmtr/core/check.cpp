// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace pmtr {

void check_failed(const char* expression, const char* file, int line, std::string_view message) {
  std::fprintf(stderr, "pmtr: internal error at %s:%d: %s%s%.*s\n", file, line, expression,
               message.empty() ? "" : ": ", static_cast<int>(message.size()), message.data());
  std::abort();
}

}  // namespace pmtr
