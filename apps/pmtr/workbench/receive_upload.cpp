// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "receive_upload.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "upload_names.h"

namespace pmtr::command {
namespace {

namespace fs = std::filesystem;

/// A file that is gone with this object unless it was given its name.
class TemporaryUpload {
 public:
  explicit TemporaryUpload(const fs::path& folder) : path_((folder / "upload_XXXXXX").string()) {
    descriptor_ = ::mkostemp(path_.data(), O_CLOEXEC);
  }
  ~TemporaryUpload() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (descriptor_ >= 0 && !kept_) ::unlink(path_.c_str());
  }
  TemporaryUpload(const TemporaryUpload&) = delete;
  TemporaryUpload& operator=(const TemporaryUpload&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  bool write(const char* data, std::size_t size) {
    while (size > 0) {
      const ssize_t put = ::write(descriptor_, data, size);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return false;
      data += put;
      size -= static_cast<std::size_t>(put);
    }
    return true;
  }
  bool move_to(const fs::path& place) {
    if (::fchmod(descriptor_, 0644) != 0 || ::fsync(descriptor_) != 0) return false;
    kept_ = ::rename(path_.c_str(), place.c_str()) == 0;
    return kept_;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool kept_ = false;
};

Error not_stored(int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    return {Cause::too_large, "the disk is full: not stored", {}};
  return {Cause::unwritable, fmt::format("not stored: {}", std::strerror(error)), {}};
}

/// No part of the way may be a link: it could lead out of the project.
Status make_way(const fs::path& base, const fs::path& relative) {
  fs::path at = base;
  std::error_code error;
  for (const fs::path& part : relative.parent_path()) {
    at /= part;
    const fs::file_status found = fs::symlink_status(at, error);
    if (found.type() == fs::file_type::not_found) {
      fs::create_directory(at, error);
      if (error) return Error{Cause::unwritable, fmt::format("not stored: {}", error.message()), {}};
    } else if (found.type() != fs::file_type::directory) {
      return Error{Cause::mismatch, fmt::format("\"{}\" is a file already, not a folder", part.string()), {}};
    }
  }
  const fs::file_status target = fs::symlink_status(base / relative, error);
  if (target.type() != fs::file_type::not_found && target.type() != fs::file_type::regular)
    return Error{Cause::mismatch, "there is a folder of this name", {}};
  return {};
}

}  // namespace

UploadGate::UploadGate(const ProjectFolder& folder, const UploadLimits& limits) : most_files_(limits.files) {
  for (std::string& name : list_files(folder.fragments())) files_.insert(std::move(name));
  std::error_code error;
  const fs::space_info space = fs::space(folder.path, error);
  // Where the system does not say, the disk will.
  room_ = error ? ~std::uint64_t{0}
                : space.available - std::min<std::uintmax_t>(space.available, limits.spare_bytes);
}

Result<std::string> UploadGate::accept(std::string_view name, std::uint64_t bytes) {
  PMTR_TRY(std::string clean, clean_upload_name(name));
  if (upload_kind(clean) == UploadKind::unknown)
    return Error{Cause::unknown_format,
                 "no kind of file that is read here: OBJ (with MTL and pictures), PLY, STL, OFF and GLB are",
                 {}};
  if (fs::path(clean).filename() == "assembly.glb")
    return Error{Cause::mismatch, "a file of the result is called like that: give it another name", {}};
  if (bytes == 0) return Error{Cause::empty, "the file is empty", {}};
  if (bytes > room_) return Error{Cause::too_large, "there is not enough room on the disk", {}};
  if (!files_.contains(clean) && files_.size() >= most_files_)
    return Error{Cause::too_large, fmt::format("a project takes {} files, no more", most_files_), {}};
  files_.insert(clean);
  room_ -= bytes;
  return clean;
}

Status receive_upload(const ProjectFolder& folder, const std::string& accepted_name, std::uint64_t bytes,
                      const UploadSource& source) {
  std::error_code error;
  fs::create_directories(folder.incoming(), error);
  if (error) return not_stored(error.value());
  TemporaryUpload file(folder.incoming());
  if (!file.is_open()) return not_stored(errno);
  std::uint64_t got = 0;
  int failure = 0;
  const bool complete = source([&](const char* data, std::size_t size) {
    got += size;
    if (got > bytes) return false;
    if (file.write(data, size)) return true;
    failure = errno;
    return false;
  });
  if (failure != 0) return not_stored(failure);
  if (!complete || got != bytes) return Error{Cause::truncated, "it did not arrive whole", {}};
  PMTR_TRY_STATUS(make_way(folder.fragments(), accepted_name));
  if (!file.move_to(folder.fragments() / accepted_name)) return not_stored(errno);
  return {};
}

}  // namespace pmtr::command
