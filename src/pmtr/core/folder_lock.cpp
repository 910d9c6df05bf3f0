// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pmtr {

FolderLock::~FolderLock() {
  if (folder_ >= 0) ::close(folder_);
}

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  // The folder itself: a file for the lock would stay in it.
  FolderLock lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.folder_ < 0) return error_at(folder, Cause::unreadable, std::strerror(errno));
  if (::flock(lock.folder_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return error_at(folder, Cause::mismatch, "another run works in this folder now");
  return lock;
}

}  // namespace pmtr
