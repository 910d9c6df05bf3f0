// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/result.h"

#include <fmt/format.h>

namespace pmtr {

std::string Error::text() const {
  if (place.file.empty() && !place.line && !place.byte) return message;
  std::string where = place.file.empty() ? "input" : place.file;
  if (place.line) {
    where += fmt::format(":{}", *place.line);
  } else if (place.byte) {
    where += fmt::format(" (byte {})", *place.byte);
  }
  return fmt::format("{}: {}", where, message);
}

}  // namespace pmtr
