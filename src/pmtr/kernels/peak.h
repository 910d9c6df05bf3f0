// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/threads.h"

namespace pmtr::kernels {

/// The rate of fused multiply-adds in float that this team reaches from registers, in 1e9 operations per
/// second (a multiply-add counts two). The best of several short runs: what speeds are to be compared with on
/// a machine that others use too. Takes about 30 ms.
double measure_fma_peak(Threads& threads);

}  // namespace pmtr::kernels
