// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/surface_features_loops.h"

#define PMTR_VECTOR_BYTES 32
#include "pmtr/kernels/simd.h"

// Weights were trained on these numbers: every build gives them again to the bit. So vectors are of eight on
// any machine, nothing is fused (CMakeLists.txt compiles this file without), and the root is found by steps
// of our own.
namespace pmtr::PMTR_ISA {
namespace {

using kernels::PMTR_ISA::lanes;
using kernels::PMTR_ISA::load;
using kernels::PMTR_ISA::Mask;
using kernels::PMTR_ISA::splat;
using Lane = kernels::PMTR_ISA::Vec<float>;

PMTR_INLINE float sum(Lane v) {
  float total = 0.0F;
  for (int l = 0; l < lanes<float>; ++l) total += v[l];
  return total;
}

/// 1 / sqrt(x) by three steps of Newton's method from the bits of x.
PMTR_INLINE float inverse_root(float x) {
  std::int32_t bits = 0;
  __builtin_memcpy(&bits, &x, sizeof bits);
  bits = 0x5f3759df - (bits >> 1);
  float y = 0.0F;
  __builtin_memcpy(&y, &bits, sizeof y);
  for (int i = 0; i < 3; ++i) y *= 1.5F - 0.5F * x * y * y;
  return y;
}

PMTR_INLINE float spread_of(float mean_square, float mean) {
  const float variance = mean_square - mean * mean;
  return kernels::PMTR_ISA::square_root(variance > 0.0F ? variance : 0.0F);
}

}  // namespace

void describe_surface(const SurfaceNeighbours& near, float radius, const float* point, const float* normal,
                      float* out) {
  const Lane zero{}, one = zero + 1.0F;
  const Lane px = splat(point[0]), py = splat(point[1]), pz = splat(point[2]);
  const Lane ux = splat(normal[0]), uy = splat(normal[1]), uz = splat(normal[2]);
  const Lane limit = splat(radius * radius);
  const float tiny = 1e-8F * radius * radius;
  Lane counts = zero, heights = zero, magnitudes = zero, height_squares = zero, cosines = zero,
       cosine_squares = zero, opposed = zero;
  float slopes = 0.0F;
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
    // Of the first of eight only. The point itself has no direction.
    if (squared[0] > tiny) slopes += h[0] * inverse_root(squared[0]);
    opposed += c < zero - 0.5F ? one : zero;
  }
  const float count = sum(counts);
  if (count == 0) {
    for (int k = 0; k < 7; ++k) out[k] = 0.0F;
    return;
  }
  out[0] = sum(heights) / count / radius;
  out[1] = sum(magnitudes) / count / radius;
  out[2] = spread_of(sum(height_squares) / count / (radius * radius), out[0]);
  out[3] = sum(cosines) / count;
  out[4] = spread_of(sum(cosine_squares) / count, out[3]);
  out[5] = slopes / count;
  out[6] = sum(opposed) / count;
}

}  // namespace pmtr::PMTR_ISA
