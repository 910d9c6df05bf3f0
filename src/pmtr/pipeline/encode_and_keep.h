// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/network/fragment_encoder.h"
#include "pmtr/project/kept_work.h"

namespace pmtr {

/// Can what these weights say of a fragment be kept? Not where it depends on the fragment's partner.
bool can_be_kept(const FragmentEncoder& encoder);

/// encode_fragments, bit for bit, of what is not kept yet; each fragment is kept as soon as it is encoded.
/// For weights that can_be_kept.
Result<std::vector<FragmentFeatures>> encode_and_keep(std::span<const FragmentClouds> fragments,
                                                      const FragmentEncoder& encoder, KeptWork& kept,
                                                      Threads& threads, const Listener& listener);

}  // namespace pmtr
