// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/project/kept_file.h"

#include <fmt/format.h>

#include "pmtr/core/stable_hash.h"
#include "pmtr/formats/byte_stream.h"

namespace pmtr {
namespace {

constexpr std::uint64_t kept_magic = 0x7470656b72746d70;  // "pmtrkept"

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  StableHash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace

std::string digest_of(std::span<const std::byte> bytes) { return fmt::format("{:016x}", hash_of(bytes)); }

std::vector<std::byte> seal_kept(KeptKind kind, std::span<const std::byte> body) {
  ByteWriter out;
  out.reserve(kept_head + body.size());
  out.put(kept_magic);
  out.put(static_cast<std::uint32_t>(kind));
  out.put(kept_version);
  out.put(hash_of(body));
  std::vector<std::byte> bytes = out.take();
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

Result<std::span<const std::byte>> unseal_kept(std::span<const std::byte> bytes, KeptKind kind,
                                               const std::string& name) {
  ByteReader in(bytes);
  if (in.get<std::uint64_t>() != kept_magic)
    return error_at(name, Cause::unknown_format, "is not a file of a pmtr project");
  const auto found = in.get<std::uint32_t>();
  const auto version = in.get<std::uint32_t>();
  const auto sum = in.get<std::uint64_t>();
  if (!in.good()) return error_at(name, Cause::truncated, "ends in its head");
  if (found != static_cast<std::uint32_t>(kind) || version != kept_version)
    return error_at(name, Cause::mismatch, fmt::format("is of kind {}, version {}", found, version));
  const auto body = bytes.subspan(kept_head);
  if (sum != hash_of(body)) return error_at(name, Cause::malformed, "is damaged: its checksum is wrong");
  return body;
}

}  // namespace pmtr
