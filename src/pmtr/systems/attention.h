// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/threads.h"
#include "pmtr/network/tensor.h"

namespace pmtr {

/// softmax(q k^T / sqrt(d)) v of each head: q is [heads, n, d], k and v are [heads, m, d]. A few rows at a
/// time, so that the n x m weights of a head are never there as a whole; the gradient makes them again. With
/// our own matrix product: torch's is slow where its BLAS does not know the processor.
torch::Tensor attend_in_rows(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                             Threads& threads);

/// a b^T for [n, d] and [m, d], by our own matrix product on the calling thread; no gradient.
torch::Tensor product_of_rows(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace pmtr
