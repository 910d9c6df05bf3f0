// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/mesh_appearance.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pmtr/core/file.h"
#include "pmtr/formats/word_reader.h"

namespace pmtr {
namespace {

struct ImageKind {
  std::string_view mime;
  std::string_view extension;
  std::string_view magic;  ///< empty: only the extension tells
};

constexpr std::array<ImageKind, 9> image_kinds{{
    {"image/png", ".png", "\x89PNG"},
    {"image/jpeg", ".jpg", "\xFF\xD8\xFF"},
    {"image/jpeg", ".jpeg", "\xFF\xD8\xFF"},
    {"image/gif", ".gif", "GIF8"},
    {"image/bmp", ".bmp", "BM"},
    {"image/webp", ".webp", "RIFF"},
    {"image/tiff", ".tif", "II*"},
    {"image/tiff", ".tiff", "MM"},
    {"image/x-tga", ".tga", ""},
}};

}  // namespace

float unit_range(float value) { return std::isfinite(value) ? std::clamp(value, 0.0F, 1.0F) : 1.0F; }

void complete_face_uvs(TriangleMesh& mesh) {
  bool any = false;
  bool all = true;
  for (const auto& face : mesh.face_uvs) {
    const bool has = face[0] != no_index && face[1] != no_index && face[2] != no_index;
    any = any || has;
    all = all && has;
  }
  if (!any) {
    mesh.uvs.clear();
    mesh.face_uvs.clear();
    return;
  }
  if (all) return;
  const auto added = static_cast<std::uint32_t>(mesh.uvs.size());
  mesh.uvs.emplace_back(0.0F, 0.0F);
  for (auto& face : mesh.face_uvs) {
    if (face[0] == no_index || face[1] == no_index || face[2] == no_index) face = {added, added, added};
  }
}

std::string image_mime(std::span<const std::byte> bytes, std::string_view name) {
  const std::string_view content = as_text(bytes);
  for (const auto& kind : image_kinds) {
    if (!kind.magic.empty() && content.starts_with(kind.magic)) return std::string(kind.mime);
  }
  const std::string lower = lower_case(name);
  for (const auto& kind : image_kinds) {
    if (lower.ends_with(kind.extension)) return std::string(kind.mime);
  }
  return {};
}

std::string image_extension(std::string_view mime) {
  for (const auto& kind : image_kinds) {
    if (kind.mime == mime) return std::string(kind.extension);
  }
  return ".bin";
}

}  // namespace pmtr
