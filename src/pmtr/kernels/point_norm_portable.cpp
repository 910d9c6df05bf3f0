// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#define PMTR_ISA portable
#include "pmtr/kernels/point_norm_body.h"
