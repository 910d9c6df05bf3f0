// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/optimal_transport.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pmtr/core/check.h"
#include "pmtr/kernels/isa.h"
#include "pmtr/kernels/optimal_transport_loops.h"

namespace pmtr::kernels {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Beyond this spread of Z (in nats) scalings and kernel may leave the range of double: use logs instead. The
/// products of the loops stay within exp(+-3 spread), double ends at exp(-708).
constexpr double max_spread = 150;

constexpr std::int64_t patches_per_chunk = 4;

/// The work of one patch after another, always in double: patches are small, and the scalings of 100
/// iterations then cost nothing in precision. Row 0 of a history is the start, row t is after iteration t.
class Worker {
 public:
  template <class Real>
  void load(const TransportPatch& patch, const Real* scores, double alpha, int max_iterations) {
    rows_ = patch.rows + 1;
    columns_ = patch.columns + 1;
    problem_.rows = rows_;
    problem_.columns = columns_;
    problem_.row_stride = (rows_ + 3) / 4 * 4;
    problem_.column_stride = (columns_ + 3) / 4 * 4;
    norm_ = -std::log(static_cast<double>(patch.rows + patch.columns));
    const double share = std::exp(norm_);
    z_.assign(rows_ * columns_, alpha);
    highest_ = alpha;
    double lowest = alpha;
    bool number = !std::isnan(alpha);
    for (std::int64_t i = 0; i < patch.rows; ++i) {
      for (std::int64_t j = 0; j < patch.columns; ++j) {
        const auto s = static_cast<double>(scores[patch.scores + i * patch.columns + j]);
        z_[i * columns_ + j] = s;
        highest_ = std::max(highest_, s);
        lowest = std::min(lowest, s);
        number = number && !std::isnan(s);
      }
    }
    in_logs_ = !(number && highest_ - lowest <= max_spread);
    row_mass_.assign(problem_.row_stride, 0);
    column_mass_.assign(problem_.column_stride, 0);
    std::fill_n(row_mass_.begin(), patch.rows, share);
    std::fill_n(column_mass_.begin(), patch.columns, share);
    row_mass_[patch.rows] = patch.columns * share;
    column_mass_[patch.columns] = patch.rows * share;
    row_history_.resize((max_iterations + 1) * problem_.row_stride);
    column_history_.resize((max_iterations + 1) * problem_.column_stride);
  }

  void iterate(const TransportOptions& options) {
    if (in_logs_) {
      iterate_in_logs(options);
      return;
    }
    kernel_.assign(problem_.rows * problem_.column_stride, 1);
    kernel_transposed_.assign(problem_.columns * problem_.row_stride, 1);
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) {
        const double k = std::exp(z_[i * columns_ + j] - highest_);
        kernel_[i * problem_.column_stride + j] = k;
        kernel_transposed_[j * problem_.row_stride + i] = k;
      }
    }
    problem_.kernel = kernel_.data();
    problem_.kernel_transposed = kernel_transposed_.data();
    problem_.row_mass = row_mass_.data();
    problem_.column_mass = column_mass_.data();
    std::fill_n(column_history_.begin(), problem_.column_stride, 0.0);
    std::fill_n(column_history_.begin(), columns_, 1.0);
    done_ = PMTR_PICK(scale)(problem_, options.iterations, options.tolerance, row_history_.data(),
                             column_history_.data());
  }

  template <class Real>
  void write(Real* output) {
    u_.resize(rows_);
    v_.resize(columns_);
    for (std::int64_t i = 0; i < rows_; ++i)
      u_[i] =
          log_scaling(row(done_)[i]) - (in_logs_ ? 0 : highest_);  // the kernel was divided by exp(highest_)
    for (std::int64_t j = 0; j < columns_; ++j) v_[j] = log_scaling(column(done_)[j]);
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j)
        output[i * columns_ + j] = static_cast<Real>(z_[i * columns_ + j] + u_[i] + v_[j] - norm_);
    }
  }

  /// Returns the gradient of alpha.
  template <class Real>
  double reverse(const Real* d_output, Real* d_scores) {
    d_z_.resize(rows_ * columns_);
    d_u_.assign(problem_.row_stride, 0);
    d_v_.assign(problem_.column_stride, 0);
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) {
        const auto d = static_cast<double>(d_output[i * columns_ + j]);
        d_z_[i * columns_ + j] = d;
        d_u_[i] += d;
        d_v_[j] += d;
      }
    }
    if (in_logs_) {
      reverse_in_logs();
    } else {
      row_scratch_.resize(row_history_.size());
      column_scratch_.resize(column_history_.size());
      weight_.resize(problem_.rows * problem_.column_stride);
      PMTR_PICK(unscale)
      (problem_, done_, row_history_.data(), column_history_.data(), d_u_.data(), d_v_.data(),
       column_scratch_.data(), row_scratch_.data(), weight_.data());
      for (std::int64_t i = 0; i < rows_; ++i) {
        for (std::int64_t j = 0; j < columns_; ++j) {
          const std::int64_t padded = i * problem_.column_stride + j;
          d_z_[i * columns_ + j] -= kernel_[padded] * weight_[padded];
        }
      }
    }
    double d_alpha = 0;
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) {
        const double d = d_z_[i * columns_ + j];
        if (i + 1 < rows_ && j + 1 < columns_) {
          d_scores[i * (columns_ - 1) + j] = static_cast<Real>(d);
        } else {
          d_alpha += d;
        }
      }
    }
    return d_alpha;
  }

 private:
  double* row(int t) { return row_history_.data() + t * problem_.row_stride; }
  double* column(int t) { return column_history_.data() + t * problem_.column_stride; }
  double log_scaling(double scaling) const { return in_logs_ ? scaling : std::log(scaling); }

  /// log sum_k exp(z[k * stride] + w[k]).
  static double log_sum_exp(const double* z, std::int64_t stride, const double* w, std::int64_t count) {
    double top = -infinity;
    for (std::int64_t k = 0; k < count; ++k) top = std::max(top, z[k * stride] + w[k]);
    if (top == -infinity) top = 0;
    double sum = 0;
    for (std::int64_t k = 0; k < count; ++k) sum += std::exp(z[k * stride] + w[k] - top);
    return top + std::log(sum);
  }

  void iterate_in_logs(const TransportOptions& options) {
    std::fill_n(column(0), columns_, 0.0);
    std::fill_n(row(0), rows_, 0.0);
    for (done_ = 0; done_ < options.iterations;) {
      const double* v_before = column(done_);
      ++done_;
      double* u = row(done_);
      double* v = column(done_);
      for (std::int64_t i = 0; i < rows_; ++i)
        u[i] = std::log(row_mass_[i]) - log_sum_exp(z_.data() + i * columns_, 1, v_before, columns_);
      double change = 0;
      for (std::int64_t j = 0; j < columns_; ++j) {
        v[j] = std::log(column_mass_[j]) - log_sum_exp(z_.data() + j, columns_, u, rows_);
        change = std::max(change, std::abs(v[j] - v_before[j]));
      }
      if (options.tolerance > 0 && change <= options.tolerance) return;
    }
  }

  void reverse_in_logs() {
    for (int t = done_; t >= 1; --t) {
      const double* u = row(t);
      const double* v = column(t);
      const double* v_before = column(t - 1);
      if (t < done_) std::fill(d_u_.begin(), d_u_.end(), 0.0);
      for (std::int64_t i = 0; i < rows_; ++i) {
        for (std::int64_t j = 0; j < columns_; ++j) {
          const double d = d_v_[j] * std::exp(z_[i * columns_ + j] + u[i] + v[j]) / column_mass_[j];
          d_z_[i * columns_ + j] -= d;
          d_u_[i] -= d;
        }
      }
      std::fill(d_v_.begin(), d_v_.end(), 0.0);
      for (std::int64_t i = 0; i < rows_; ++i) {
        for (std::int64_t j = 0; j < columns_; ++j) {
          const double d = d_u_[i] * std::exp(z_[i * columns_ + j] + u[i] + v_before[j]) / row_mass_[i];
          d_z_[i * columns_ + j] -= d;
          d_v_[j] -= d;
        }
      }
    }
  }

  TransportProblem problem_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  double norm_ = 0;
  double highest_ = 0;
  bool in_logs_ = false;
  int done_ = 0;
  std::vector<double> z_, kernel_, kernel_transposed_, row_mass_, column_mass_, row_history_, column_history_;
  std::vector<double> u_, v_, d_z_, d_u_, d_v_, row_scratch_, column_scratch_, weight_;
};

void check_layout(std::span<const TransportPatch> patches, std::size_t scores, std::size_t outputs,
                  const TransportOptions& options) {
  PMTR_CHECK(options.iterations >= 1 && options.tolerance >= 0);
  for (const auto& p : patches) {
    PMTR_CHECK(p.rows >= 0 && p.columns >= 0 && p.scores >= 0 && p.output >= 0);
    const std::int64_t rows = p.rows;
    PMTR_CHECK(p.scores + rows * p.columns <= static_cast<std::int64_t>(scores), "scores end before a patch");
    PMTR_CHECK(p.output + (rows + 1) * (p.columns + 1) <= static_cast<std::int64_t>(outputs),
               "output ends before a patch");
  }
}

bool one_sided(const TransportPatch& patch) { return patch.rows == 0 || patch.columns == 0; }

}  // namespace

std::vector<TransportPatch> pack_transport_patches(std::span<const std::int32_t> rows,
                                                   std::span<const std::int32_t> columns) {
  PMTR_CHECK(rows.size() == columns.size());
  std::vector<TransportPatch> patches(rows.size());
  std::int64_t scores = 0;
  std::int64_t output = 0;
  for (std::size_t b = 0; b < patches.size(); ++b) {
    patches[b] = {rows[b], columns[b], scores, output};
    scores += static_cast<std::int64_t>(rows[b]) * columns[b];
    output += (static_cast<std::int64_t>(rows[b]) + 1) * (columns[b] + 1);
  }
  return patches;
}

template <class Real>
void optimal_transport_forward(std::span<const TransportPatch> patches, std::span<const Real> scores,
                               Real alpha, const TransportOptions& options, Threads& threads,
                               std::span<Real> output) {
  check_layout(patches, scores.size(), output.size(), options);
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    Worker worker;
    for (std::int64_t b = begin; b < end; ++b) {
      const TransportPatch& patch = patches[b];
      Real* out = output.data() + patch.output;
      if (one_sided(patch)) {
        const std::int64_t corner = static_cast<std::int64_t>(patch.rows) + patch.columns;
        std::fill_n(out, corner + 1, Real(0));
        if (corner > 0) out[corner] = static_cast<Real>(no_mass_log);
        continue;
      }
      worker.load(patch, scores.data(), static_cast<double>(alpha), options.iterations);
      worker.iterate(options);
      worker.write(out);
    }
  };
  threads.parallel_for(static_cast<std::int64_t>(patches.size()), patches_per_chunk, body);
}

template <class Real>
double optimal_transport_backward(std::span<const TransportPatch> patches, std::span<const Real> scores,
                                  Real alpha, std::span<const Real> d_output, const TransportOptions& options,
                                  Threads& threads, std::span<Real> d_scores) {
  check_layout(patches, std::min(scores.size(), d_scores.size()), d_output.size(), options);
  std::vector<double> d_alpha(patches.size(), 0.0);
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    Worker worker;
    for (std::int64_t b = begin; b < end; ++b) {
      const TransportPatch& patch = patches[b];
      if (one_sided(patch)) continue;
      worker.load(patch, scores.data(), static_cast<double>(alpha), options.iterations);
      worker.iterate(options);
      d_alpha[b] = worker.reverse(d_output.data() + patch.output, d_scores.data() + patch.scores);
    }
  };
  threads.parallel_for(static_cast<std::int64_t>(patches.size()), patches_per_chunk, body);
  double sum = 0;
  for (const double d : d_alpha) sum += d;
  return sum;
}

#define PMTR_INSTANTIATE(Real)                                                                             \
  template void optimal_transport_forward<Real>(std::span<const TransportPatch>, std::span<const Real>,    \
                                                Real, const TransportOptions&, Threads&, std::span<Real>); \
  template double optimal_transport_backward<Real>(std::span<const TransportPatch>, std::span<const Real>, \
                                                   Real, std::span<const Real>, const TransportOptions&,   \
                                                   Threads&, std::span<Real>);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE

}  // namespace pmtr::kernels
