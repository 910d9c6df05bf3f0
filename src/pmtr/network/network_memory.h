// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr {

/// Tells the allocator to keep freed memory instead of returning it to the system: temporaries of tens of
/// megabytes come back at every layer, and fresh pages cost more than the arithmetic on them. Called once, in
/// main, before threads. Does nothing where the C library is not glibc.
void keep_freed_memory();

}  // namespace pmtr
