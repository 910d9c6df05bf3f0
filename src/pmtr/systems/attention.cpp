// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/attention.h"

#include <cmath>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/kernels/gemm.h"

namespace pmtr {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr std::int64_t attention_rows = 512;

template <class Real>
kernels::MatrixView<Real> matrix(const Tensor& tensor) {
  return kernels::row_major(tensor.data_ptr<Real>(), tensor.size(0), tensor.size(1));
}

/// c = a b, or c += a b, on the calling thread.
template <class Real>
void multiply(const kernels::MatrixView<Real>& a, const kernels::MatrixView<Real>& b, const Tensor& c,
              bool accumulate = false) {
  kernels::gemm<Real>(a, b, {c.data_ptr<Real>(), c.size(1), nullptr, accumulate}, Threads::none());
}

/// What one head needs of some rows: [rows, m].
template <class Real>
Tensor weights_of_rows(const Tensor& q, const Tensor& k, double scale) {
  Tensor scores = torch::empty({q.size(0), k.size(0)}, q.options());
  multiply<Real>(matrix<Real>(q), matrix<Real>(k).transposed(), scores);
  return torch::softmax(scores.mul_(scale), 1);
}

double scale_of(const Tensor& q) { return 1.0 / std::sqrt(static_cast<double>(q.size(2))); }

template <class Real>
void attend(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& out, Threads& threads) {
  run_tasks(threads, q.size(0), [&](std::int64_t head) {
    const torch::NoGradGuard no_grad;
    for (std::int64_t row = 0; row < q.size(1); row += attention_rows) {
      const std::int64_t rows = std::min(attention_rows, q.size(1) - row);
      const Tensor weights = weights_of_rows<Real>(q[head].narrow(0, row, rows), k[head], scale_of(q));
      multiply<Real>(matrix<Real>(weights), matrix<Real>(v[head]), out[head].narrow(0, row, rows));
    }
  });
}

template <class Real>
void attend_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& out,
                     const Tensor& d_out, const Tensor& d_q, const Tensor& d_k, const Tensor& d_v,
                     Threads& threads) {
  run_tasks(threads, q.size(0), [&](std::int64_t head) {
    const torch::NoGradGuard no_grad;
    for (std::int64_t row = 0; row < q.size(1); row += attention_rows) {
      const std::int64_t rows = std::min(attention_rows, q.size(1) - row);
      const Tensor own_q = q[head].narrow(0, row, rows);
      const Tensor own_d = d_out[head].narrow(0, row, rows);
      const Tensor weights = weights_of_rows<Real>(own_q, k[head], scale_of(q));
      multiply<Real>(matrix<Real>(weights).transposed(), matrix<Real>(own_d), d_v[head], true);
      Tensor d_scores = torch::empty_like(weights);
      multiply<Real>(matrix<Real>(own_d), matrix<Real>(v[head]).transposed(), d_scores);
      const Tensor mean = (own_d * out[head].narrow(0, row, rows)).sum(1, true);
      d_scores.sub_(mean).mul_(weights).mul_(scale_of(q));
      multiply<Real>(matrix<Real>(d_scores), matrix<Real>(k[head]), d_q[head].narrow(0, row, rows));
      multiply<Real>(matrix<Real>(d_scores).transposed(), matrix<Real>(own_q), d_k[head], true);
    }
  });
}

struct AttendFunction : torch::autograd::Function<AttendFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& q, const Tensor& k, const Tensor& v,
                        Threads* threads) {
    Tensor out = torch::empty_like(q);
    (q.scalar_type() == torch::kFloat ? attend<float> : attend<double>)(q, k, v, out, *threads);
    ctx->save_for_backward({q, k, v, out});
    // The team outlives every graph that is made with it.
    ctx->saved_data["threads"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(threads));
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &q = saved[0], &k = saved[1], &v = saved[2];
    Tensor d_q = torch::empty_like(q), d_k = torch::zeros_like(k), d_v = torch::zeros_like(v);
    auto& threads =
        *reinterpret_cast<Threads*>(static_cast<std::intptr_t>(ctx->saved_data["threads"].toInt()));
    (q.scalar_type() == torch::kFloat
         ? attend_backward<float>
         : attend_backward<double>)(q, k, v, saved[3], grads[0].contiguous(), d_q, d_k, d_v, threads);
    return {d_q, d_k, d_v, Tensor()};
  }
};

}  // namespace

Tensor attend_in_rows(const Tensor& q, const Tensor& k, const Tensor& v, Threads& threads) {
  PMTR_CHECK(q.dim() == 3 && k.dim() == 3 && k.sizes() == v.sizes() && q.size(0) == k.size(0) &&
                 q.size(2) == k.size(2),
             "[heads, n, d] and twice [heads, m, d]");
  return AttendFunction::apply(q.contiguous(), k.contiguous(), v.contiguous(), &threads);
}

Tensor product_of_rows(const Tensor& a, const Tensor& b) {
  const torch::NoGradGuard no_grad;
  PMTR_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(1), "[n, d] and [m, d]");
  const Tensor own_a = a.contiguous(), own_b = b.contiguous();
  Tensor product = torch::empty({a.size(0), b.size(0)}, a.options());
  if (a.scalar_type() == torch::kFloat) {
    multiply<float>(matrix<float>(own_a), matrix<float>(own_b).transposed(), product);
  } else {
    multiply<double>(matrix<double>(own_a), matrix<double>(own_b).transposed(), product);
  }
  return product;
}

}  // namespace pmtr
