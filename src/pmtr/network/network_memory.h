// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include "pmtr/core/result.h"

namespace pmtr {

/// Tells the allocator to keep freed memory instead of returning it to the system: temporaries of tens of
/// megabytes come back at every layer, and fresh pages cost more than the arithmetic on them. Called once, in
/// main, before threads. Does nothing where the C library is not glibc.
void keep_freed_memory();

/// Bytes that this machine can still give; infinite where it does not say.
double free_memory();

/// An error that says how much `what` would need where that is more than is free.
Status fits_in_memory(double bytes, double free, const std::string& what);

}  // namespace pmtr
