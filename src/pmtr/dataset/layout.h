// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <climits>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"

namespace pmtr {

struct LayoutOptions {
  std::optional<std::filesystem::path> split;  ///< only what this file names (split_file.h); none: everything
  bool skip_missing = false;                   ///< a split that names what is not there: warn and go on
  int min_parts = 2;                           ///< fractures with fewer pieces are left out
  int max_parts = INT_MAX;                     ///< fractures with more pieces are left out
  std::vector<std::string> categories;         ///< only these; empty: all

  Status validate() const;
};

/// One way in which an object broke.
struct FractureFiles {
  std::string name;                 ///< "fractured_3"
  std::vector<std::string> pieces;  ///< paths relative to the dataset, piece_2 before piece_10
};

struct ObjectFiles {
  std::string name;      ///< "everyday/Bottle/738d"
  std::string category;  ///< the folder it is in: "Bottle", "artifact"
  std::vector<FractureFiles> fractures;
};

struct DatasetIndex {
  std::filesystem::path root;
  std::vector<ObjectFiles> objects;

  std::int64_t fractures() const;
  std::int64_t pieces() const;
};

/// The layout of Breaking Bad: `everyday/<Category>/<id>/<fracture>/piece_<i>.{obj,ply}`,
/// `artifact/<id>/...`, `other/<id>/...`. In general: a folder with files piece_<i> (in any mesh format) is a
/// fracture, its parent is the object, and the parent of that is the category, so a part of a dataset can be
/// read as well. Objects, fractures and pieces come in natural order, never the file system's.
///
/// A split that names objects or fractures that are not there, or fractures with another number of pieces, is
/// an error that lists all of them.
Result<DatasetIndex> list_dataset(const std::filesystem::path& root, const LayoutOptions& options,
                                  const Listener& listener = {});

}  // namespace pmtr
