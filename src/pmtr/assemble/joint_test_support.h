// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/pose/joint.h"

namespace pmtr::test {

/// A joint without evidence. Test support.
inline Joint joint(int a, int b, const Rigid3& a_from_b, double confidence, bool used) {
  Joint result;
  result.a = a;
  result.b = b;
  result.a_from_b = a_from_b;
  result.confidence = confidence;
  result.used = used;
  return result;
}

}  // namespace pmtr::test
