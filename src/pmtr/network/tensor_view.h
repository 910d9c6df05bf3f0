// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/core/check.h"
#include "pmtr/network/tensor.h"

namespace pmtr {

/// A tensor's values as the kernels take them. An undefined tensor is an empty span: not there, not wanted.
template <class T = float>
std::span<T> mutable_view(const torch::Tensor& tensor) {
  if (!tensor.defined()) return {};
  PMTR_CHECK(tensor.is_contiguous(), "the kernels want contiguous tensors");
  return {tensor.data_ptr<T>(), static_cast<std::size_t>(tensor.numel())};
}

template <class T = float>
std::span<const T> view(const torch::Tensor& tensor) {
  return mutable_view<T>(tensor);
}

}  // namespace pmtr
