// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/dataset/broken_object.h"

namespace pmtr {

/// What a cached object was made from. Another stamp means that it is stale.
struct ObjectStamp {
  struct File {
    std::string path;          ///< relative to the dataset
    std::uint64_t size = 0;    ///< bytes
    std::int64_t changed = 0;  ///< last change, in the file system's own ticks
    bool operator==(const File&) const = default;
  };
  std::vector<File> files;
  MatingMethod method = MatingMethod::automatic;
  double tolerance = 0.0;
  double least_normal_angle = 0.0;
  double least_share = 0.0;
  bool remove_walls = true;

  bool operator==(const ObjectStamp&) const = default;
};

struct CachedObject {
  ObjectStamp stamp;
  BrokenObject object;
};

/// The bytes of a cache file: geometry, partners, areas and volumes; colours, UVs and materials are left out.
/// Coordinates are single precision if that loses nothing. A checksum stands in front.
std::vector<std::byte> format_cached_object(const BrokenObject& object, const ObjectStamp& stamp);

/// Refuses anything that format_cached_object would not write: counts are bounded by the bytes that are
/// there, indices by the counts. `name` is only for messages.
Result<CachedObject> parse_cached_object(std::span<const std::byte> bytes, const std::string& name);

/// The same for what stands after magic and checksum: no test would ever guess a right checksum.
inline constexpr std::size_t cached_object_head = 16;
Result<CachedObject> parse_cached_body(std::span<const std::byte> body, const std::string& name);

}  // namespace pmtr
