// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr::kernels {

/// How the hot loops are chosen. The loops of foo.cpp are in foo_loops.cpp, inside namespace PMTR_ISA, and
/// declared in foo_loops.h. CMake compiles them twice, with PMTR_ISA=portable for any CPU and with
/// PMTR_ISA=avx2 for AVX2 and FMA; foo.cpp picks one per call by this (PMTR_PICK in isa.h). Vectors are in
/// simd.h. Loops use raw pointers and no standard templates: an inline function compiled with AVX2 must not
/// be the copy that the linker keeps for everyone.
bool use_avx2();

/// For tests: run the portable loops although the CPU could do more.
void force_portable(bool on);

}  // namespace pmtr::kernels
