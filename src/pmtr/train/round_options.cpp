// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/round_options.h"

namespace pmtr {

Status RoundOptions::validate() const {
  if (pairs < 1 || pairs > 1'000'000) return invalid_option("round_pairs must be 1 to 1000000");
  if (times < 1 || times > 1000) return invalid_option("round_times must be 1 to 1000");
  return {};
}

}  // namespace pmtr
