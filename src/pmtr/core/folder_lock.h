// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <utility>

#include "pmtr/core/result.h"

namespace pmtr {

/// Keeps other processes of this program out of a folder as long as it lives; a process that is killed leaves
/// nothing behind. Where the disk knows no locks (some of those that machines share) nobody is kept out.
class FolderLock {
 public:
  FolderLock() = default;
  FolderLock(FolderLock&& other) noexcept : folder_(std::exchange(other.folder_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(folder_, other.folder_);
    return *this;
  }
  ~FolderLock();

  /// Cause::mismatch where another has it. The folder must be there.
  static Result<FolderLock> take(const std::filesystem::path& folder);

 private:
  explicit FolderLock(int folder) : folder_(folder) {}
  int folder_ = -1;
};

}  // namespace pmtr
