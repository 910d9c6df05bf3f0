// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/network_memory.h"

#include <cstdlib>  // defines __GLIBC__
#include <fstream>
#include <limits>

#include <fmt/format.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace pmtr {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int gigabyte = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, gigabyte);
  mallopt(M_TRIM_THRESHOLD, gigabyte);
  mallopt(M_TOP_PAD, 16 << 20);
  // One heap for all threads: what one frees the next can use. Allocations are few and large.
  mallopt(M_ARENA_MAX, 1);
#endif
}

double free_memory() {
  std::ifstream in("/proc/meminfo");
  std::string key, unit;
  double kilobytes = 0.0;
  while (in >> key >> kilobytes) {
    std::getline(in, unit);
    if (key == "MemAvailable:") return 1024.0 * kilobytes;
  }
  return std::numeric_limits<double>::infinity();
}

Status fits_in_memory(double bytes, double free, const std::string& what) {
  if (bytes <= free) return {};
  return Error{Cause::too_large,
               fmt::format("{} would need about {:.1f} GB of memory, and {:.1f} GB are free", what,
                           1e-9 * bytes, 1e-9 * free),
               {}};
}

}  // namespace pmtr
