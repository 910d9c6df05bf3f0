// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/dataset/broken_object.h"

namespace pmtr {

/// Broken objects kept in a form that is read in a millisecond: one file per fracture in `folder`, named as
/// in the dataset. A file whose sources have another size, time or name, or that was made with other options,
/// is made again; so is a damaged one. Threads and processes may share a folder: files are replaced whole.
class ObjectCache {
 public:
  /// An empty folder name keeps nothing: everything is read from its sources.
  explicit ObjectCache(std::filesystem::path folder, ReadObjectOptions options = {})
      : folder_(std::move(folder)), options_(options) {}

  /// From the cache if it is fresh, else from the sources, and kept. `listener` hears why a file is not kept.
  Result<BrokenObject> read(const DatasetIndex& index, const ObjectFiles& object,
                            const FractureFiles& fracture, const Listener& listener = {}) const;

  /// Makes what is missing or stale; returns how many.
  Result<std::int64_t> build(const DatasetIndex& index, Threads& threads,
                             const Listener& listener = {}) const;

 private:
  std::filesystem::path file_of(const ObjectFiles& object, const FractureFiles& fracture) const;
  Result<BrokenObject> make(const DatasetIndex& index, const ObjectFiles& object,
                            const FractureFiles& fracture, const Listener& listener) const;

  std::filesystem::path folder_;
  ReadObjectOptions options_;
};

}  // namespace pmtr
