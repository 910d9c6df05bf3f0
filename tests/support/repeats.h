// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr::test {

/// Built to look at every access: ten times as slow, and optimised less, so that sums round otherwise.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// How often a test does the same again, or over how many seeds: fewer times under a sanitizer, where more
/// repetitions would show nothing new.
constexpr int repeats(int usual) { return sanitized ? (usual + 4) / 5 : usual; }

}  // namespace pmtr::test
