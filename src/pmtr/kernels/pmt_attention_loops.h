// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/kernels/pmt_attention.h"

namespace pmtr::kernels {

/// What the loops read and write; pointers of the parts that a loop does not use stay null.
template <class Real>
struct PmtAttentionData {
  AttentionEdges edges;
  const Real* lengths = nullptr;
  const PmtAttentionMlp<Real>* mlp = nullptr;
  const Real* input = nullptr;
  std::int64_t width = 0;
  Real* attention = nullptr;
  Real* output = nullptr;

  const std::int64_t* inverse_begin = nullptr;
  const std::int32_t* inverse_point = nullptr;
  const std::int32_t* inverse_edge = nullptr;
  const Real* d_output = nullptr;
  Real* d_input = nullptr;
  Real* d_attention = nullptr;  ///< [edges, heads], not written at pads
};

/// Numbers that the loops want as scratch for points of at most `edges` edges.
constexpr std::int64_t pmt_attention_scratch(std::int64_t edges) { return 12 * (edges + 2); }

// Each works on the points [begin, end): the forward; the gradients of input and attention, by inverse lists;
// the gradient of the MLP from that of the attention, added to d_mlp.
#define PMTR_ATTENTION_LOOPS                                                                                \
  template <class Real>                                                                                     \
  void attend(const PmtAttentionData<Real>& data, std::int64_t begin, std::int64_t end, Real* scratch,      \
              std::int32_t* neighbours);                                                                    \
  template <class Real>                                                                                     \
  void attend_reverse(const PmtAttentionData<Real>& data, std::int64_t begin, std::int64_t end);            \
  template <class Real>                                                                                     \
  void mlp_reverse(const PmtAttentionData<Real>& data, std::int64_t begin, std::int64_t end, Real* scratch, \
                   PmtAttentionMlp<Real>& d_mlp);

namespace portable {
PMTR_ATTENTION_LOOPS
}
namespace avx2 {
PMTR_ATTENTION_LOOPS
}
#undef PMTR_ATTENTION_LOOPS

}  // namespace pmtr::kernels
