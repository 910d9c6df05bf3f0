// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/random.h"

#include <bit>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

std::uint64_t splitmix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t x = seed;
  std::uint64_t y = splitmix(x) ^ stream;
  for (auto& word : state_) word = splitmix(y);
}

std::uint64_t Random::bits() {
  auto& s = state_;
  const std::uint64_t result = std::rotl(s[1] * 5, 7) * 9;
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Random::uniform(double low, double high) { return low + (high - low) * uniform(); }

std::uint64_t Random::below(std::uint64_t n) {
  PMTR_CHECK(n > 0);
  // Rejection keeps it exactly uniform; the loop runs more than once with probability below n / 2^64.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  std::uint64_t x = bits();
  while (x >= limit) x = bits();
  return x % n;
}

double Random::normal() {
  // Box-Muller without the second value: no hidden state to save.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

Eigen::Matrix3d Random::rotation() {
  Eigen::Vector4d q;
  do {
    for (int i = 0; i < 4; ++i) q[i] = normal();
  } while (q.squaredNorm() < 1e-12);
  q.normalize();
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
}

}  // namespace pmtr
