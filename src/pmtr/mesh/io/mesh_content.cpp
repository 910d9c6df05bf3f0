// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/mesh_content.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "pmtr/core/file.h"
#include "pmtr/formats/word_reader.h"
#include "pmtr/mesh/io/off_header.h"
#include "pmtr/mesh/io/stl.h"

namespace pmtr {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view begin;
  const char* description;
};

// What people drop into a folder of scans by mistake.
constexpr std::array<Signature, 9> other_files = {{
    {"\x89PNG"sv, "a PNG picture"},
    {"\xff\xd8\xff"sv, "a JPEG picture"},
    {"PK\x03\x04"sv, "a ZIP archive"},
    {"\x1f\x8b"sv, "a gzip archive"},
    {"%PDF"sv, "a PDF document"},
    {"Kaydara FBX Binary"sv, "an FBX file"},
    {"<"sv, "an XML or HTML file"},
    {"{"sv, "a JSON file"},
    {"version https://git-lfs"sv, "a Git LFS pointer, not the file itself"},
}};

bool is_text(std::string_view start) {
  return std::all_of(start.begin(), start.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || (byte >= '\t' && byte <= '\r');
  });
}

/// Every line is one an OBJ file may have, and there is a vertex among the first ones.
bool looks_like_obj(std::string_view start) {
  static constexpr std::array<std::string_view, 17> keywords = {"v", "vt", "vn", "vp",     "f",      "l",
                                                                "p", "o",  "g",  "s",      "mtllib", "usemtl",
                                                                "#", "mg", "vx", "usemap", "maplib"};
  WordReader words(start);
  bool vertex = false;
  for (Word word; words.next(word); words.skip_line()) {
    if (word.text.starts_with('#')) continue;
    if (std::find(keywords.begin(), keywords.end(), word.text) == keywords.end()) return vertex;
    vertex = vertex || word.text == "v";
  }
  return vertex;
}

}  // namespace

MeshContent look_at_content(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  const std::string_view start = text.substr(0, 65536);
  if (text.empty()) return {std::nullopt, "an empty file"};
  if (text.starts_with("ply\n") || text.starts_with("ply\r")) return {MeshFormat::ply, "a PLY file"};
  if (text.starts_with("glTF")) return {MeshFormat::glb, "a GLB file"};
  const StlKind stl = detect_stl(bytes);
  if (stl == StlKind::binary) return {MeshFormat::stl, "a binary STL file"};
  for (const Signature& signature : other_files) {
    if (text.starts_with(signature.begin)) return {std::nullopt, signature.description};
  }
  if (!is_text(start)) return {std::nullopt, "binary data"};
  if (stl == StlKind::ascii) return {MeshFormat::stl, "an ascii STL file"};
  if (looks_like_off(start)) return {MeshFormat::off, "an OFF file"};
  if (looks_like_obj(start)) return {MeshFormat::obj, "an OBJ file"};
  return {std::nullopt, "a text file"};
}

}  // namespace pmtr
