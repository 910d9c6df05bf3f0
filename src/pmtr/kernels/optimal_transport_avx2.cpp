// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#if defined(__AVX2__)
#include "pmtr/kernels/optimal_transport_scaling.h"

#define PMTR_ISA avx2
#include "pmtr/kernels/optimal_transport_body.h"
#endif
