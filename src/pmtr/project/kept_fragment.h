// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/match/fragment_features.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr {

/// A fragment encoded once: its points, where it is broken, and what its break points look like in either
/// role.
struct EncodedFragment {
  FragmentClouds clouds;
  FragmentFeatures features;  ///< without `unmatched`: features that depend on the partner are not kept
};

std::vector<std::byte> format_fragment(const EncodedFragment& fragment);
Result<EncodedFragment> parse_fragment(std::span<const std::byte> bytes, const std::string& name);

/// What follows the head, for who has checked that; the same rules otherwise.
Result<EncodedFragment> parse_fragment_body(std::span<const std::byte> body, const std::string& name);

}  // namespace pmtr
