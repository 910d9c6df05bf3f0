// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/assemble/assembly.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr {

/// An assembly in object units as one of the input files: poses move each file to where its component's
/// anchor lies, lengths and areas are in the input's units.
Assembly in_input_frame(Assembly assembly, std::span<const FragmentClouds> fragments);

}  // namespace pmtr
