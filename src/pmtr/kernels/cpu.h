// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr::kernels {

/// How the hot loops are chosen. A kernel `foo` has its loops in foo_body.h, inside namespace PMTR_ISA, and
/// compiles them twice: foo.cpp for any CPU, foo_avx2.cpp with AVX2 and FMA (flags set in CMake by that
/// suffix). foo.cpp picks one per call by this. Bodies use raw pointers and no standard templates: an inline
/// function compiled with AVX2 must not be the copy that the linker keeps for everyone.
bool use_avx2();

/// For tests: run the portable loops although the CPU could do more.
void force_portable(bool on);

}  // namespace pmtr::kernels
