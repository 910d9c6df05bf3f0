// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/breaks/break_descriptors_loops.h"

#define PMTR_VECTOR_BYTES 32
#include "pmtr/kernels/simd.h"

namespace pmtr::PMTR_ISA {
namespace {

using kernels::PMTR_ISA::lanes;
using kernels::PMTR_ISA::load;
using kernels::PMTR_ISA::Mask;
using kernels::PMTR_ISA::splat;
using kernels::PMTR_ISA::square_root;
using kernels::PMTR_ISA::store;
using Lane = kernels::PMTR_ISA::Vec<float>;
typedef float Four __attribute__((vector_size(16)));

constexpr int rings = 6, sectors = 16, channels = 4;
constexpr int shells = 3, measures = 3, bins = 12;
constexpr float pi = 3.14159265F;

/// The angle of (x, y) in sectors, from 0 to 16; within 2e-5.
PMTR_INLINE Lane sector_of(Lane x, Lane y) {
  const Lane zero{};
  const Lane ax = x < zero ? -x : x;
  const Lane ay = y < zero ? -y : y;
  const Lane high = ax > ay ? ax : ay;
  const Lane low = ax > ay ? ay : ax;
  const Lane a = low / (high + 1e-20F);
  const Lane s = a * a;
  Lane p = s * -0.01172120F + 0.05265332F;
  p = p * s - 0.11643287F;
  p = p * s + 0.19354346F;
  p = p * s - 0.33262347F;
  p = p * s + 0.99997726F;
  Lane angle = p * a;
  angle = ay > ax ? 0.5F * pi - angle : angle;
  angle = x < zero ? pi - angle : angle;
  angle = y < zero ? 2.0F * pi - angle : angle;
  return angle * (sectors / (2.0F * pi));
}

PMTR_INLINE Lane clamped(Lane v, float low, float high) {
  const Lane l = splat(low), h = splat(high);
  v = v < l ? l : v;
  return v > h ? h : v;
}

/// Sums of what falls into the bins. There is one ring and shell more than is read: what fades out there.
struct Sums {
  Four map[(rings + 1) * sectors];
  float histogram[shells + 1][measures][bins];
  float shell[shells + 1];
};

/// What eight neighbours contribute; in memory, since they are splatted one by one.
struct Eight {
  float ring[8], shell[8], sector[8], around[8], weight[8], height[8], cosine[8], rim[8];
  float measure[measures][8];
  int inside[8];
};

PMTR_INLINE void add_to_map(const Eight& e, int l, Sums& sums) {
  const float ring = e.ring[l] > 0.0F ? e.ring[l] : 0.0F;
  const int r = static_cast<int>(ring);
  const float outer = ring - static_cast<float>(r);
  const int whole = static_cast<int>(e.sector[l]);
  const float next = e.sector[l] - static_cast<float>(whole);
  const int s = whole & (sectors - 1), t = (whole + 1) & (sectors - 1);
  const float w = e.around[l];
  const Four value = {e.height[l] * w, e.cosine[l] * w, w, e.rim[l] * w};
  sums.map[r * sectors + s] += value * ((1.0F - outer) * (1.0F - next));
  sums.map[r * sectors + t] += value * ((1.0F - outer) * next);
  sums.map[(r + 1) * sectors + s] += value * (outer * (1.0F - next));
  sums.map[(r + 1) * sectors + t] += value * (outer * next);
}

PMTR_INLINE void add_to_histograms(const Eight& e, int l, Sums& sums) {
  const float shell = e.shell[l] > 0.0F ? e.shell[l] : 0.0F;
  const int r = static_cast<int>(shell);
  const float outer = (shell - static_cast<float>(r)) * e.weight[l];
  const float inner = e.weight[l] - outer;
  sums.shell[r] += inner;
  sums.shell[r + 1] += outer;
  for (int m = 0; m < measures; ++m) {
    const float at = e.measure[m][l];  // in [0, bins - 1]
    int b = static_cast<int>(at);
    b = b < bins - 1 ? b : bins - 2;
    const float next = at - static_cast<float>(b);
    sums.histogram[r][m][b] += inner * (1.0F - next);
    sums.histogram[r][m][b + 1] += inner * next;
    sums.histogram[r + 1][m][b] += outer * (1.0F - next);
    sums.histogram[r + 1][m][b + 1] += outer * next;
  }
}

/// Points of the eight that lie within the last ring; none: false.
PMTR_INLINE bool measure_eight(const BreakNeighbours& near, const BreakPlace& place, long i, Eight& e) {
  const Lane dx = load(near.position[0] + i) - place.point[0];
  const Lane dy = load(near.position[1] + i) - place.point[1];
  const Lane dz = load(near.position[2] + i) - place.point[2];
  const Lane squared = dx * dx + dy * dy + dz * dz;
  // The last ring fades out half a ring beyond the radius. The point itself is left out: it lies in no
  // sector.
  const float reach = place.radius * ((rings + 0.5F) / rings);
  const Mask inside = (squared < reach * reach) & (squared > 1e-8F * reach * reach);
  int any = 0;
  for (int l = 0; l < 8; ++l) any |= inside[l];
  if (any == 0) return false;
  store(e.inside, inside);
  const Lane nx = load(near.normal[0] + i), ny = load(near.normal[1] + i), nz = load(near.normal[2] + i);
  const Lane distance = square_root(squared);
  const Lane u = dx * place.x[0] + dy * place.x[1] + dz * place.x[2];
  const Lane v = dx * place.y[0] + dy * place.y[1] + dz * place.y[2];
  const Lane h = dx * place.z[0] + dy * place.z[1] + dz * place.z[2];
  const Lane cosine = nx * place.z[0] + ny * place.z[1] + nz * place.z[2];
  const Lane slope = (dx * nx + dy * ny + dz * nz) / distance;
  const float inverse = 1.0F / place.radius;
  store(e.shell, clamped(distance * (inverse * shells) - 0.5F, 0.0F, shells - 1e-4F));
  store(e.sector, sector_of(u, v));
  store(e.height, h * inverse);
  store(e.cosine, cosine);
  store(e.rim, clamped(load(near.rim + i) * inverse, 0.0F, 1.0F));
  // Points that look away are another face of the break; between, they fade out.
  const Lane facing = clamped(cosine * 4.0F + 0.5F, 0.0F, 1.0F);
  // Close to z the direction means nothing.
  const Lane flat = u * u + v * v;
  store(e.ring, square_root(flat) * (inverse * rings) - 0.5F);
  const float core = 0.03F * place.radius;
  const Lane fading = facing * clamped((reach - distance) * (rings * inverse), 0.0F, 1.0F);
  store(e.around, fading * flat / (flat + core * core));
  store(e.weight, fading);
  constexpr float middle = 0.5F * (bins - 1);
  store(e.measure[0], clamped(h / distance * (middle / 0.8F) + middle, 0.0F, bins - 1.0F));
  store(e.measure[1], clamped(slope * (middle / 0.8F) + middle, 0.0F, bins - 1.0F));
  const Lane chord = clamped(2.0F - 2.0F * cosine, 0.0F, 4.0F);
  store(e.measure[2], clamped(square_root(chord) * ((bins - 1) / 1.3F), 0.0F, bins - 1.0F));
  return true;
}

/// Inner bins are small and hold few points: they share them with the sectors beside them.
PMTR_INLINE void blur_ring(Four* ring, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    const Four first = ring[0];
    Four before = ring[sectors - 1];
    for (int s = 0; s < sectors; ++s) {
      const Four own = ring[s];
      const Four after = s + 1 < sectors ? ring[s + 1] : first;
      ring[s] = 0.5F * own + 0.25F * (before + after);
      before = own;
    }
  }
}

PMTR_INLINE void write_map(Sums& sums, const BreakPlace& place, float* out) {
  const float bin = pi * place.radius * place.radius / (rings * rings) / sectors;
  for (int r = 0; r < rings; ++r) {
    const float expected = static_cast<float>(2 * r + 1) * bin * place.density;
    blur_ring(sums.map + r * sectors, 4 >> r);
    // Large bins count more: a distance between maps is then one between surfaces.
    const float share = square_root(static_cast<float>(2 * r + 1) / rings);
    Four mean = {};
    for (int s = 0; s < sectors; ++s) mean += sums.map[r * sectors + s] * (1.0F / sectors);
    for (int s = 0; s < sectors; ++s) {
      const Four sum = place.has_x ? sums.map[r * sectors + s] : mean;
      const float weight = sum[2];
      // Means of bins that are nearly empty shrink to zero.
      const float scale = share / (weight + 0.25F * expected);
      float* value = out + (r * sectors + s) * channels;
      value[0] = 6.0F * sum[0] * scale;
      value[1] = sum[1] * scale;
      value[2] = 0.5F * weight * scale;
      value[3] = sum[3] * scale;
    }
  }
}

PMTR_INLINE void write_histograms(const Sums& sums, const BreakPlace& place, float* out) {
  const float ring = pi * place.radius * place.radius / (shells * shells);
  for (int r = 0; r < shells; ++r) {
    const float expected = static_cast<float>(2 * r + 1) * ring * place.density;
    const float scale = 1.0F / (sums.shell[r] + 0.1F * expected);
    for (int m = 0; m < measures; ++m)
      for (int b = 0; b < bins; ++b)
        out[(r * measures + m) * bins + b] = square_root(sums.histogram[r][m][b] * scale);
  }
}

}  // namespace

void describe_break(const BreakNeighbours& near, const BreakPlace& place, float* map, float* histogram) {
  Sums sums;
  __builtin_memset(&sums, 0, sizeof sums);
  Eight e;
  for (long i = 0; i < near.count; i += lanes<float>) {
    if (!measure_eight(near, place, i, e)) continue;
    for (int l = 0; l < 8; ++l) {
      if (e.inside[l] == 0) continue;
      add_to_map(e, l, sums);
      add_to_histograms(e, l, sums);
    }
  }
  write_map(sums, place, map);
  write_histograms(sums, place, histogram);
}

}  // namespace pmtr::PMTR_ISA
