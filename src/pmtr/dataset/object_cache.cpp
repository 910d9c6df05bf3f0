// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/object_cache.h"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/dataset/cached_object.h"
#include "pmtr/dataset/each_fracture.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;

Result<ObjectStamp> stamp_of(const fs::path& root, const FractureFiles& fracture,
                             const ReadObjectOptions& options) {
  ObjectStamp stamp;
  stamp.method = options.mating.method;
  stamp.tolerance = options.mating.tolerance;
  stamp.least_normal_angle = options.mating.least_normal_angle;
  stamp.least_share = options.mating.least_share;
  stamp.remove_walls = options.remove_walls;
  for (const std::string& piece : fracture.pieces) {
    std::error_code error;
    const fs::path path = root / piece;
    const std::uint64_t size = fs::file_size(path, error);
    if (error) return error_at(path, Cause::unreadable, error.message());
    const auto changed = fs::last_write_time(path, error);
    if (error) return error_at(path, Cause::unreadable, error.message());
    stamp.files.push_back({piece, size, changed.time_since_epoch().count()});
  }
  return stamp;
}

/// None if there is no such file, or it is stale or damaged: then it is made again.
std::optional<BrokenObject> read_fresh(const fs::path& file, const ObjectStamp& stamp) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  const auto bytes = read_file(file);
  if (!bytes.ok()) return std::nullopt;
  auto cached = parse_cached_object(*bytes, file.string());
  if (!cached.ok() || cached->stamp != stamp) return std::nullopt;
  return std::move(cached->object);
}

Status keep(const fs::path& file, const BrokenObject& object, const ObjectStamp& stamp) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    return error_at(file.parent_path(), Cause::unwritable, "cannot create the folder: " + error.message());
  // Two threads that write one file would use the same temporary name.
  static std::array<std::mutex, 64> mutexes;
  const std::lock_guard lock(mutexes[fs::hash_value(file) % mutexes.size()]);
  return write_file(file, format_cached_object(object, stamp));
}

}  // namespace

fs::path ObjectCache::file_of(const ObjectFiles& object, const FractureFiles& fracture) const {
  return folder_ / object.name / (fracture.name + ".pmtrobj");
}

Result<BrokenObject> ObjectCache::make(const DatasetIndex& index, const ObjectFiles& object,
                                       const FractureFiles& fracture, const Listener& listener) const {
  // The stamp first: a file that changes while it is read makes the entry stale, not wrong.
  PMTR_TRY(const ObjectStamp stamp, stamp_of(index.root, fracture, options_));
  PMTR_TRY(BrokenObject made, read_broken_object(index, object, fracture, options_));
  if (const Status kept = keep(file_of(object, fracture), made, stamp); !kept.ok())
    listener.warn(kept.error().text());
  return made;
}

Result<BrokenObject> ObjectCache::read(const DatasetIndex& index, const ObjectFiles& object,
                                       const FractureFiles& fracture, const Listener& listener) const {
  if (folder_.empty()) return read_broken_object(index, object, fracture, options_);
  PMTR_TRY(const ObjectStamp stamp, stamp_of(index.root, fracture, options_));
  if (auto fresh = read_fresh(file_of(object, fracture), stamp)) return *std::move(fresh);
  return make(index, object, fracture, listener);
}

Result<std::int64_t> ObjectCache::build(const DatasetIndex& index, Threads& threads,
                                        const Listener& listener) const {
  PMTR_TRY_STATUS(options_.validate());
  if (folder_.empty()) return std::int64_t{0};
  std::atomic<std::int64_t> made = 0;
  const auto refresh = [&](std::int64_t, const ObjectFiles& object, const FractureFiles& fracture) -> Status {
    const auto stamp = stamp_of(index.root, fracture, options_);
    if (stamp.ok() && read_fresh(file_of(object, fracture), *stamp)) return {};
    if (const auto result = make(index, object, fracture, listener); !result.ok()) return result.error();
    ++made;
    return {};
  };
  PMTR_TRY_STATUS(
      for_each_fracture(index, "cache", "stopped while the cache was made", threads, listener, refresh));
  return made.load();
}

}  // namespace pmtr
