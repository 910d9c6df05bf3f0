// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/result.h"
#include "pmtr/network/tensor.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr {

/// The named tensors of a model in a fixed order. Layers are plain structs that share these tensors.
class Parameters {
 public:
  struct Entry {
    std::string name;
    torch::Tensor tensor;
    bool learnt;  ///< false: a buffer, such as kernel points
  };

  torch::Tensor add(std::string name, torch::Tensor tensor, bool learnt);

  const std::vector<Entry>& entries() const { return entries_; }
  const torch::Tensor* find(const std::string& name) const;
  std::vector<torch::Tensor> learnt() const;
  std::int64_t learnt_count() const;  ///< number of learnt values

  /// Copies every tensor from the file. Missing, extra and misshapen tensors are one error that names them.
  Status load(const WeightFile& file, const std::string& name);
  void save(WeightFile& file) const;

 private:
  std::vector<Entry> entries_;
};

/// Where a layer puts its parameters: a name prefix and the random stream that fills them.
class ParameterScope {
 public:
  ParameterScope(Parameters& parameters, Random& random) : parameters_(&parameters), random_(&random) {}

  ParameterScope operator/(const std::string& name) const {
    ParameterScope inner = *this;
    inner.prefix_ = prefix_ + name + ".";
    return inner;
  }
  ParameterScope operator/(int index) const { return *this / std::to_string(index); }

  torch::Tensor uniform(const std::string& name, std::vector<std::int64_t> shape, double bound) const;
  torch::Tensor constant(const std::string& name, std::vector<std::int64_t> shape, double value) const;
  torch::Tensor learnt(const std::string& name, torch::Tensor value) const;
  torch::Tensor buffer(const std::string& name, torch::Tensor value) const;
  Random& random() const { return *random_; }

 private:
  Parameters* parameters_;
  Random* random_;
  std::string prefix_;
};

/// Values drawn uniformly from [-bound, bound), by our own generator: torch's differs between versions.
torch::Tensor uniform_tensor(Random& random, std::vector<std::int64_t> shape, double bound);

}  // namespace pmtr
