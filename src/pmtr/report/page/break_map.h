// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/core/threads.h"
#include "pmtr/report/page/display_mesh.h"
#include "pmtr/report/record/seen_breaks.h"

namespace pmtr {

/// Fills DisplayMesh::breaks: how likely the surface is broken at each vertex, by the nearest points that the
/// network saw and that face the same way. `shown` has one mesh per fragment.
void find_breaks(const SeenBreaks& seen, std::span<DisplayMesh> shown, Threads& threads);

}  // namespace pmtr
