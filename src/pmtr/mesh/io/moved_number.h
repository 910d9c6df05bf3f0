// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"

namespace pmtr {

/// The one error a valid file can give when it is moved: its number type is too small for the result.
inline Error does_not_fit(const std::string& name, const std::string& what) {
  return error_at(name, Cause::too_large, "the moved " + what + " is beyond the range of its number type");
}

inline bool fits_float(double value) {
  return std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());  // NaN does not fit
}
inline bool all_fit_float(const Eigen::Vector3d& v) {
  return fits_float(v.x()) && fits_float(v.y()) && fits_float(v.z());
}

}  // namespace pmtr
