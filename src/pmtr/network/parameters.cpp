// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/parameters.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include "pmtr/core/check.h"

namespace pmtr {

torch::Tensor Parameters::add(std::string name, torch::Tensor tensor, bool learnt) {
  PMTR_CHECK(find(name) == nullptr, "two parameters called " + name);
  tensor.set_requires_grad(learnt);
  entries_.push_back({std::move(name), tensor, learnt});
  return tensor;
}

const torch::Tensor* Parameters::find(const std::string& name) const {
  for (const auto& entry : entries_) {
    if (entry.name == name) return &entry.tensor;
  }
  return nullptr;
}

std::vector<torch::Tensor> Parameters::learnt() const {
  std::vector<torch::Tensor> tensors;
  for (const auto& entry : entries_) {
    if (entry.learnt) tensors.push_back(entry.tensor);
  }
  return tensors;
}

std::int64_t Parameters::learnt_count() const {
  std::int64_t count = 0;
  for (const auto& tensor : learnt()) count += tensor.numel();
  return count;
}

Status Parameters::load(const WeightFile& file, const std::string& name) {
  std::vector<std::string> missing;
  std::vector<std::string> misshapen;
  std::set<std::string> known;
  for (const auto& entry : entries_) {
    known.insert(entry.name);
    const NamedArray* array = file.find(entry.name);
    if (array == nullptr) {
      missing.push_back(entry.name);
    } else if (array->shape != entry.tensor.sizes().vec()) {
      misshapen.push_back(fmt::format("{} is [{}], should be [{}]", entry.name, fmt::join(array->shape, ", "),
                                      fmt::join(entry.tensor.sizes().vec(), ", ")));
    }
  }
  std::vector<std::string> extra;
  for (const auto& array : file.arrays) {
    if (!known.contains(array.name)) extra.push_back(array.name);
  }
  if (!missing.empty() || !misshapen.empty() || !extra.empty()) {
    const auto list = [](const char* what, std::vector<std::string>& names) {
      if (names.empty()) return std::string();
      const std::size_t total = names.size();
      constexpr std::size_t shown = 5;
      if (total > shown) names.resize(shown);
      return fmt::format("; {} {}: {}{}", total, what, fmt::join(names, "; "), total > shown ? "; ..." : "");
    };
    return Error{Cause::mismatch,
                 "the weights do not fit the network" + list("missing", missing) +
                     list("misshapen", misshapen) + list("not part of it", extra),
                 {name, {}, {}}};
  }
  const torch::NoGradGuard no_grad;
  for (const auto& entry : entries_) {
    const std::vector<float> values = file.find(entry.name)->to_float();
    torch::Tensor source =
        torch::from_blob(const_cast<float*>(values.data()), entry.tensor.sizes(), torch::kFloat);  // NOLINT
    if (!source.isfinite().all().item<bool>()) {
      return Error{
          Cause::not_finite, fmt::format("tensor {} holds NaN or infinity", entry.name), {name, {}, {}}};
    }
    entry.tensor.detach().copy_(source);
  }
  return {};
}

void Parameters::save(WeightFile& file) const {
  for (const auto& entry : entries_) {
    const torch::Tensor host = entry.tensor.detach().to(torch::kCPU, torch::kFloat).contiguous();
    NamedArray array;
    array.name = entry.name;
    array.shape = host.sizes().vec();
    const auto* begin = reinterpret_cast<const std::byte*>(host.data_ptr<float>());
    array.data.assign(begin, begin + host.numel() * static_cast<std::int64_t>(sizeof(float)));
    file.arrays.push_back(std::move(array));
  }
}

torch::Tensor uniform_tensor(Random& random, std::vector<std::int64_t> shape, double bound) {
  torch::Tensor tensor = torch::empty(shape, torch::kFloat);
  float* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    values[i] = static_cast<float>(random.uniform(-bound, bound));
  return tensor;
}

torch::Tensor ParameterScope::uniform(const std::string& name, std::vector<std::int64_t> shape,
                                      double bound) const {
  return learnt(name, uniform_tensor(*random_, std::move(shape), bound));
}

torch::Tensor ParameterScope::constant(const std::string& name, std::vector<std::int64_t> shape,
                                       double value) const {
  return learnt(name, torch::full(shape, value, torch::kFloat));
}

torch::Tensor ParameterScope::learnt(const std::string& name, torch::Tensor value) const {
  return parameters_->add(prefix_ + name, std::move(value), true);
}

torch::Tensor ParameterScope::buffer(const std::string& name, torch::Tensor value) const {
  return parameters_->add(prefix_ + name, std::move(value), false);
}

}  // namespace pmtr
