// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "pmtr/weights/weight_file.h"

namespace pmtr {

struct TorchFileOptions {
  bool check_crc = true;  ///< off only for fuzzing, where a checksum would stop every mutation
};

/// Reads what torch.save wrote (the zip form of PyTorch 1.6 and later): a state_dict, or a dict that holds
/// one under "state_dict" beside anything else (PyTorch Lightning checkpoints). The pickle is interpreted by
/// a small machine that builds plain values; classes it does not know become opaque, functions are never
/// called.
Result<WeightFile> parse_torch_file(std::span<const std::byte> bytes, const std::string& name,
                                    const TorchFileOptions& options = {});

}  // namespace pmtr
