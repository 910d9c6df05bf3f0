// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

enum class DType { f16, bf16, f32, f64, i8, u8, i16, i32, i64, boolean };

std::size_t dtype_size(DType dtype);
const char* dtype_name(DType dtype);  ///< the safetensors name: "F32", "BOOL", ...

/// A named array in row-major order, without torch.
struct NamedArray {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;

  std::int64_t numel() const;  ///< the product of the shape; 1 for a scalar
  /// The values as float, converted from any floating or integer type.
  std::vector<float> to_float() const;
};

/// Weights and what they are weights of. `metadata["pmtr"]` holds the network's configuration as JSON, so
/// that a weight file describes itself.
struct WeightFile {
  std::map<std::string, std::string> metadata;
  std::vector<NamedArray> arrays;  ///< in the file's order

  const NamedArray* find(const std::string& name) const;
};

/// The wrappers of training code leave their names in front of every key: Lightning and hand-written modules
/// "model.", DataParallel "module.", torch.compile "_orig_mod.". Removes such a prefix where ALL names share
/// it, again and again, and returns what was removed. Other common prefixes belong to the network and stay.
std::string strip_common_prefix(WeightFile& weights);

/// By content: safetensors, or a PyTorch zip (see torch_file.h). Nothing in the file is executed.
Result<WeightFile> read_weights(const std::filesystem::path& path);

}  // namespace pmtr
