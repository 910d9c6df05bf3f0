// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/weights/pickle.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr {

/// The bytes of the storage with this key.
using StorageReader = std::function<Result<std::span<const std::byte>>(const std::string& key)>;

/// The tensors of a state dict, in its order, each made contiguous. The dict is the pickle's root, or what
/// the root holds as "state_dict"; entries that are no tensors are left out. `max_bytes` bounds the sum of
/// all arrays: tensors may share or repeat a storage, so that the file's size alone does not.
Result<std::vector<NamedArray>> read_state_dict(const Pickle& pickle, const StorageReader& read_storage,
                                                std::uint64_t max_bytes, const std::string& name);

}  // namespace pmtr
