// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#define PMTR_ISA portable
#include "pmtr/kernels/pmt_attention_body.h"
