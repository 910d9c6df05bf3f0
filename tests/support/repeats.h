// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr::test {

/// How often a test does the same again, or over how many seeds: fewer times under a sanitizer, which looks
/// at every access and takes ten times as long, so that more repetitions would show nothing new.
constexpr int repeats(int usual) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return (usual + 4) / 5;
#else
  return usual;
#endif
}

}  // namespace pmtr::test
