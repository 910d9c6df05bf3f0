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
};

/// Numbers that the loops want as scratch for points of at most `edges` edges in either direction.
constexpr std::int64_t pmt_attention_scratch(std::int64_t edges) { return 9 * (edges + 1); }

// Each works on the points [begin, end): the forward; the gradient of the input; that of the MLP.
// `neighbours` has room for the edges of one point.
#define PMTR_ATTENTION_LOOPS                                                                                \
  template <class Real>                                                                                     \
  void attend(const PmtAttentionData<Real>& data, std::int64_t begin, std::int64_t end, Real* scratch,      \
              std::int32_t* neighbours);                                                                    \
  template <class Real>                                                                                     \
  void input_reverse(const PmtAttentionData<Real>& data, std::int64_t begin, std::int64_t end,              \
                     Real* scratch);                                                                        \
  template <class Real>                                                                                     \
  void mlp_reverse(const PmtAttentionData<Real>& data, std::int64_t begin, std::int64_t end, Real* scratch, \
                   std::int32_t* neighbours, PmtAttentionMlp<Real>& d_mlp);

namespace portable {
PMTR_ATTENTION_LOOPS
}
namespace avx2 {
PMTR_ATTENTION_LOOPS
}
#undef PMTR_ATTENTION_LOOPS

}  // namespace pmtr::kernels
