// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <sys/resource.h>

namespace pmtr {

/// The most memory this process has held so far.
inline double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace pmtr
