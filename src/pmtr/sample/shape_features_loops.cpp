// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/shape_features_loops.h"

#define PMTR_VECTOR_BYTES 32
#include "pmtr/kernels/simd.h"

namespace pmtr::PMTR_ISA {
namespace {

using kernels::PMTR_ISA::lanes;
using kernels::PMTR_ISA::larger;
using kernels::PMTR_ISA::load;
using kernels::PMTR_ISA::Mask;
using kernels::PMTR_ISA::splat;
using kernels::PMTR_ISA::square_root;
using Lane = kernels::PMTR_ISA::Vec<float>;

PMTR_INLINE float sum_of(Lane v) {
  float total = 0.0F;
  for (int l = 0; l < lanes<float>; ++l) total += v[l];
  return total;
}

PMTR_INLINE float deviation(float mean_square, float mean) {
  const float variance = mean_square - mean * mean;
  return square_root(variance > 0.0F ? variance : 0.0F);
}

}  // namespace

void describe_shape(const SurfaceNeighbours& near, float radius, const float* point, const float* normal,
                    float* out) {
  const Lane zero{}, one = zero + 1.0F;
  const Lane px = splat(point[0]), py = splat(point[1]), pz = splat(point[2]);
  const Lane ux = splat(normal[0]), uy = splat(normal[1]), uz = splat(normal[2]);
  const Lane limit = splat(radius * radius);
  const Lane tiny = splat(1e-8F * radius * radius);  // the point itself has no direction
  Lane counts = zero, heights = zero, magnitudes = zero, height_squares = zero, cosines = zero,
       cosine_squares = zero, slopes = zero, opposed = zero;
  for (long i = 0; i < near.count; i += lanes<float>) {
    const Lane x = load(near.position[0] + i) - px;
    const Lane y = load(near.position[1] + i) - py;
    const Lane z = load(near.position[2] + i) - pz;
    const Lane nx = load(near.normal[0] + i), ny = load(near.normal[1] + i), nz = load(near.normal[2] + i);
    const Lane squared = x * x + y * y + z * z;
    const Mask inside = squared < limit;
    const Lane h = inside ? x * ux + y * uy + z * uz : zero;
    const Lane c = inside ? nx * ux + ny * uy + nz * uz : zero;
    counts += inside ? one : zero;
    heights += h;
    magnitudes += h < zero ? -h : h;
    height_squares += h * h;
    cosines += c;
    cosine_squares += c * c;
    slopes += h / square_root(larger<float>(squared, tiny));
    opposed += c < zero - 0.5F ? one : zero;
  }
  const float count = sum_of(counts);
  if (count == 0) {
    for (int k = 0; k < 8; ++k) out[k] = 0.0F;
    return;
  }
  out[0] = sum_of(heights) / count / radius;
  out[1] = sum_of(magnitudes) / count / radius;
  out[2] = deviation(sum_of(height_squares) / count / (radius * radius), out[0]);
  out[3] = sum_of(cosines) / count;
  out[4] = deviation(sum_of(cosine_squares) / count, out[3]);
  out[5] = sum_of(slopes) / count;
  out[6] = sum_of(opposed) / count;
  out[7] = count;
}

}  // namespace pmtr::PMTR_ISA
