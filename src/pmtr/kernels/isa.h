// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/kernels/cpu.h"

/// For foo.cpp: PMTR_PICK(foo_loops<Real>()) is portable::foo_loops<Real>() or its AVX2 twin, of the
/// namespace around it.
#if defined(__x86_64__)
#define PMTR_PICK(...) (::pmtr::kernels::use_avx2() ? avx2::__VA_ARGS__ : portable::__VA_ARGS__)
#else
#define PMTR_PICK(...) portable::__VA_ARGS__
#endif
