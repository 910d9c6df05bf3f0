// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/group_norm.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "pmtr/core/check.h"
#include "pmtr/kernels/group_norm_loops.h"
#include "pmtr/kernels/isa.h"
#include "pmtr/kernels/scratch.h"

namespace pmtr::kernels {
namespace {

// Sums run over this many rows in Real, then in double: short enough to be accurate and to stay in the cache
// between the two looks that the variance takes.
constexpr std::int64_t chunk_rows = 64;

template <class Real>
void check_sizes(const GroupNorm<Real>& norm, std::size_t x, std::size_t mean, std::size_t rstd) {
  PMTR_CHECK(norm.groups > 0 && norm.channels % norm.groups == 0,
             std::to_string(norm.channels) + " channels in " + std::to_string(norm.groups) + " groups");
  PMTR_CHECK(norm.slope >= 0, "the sign of the output must tell the sign before the activation");
  PMTR_CHECK(x == static_cast<std::size_t>(norm.rows * norm.channels) &&
                 norm.gamma.size() == static_cast<std::size_t>(norm.channels) &&
                 norm.beta.size() == norm.gamma.size() && mean == static_cast<std::size_t>(norm.groups) &&
                 rstd == mean,
             std::to_string(norm.rows) + " rows of " + std::to_string(norm.channels) + " channels in " +
                 std::to_string(norm.groups) + " groups, and a span of another size");
}

/// What the gradient of x is made of, per channel.
template <class Real>
struct ChannelTerms {
  Real* scale;
  Real* tilt;
  Real* shift;
};

/// From the sums of every chunk of rows, [chunks, 2, channels]: the gradients of gamma and beta, and the
/// terms of x.
template <class Real>
void add_up_channels(const GroupNorm<Real>& norm, std::span<const Real> rstds, const Real* sums,
                     std::int64_t chunks, const GroupNormGradients<Real>& gradients,
                     const ChannelTerms<Real>& terms) {
  const std::int64_t channels = norm.channels;
  const std::int64_t per_group = channels / norm.groups;
  const double count = static_cast<double>(norm.rows * per_group);
  for (std::int64_t group = 0; group < norm.groups; ++group) {
    const double rstd = static_cast<double>(rstds[static_cast<std::size_t>(group)]);
    double group_sum = 0;
    double group_product = 0;
    for (std::int64_t c = group * per_group; c < (group + 1) * per_group; ++c) {
      const auto at = static_cast<std::size_t>(c);
      double sum = 0;
      double product = 0;
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        sum += static_cast<double>(sums[chunk * 2 * channels + c]);
        product += static_cast<double>(sums[(chunk * 2 + 1) * channels + c]);
      }
      if (!gradients.beta.empty()) gradients.beta[at] = static_cast<Real>(sum);
      if (!gradients.gamma.empty()) gradients.gamma[at] = static_cast<Real>(product * rstd);
      const double gamma = static_cast<double>(norm.gamma[at]);
      terms.scale[c] = static_cast<Real>(gamma * rstd);
      group_sum += gamma * sum;
      group_product += gamma * product;
    }
    for (std::int64_t c = group * per_group; c < (group + 1) * per_group; ++c) {
      terms.tilt[c] = static_cast<Real>(rstd * rstd * rstd * group_product / std::max(1.0, count));
      terms.shift[c] = static_cast<Real>(rstd * group_sum / std::max(1.0, count));
    }
  }
}

}  // namespace

template <class Real>
void group_norm_forward(const GroupNorm<Real>& norm, std::span<const Real> x, std::span<const Real> shortcut,
                        std::span<Real> out, const GroupStatistics<Real>& statistics, Threads& threads) {
  check_sizes(norm, x.size(), statistics.mean.size(), statistics.rstd.size());
  PMTR_CHECK(out.size() == x.size() && (shortcut.empty() || shortcut.size() == x.size()));
  const GroupNormLoops<Real>& loops = PMTR_PICK(group_norm_loops<Real>());
  const std::int64_t channels = norm.channels;
  const std::int64_t per_group = channels / norm.groups;
  const std::int64_t chunks = (norm.rows + chunk_rows - 1) / chunk_rows;
  const Scratch<Real> moments(chunks * 3 * channels);
  threads.parallel_for(norm.rows, chunk_rows, [&](std::int64_t begin, std::int64_t end) {
    Real* centre = moments.data() + begin / chunk_rows * 3 * channels;
    loops.moments(x.data(), channels, begin, end, centre, centre + channels, centre + 2 * channels);
  });

  // Chan, Golub and LeVeque: the moments of the parts, moved to the common mean.
  const Scratch<Real> mean(2 * channels);
  Real* scale = mean.data() + channels;
  const double count = static_cast<double>(norm.rows * per_group);
  const auto rows_of = [&](std::int64_t chunk) {
    return static_cast<double>(std::min(chunk_rows, norm.rows - chunk * chunk_rows));
  };
  for (std::int64_t group = 0; group < norm.groups; ++group) {
    const std::int64_t first = group * per_group;
    double total = 0;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      const Real* centre = moments.data() + chunk * 3 * channels;
      for (std::int64_t c = first; c < first + per_group; ++c)
        total += static_cast<double>(centre[c]) * rows_of(chunk) + static_cast<double>(centre[channels + c]);
    }
    const double common = count > 0 ? total / count : 0;
    double squares = 0;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      const Real* centre = moments.data() + chunk * 3 * channels;
      for (std::int64_t c = first; c < first + per_group; ++c) {
        const double away = static_cast<double>(centre[c]) - common;
        squares += static_cast<double>(centre[2 * channels + c]) +
                   2 * away * static_cast<double>(centre[channels + c]) + away * away * rows_of(chunk);
      }
    }
    const double variance = count > 0 ? std::max(0.0, squares / count) : 0;
    const double rstd = 1 / std::sqrt(variance + static_cast<double>(norm.epsilon));
    statistics.mean[static_cast<std::size_t>(group)] = static_cast<Real>(common);
    statistics.rstd[static_cast<std::size_t>(group)] = static_cast<Real>(rstd);
    for (std::int64_t c = first; c < first + per_group; ++c) {
      mean[c] = static_cast<Real>(common);
      scale[c] = static_cast<Real>(rstd * static_cast<double>(norm.gamma[static_cast<std::size_t>(c)]));
    }
  }
  threads.parallel_for(norm.rows, chunk_rows, [&](std::int64_t begin, std::int64_t end) {
    loops.apply(x.data(), shortcut.empty() ? nullptr : shortcut.data(), channels, begin, end, mean.data(),
                scale, norm.beta.data(), norm.slope, out.data());
  });
}

template <class Real>
void group_norm_backward(const GroupNorm<Real>& norm, std::span<const Real> x, std::span<const Real> out,
                         const GroupStatistics<const Real>& statistics, std::span<const Real> d_out,
                         const GroupNormGradients<Real>& gradients, Threads& threads) {
  check_sizes(norm, x.size(), statistics.mean.size(), statistics.rstd.size());
  const bool active = norm.slope != Real(1);
  PMTR_CHECK(d_out.size() == x.size() && (!active || out.size() == x.size()));
  const auto fits = [](std::span<Real> gradient, std::size_t size) {
    return gradient.empty() || gradient.size() == size;
  };
  PMTR_CHECK(fits(gradients.x, x.size()) && fits(gradients.shortcut, x.size()) &&
             fits(gradients.gamma, norm.gamma.size()) && fits(gradients.beta, norm.beta.size()));
  const GroupNormLoops<Real>& loops = PMTR_PICK(group_norm_loops<Real>());
  const std::int64_t channels = norm.channels;
  const std::int64_t per_group = channels / norm.groups;
  const std::int64_t chunks = (norm.rows + chunk_rows - 1) / chunk_rows;
  const Scratch<Real> per_channel(4 * channels);
  Real* mean = per_channel.data();
  Real* scale = mean + channels;
  Real* tilt = scale + channels;
  Real* shift = tilt + channels;
  for (std::int64_t c = 0; c < channels; ++c)
    mean[c] = statistics.mean[static_cast<std::size_t>(c / per_group)];

  const Real* side = active ? out.data() : nullptr;
  Real* d_shortcut = gradients.shortcut.empty() ? nullptr : gradients.shortcut.data();
  const Scratch<Real> sums(chunks * 2 * channels);
  threads.parallel_for(norm.rows, chunk_rows, [&](std::int64_t begin, std::int64_t end) {
    Real* sum = sums.data() + begin / chunk_rows * 2 * channels;
    loops.gradient_sums(x.data(), side, d_out.data(), channels, begin, end, mean, norm.slope, sum,
                        sum + channels, d_shortcut);
  });

  add_up_channels<Real>(norm, statistics.rstd, sums.data(), chunks, gradients, {scale, tilt, shift});
  if (gradients.x.empty()) return;
  // The gradient of the shortcut is the gradient behind the activation: do not compute it twice.
  const Real* d = d_shortcut != nullptr ? d_shortcut : d_out.data();
  threads.parallel_for(norm.rows, chunk_rows, [&](std::int64_t begin, std::int64_t end) {
    loops.gradient_apply(x.data(), d_shortcut != nullptr ? nullptr : side, d, channels, begin, end, mean,
                         scale, tilt, shift, norm.slope, gradients.x.data());
  });
}

#define PMTR_INSTANTIATE(Real)                                                                            \
  template void group_norm_forward(const GroupNorm<Real>&, std::span<const Real>, std::span<const Real>,  \
                                   std::span<Real>, const GroupStatistics<Real>&, Threads&);              \
  template void group_norm_backward(const GroupNorm<Real>&, std::span<const Real>, std::span<const Real>, \
                                    const GroupStatistics<const Real>&, std::span<const Real>,            \
                                    const GroupNormGradients<Real>&, Threads&);
PMTR_INSTANTIATE(float)
PMTR_INSTANTIATE(double)
#undef PMTR_INSTANTIATE

}  // namespace pmtr::kernels
