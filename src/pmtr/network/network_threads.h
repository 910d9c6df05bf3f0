// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr {

/// How many threads torch itself may use, here and in its BLAS. Called once, in main.
void set_network_threads(int count);

}  // namespace pmtr
