// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// What clang-tidy 14 reads before every file. torch holds vectors of a type that is not complete yet. In
// C++20 the members of std::vector are constexpr, and clang 14 instantiates these at once, in vain; g++
// waits, and so does clang where they are not constexpr.
#include <algorithm>
#include <memory>
#include <string>
#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 __fill_bits  // declared as constexpr before
#include <vector>
#undef __fill_a1
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")
