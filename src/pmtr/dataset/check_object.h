// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>
#include <vector>

#include "pmtr/dataset/broken_object.h"

namespace pmtr {

/// What is wrong with a broken object, one sentence each: pieces that are open or inside out, pieces that
/// touch nothing, an object that falls into several, volumes that vanish. Nothing of it keeps the object from
/// being used; it says what the ground truth is worth.
std::vector<std::string> find_problems(const BrokenObject& object);

}  // namespace pmtr
