// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#if defined(__x86_64__)
#define PMTR_ISA avx2
#include "pmtr/kernels/gemm_body.h"
#endif
