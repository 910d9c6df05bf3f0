// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/report/page/object_view.h"

namespace pmtr::command {

/// A result as it is kept in memory while somebody looks at it: reading the fragments and finding the gaps
/// for the first time is nearly all of the work of a decision.
struct OpenResult {
  std::string id;
  std::vector<MeshFile> fragments;
  AssemblyRecord record;
  std::vector<OrientedCloud> clouds;  ///< of orient_seen; empty where the breaks are not kept
  std::unique_ptr<ObjectView> view;
};

}  // namespace pmtr::command
