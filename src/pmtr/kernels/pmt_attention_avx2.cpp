// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#if defined(__AVX2__)
#define PMTR_ISA avx2
#include "pmtr/kernels/pmt_attention_body.h"
#endif
