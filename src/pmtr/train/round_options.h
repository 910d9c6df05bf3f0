// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/result.h"

namespace pmtr {

/// Making a pair and reading what the network wants of it takes as long as learning from it, so a pair may be
/// learnt from several times: pairs come in rounds, and a round is gone through again in another order before
/// the next one begins.
struct RoundOptions {
  int pairs = 512;  ///< of a round; all of them are kept in memory while it lasts, about 4 MB each
  int times = 1;    ///< how often each pair comes; 1: every pair is new

  Status validate() const;
};

}  // namespace pmtr
