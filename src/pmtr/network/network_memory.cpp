// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/network_memory.h"

#include <cstdlib>  // defines __GLIBC__

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

}  // namespace pmtr
