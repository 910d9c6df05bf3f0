// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/network_threads.h"

#include <ATen/Parallel.h>

namespace pmtr {

void set_network_threads(int count) { at::set_num_threads(count); }

}  // namespace pmtr
