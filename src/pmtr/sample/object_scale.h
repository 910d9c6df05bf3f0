// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/core/result.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// The network was taught on objects whose longest side is 1. This estimates the longest side of the whole
/// object, in the input's units, from its fragments: from their total surface area and the largest extent of
/// any one of them. Multiply input coordinates by 1 / object_size() before sampling for the network.
Result<double> estimate_object_size(std::span<const TriangleMesh> fragments);

}  // namespace pmtr
