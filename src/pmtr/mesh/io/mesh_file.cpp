// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/mesh_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/word_reader.h"
#include "pmtr/mesh/io/companion_files.h"
#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/mesh_appearance.h"
#include "pmtr/mesh/io/mesh_content.h"
#include "pmtr/mesh/io/moved_number.h"
#include "pmtr/mesh/io/obj/mtl.h"
#include "pmtr/mesh/io/obj/obj.h"
#include "pmtr/mesh/io/off.h"
#include "pmtr/mesh/io/ply/ply.h"
#include "pmtr/mesh/io/stl.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;

struct FormatName {
  MeshFormat format;
  const char* name;
  std::string_view extension;
};
constexpr std::array<FormatName, 5> formats = {{{MeshFormat::obj, "OBJ", ".obj"},
                                                {MeshFormat::ply, "PLY", ".ply"},
                                                {MeshFormat::stl, "STL", ".stl"},
                                                {MeshFormat::off, "OFF", ".off"},
                                                {MeshFormat::glb, "GLB", ".glb"}}};

/// The name against the content. Where the content is not certain the parser has the last word, except for
/// PLY and GLB, which always say what they are.
Result<MeshFormat> choose_format(const fs::path& path, std::span<const std::byte> bytes) {
  const MeshContent content = look_at_content(bytes);
  const std::optional<MeshFormat> named = format_of_extension(path);
  if (!named) {
    return error_at(
        path, Cause::unknown_format,
        fmt::format("the extension \"{}\" is not one of .obj .ply .stl .off .glb; the content looks like {}",
                    path.extension().string(), content.description));
  }
  const bool always_certain = *named == MeshFormat::ply || *named == MeshFormat::glb;
  const bool wrong = content.format ? *content.format != *named : always_certain;
  if (wrong) {
    return error_at(
        path, Cause::malformed,
        fmt::format("is called {} but looks like {}", path.extension().string(), content.description));
  }
  return *named;
}

/// The one place where bytes become a mesh.
Result<TriangleMesh> parse(MeshFile& file) {
  const std::string name = file.path.string();
  switch (file.format) {
    case MeshFormat::obj: {
      PMTR_TRY(ObjReading reading, read_obj_with_companions(file.bytes, name, load_beside(file.path)));
      file.companions = std::move(reading.companions);
      file.warnings = std::move(reading.warnings);
      return std::move(reading.mesh);
    }
    case MeshFormat::ply:
      return parse_ply(file.bytes, name);
    case MeshFormat::stl:
      return parse_stl(file.bytes, name);
    case MeshFormat::off:
      return parse_off(file.bytes, name);
    case MeshFormat::glb: {
      PMTR_TRY(GlbReading reading, read_glb_with_warnings(file.bytes, name));
      file.warnings = std::move(reading.warnings);
      return std::move(reading.mesh);
    }
  }
  return error_at(file.path, Cause::unknown_format, "has no known format");
}

Result<std::vector<std::byte>> move(const MeshFile& file, const Rigid3& world_from_part) {
  const std::string name = file.path.string();
  switch (file.format) {
    case MeshFormat::obj:
      return move_obj(file.bytes, world_from_part, name);
    case MeshFormat::ply:
      return move_ply(file.bytes, world_from_part, name);
    case MeshFormat::stl:
      return move_stl(file.bytes, world_from_part, name);
    case MeshFormat::off:
      return move_off(file.bytes, world_from_part, name);
    case MeshFormat::glb:
      return move_glb(file.bytes, world_from_part, name);
  }
  return error_at(file.path, Cause::unknown_format, "has no known format");
}

/// A PLY names its textures in comments; parse_ply knows only the names.
void read_ply_textures(MeshFile& file) {
  Companions companions(load_beside(file.path), file.companions, file.warnings);
  for (std::size_t t = 0; t < file.mesh.textures.size(); ++t) {
    Texture& texture = file.mesh.textures[t];
    const int found = companions.load(texture.name, "", "texture");
    if (found >= 0) {
      texture.bytes = file.companions[static_cast<std::size_t>(found)].bytes;
      texture.mime = image_mime(texture.bytes, texture.name);
      continue;
    }
    for (Material& material : file.mesh.materials) {
      if (material.texture == static_cast<int>(t)) material.texture = -1;
    }
  }
}

/// Textures, then the MTL that names them, then the OBJ that names that: whoever finds the OBJ finds all.
Status write_obj(const fs::path& path, const TriangleMesh& mesh) {
  if (mesh.materials.empty()) return write_file(path, format_obj(mesh));
  const std::string stem = plain_word(path.stem().string());
  const MtlDocument document = format_mtl(mesh, stem);
  for (const CompanionFile& texture : document.textures)
    PMTR_TRY_STATUS(write_file(path.parent_path() / texture.relative_path, texture.bytes));
  PMTR_TRY_STATUS(write_file(path.parent_path() / (stem + ".mtl"), document.mtl));
  return write_file(path, format_obj(mesh, stem + ".mtl"));
}

/// Writes into `folder`, making the folders on the way.
Status write_into(const fs::path& folder, const fs::path& relative_path, std::span<const std::byte> bytes) {
  const fs::path destination = folder / relative_path;
  std::error_code error;
  fs::create_directories(destination.parent_path(), error);
  if (error) {
    return error_at(destination.parent_path(), Cause::unwritable,
                    fmt::format("cannot create the folder: {}", error.message()));
  }
  return write_file(destination, bytes);
}

Status refuse_same_file(const fs::path& source, const fs::path& destination) {
  std::error_code ignored;  // one that does not exist is not the same
  if (!fs::equivalent(source, destination, ignored)) return {};
  return error_at(destination, Cause::unwritable, "is the input file itself, which is never overwritten");
}

}  // namespace

std::optional<MeshFormat> format_of_extension(const fs::path& path) {
  const std::string extension = lower_case(path.extension().string());
  for (const FormatName& known : formats) {
    if (extension == known.extension) return known.format;
  }
  return std::nullopt;
}

const char* format_name(MeshFormat format) {
  for (const FormatName& known : formats) {
    if (known.format == format) return known.name;
  }
  return "unknown";
}

Result<MeshFile> read_mesh_file(const fs::path& path) {
  PMTR_TRY(std::vector<std::byte> bytes, read_file(path));
  if (bytes.empty()) return error_at(path, Cause::empty, "the file is empty");
  MeshFile file;
  file.path = path;
  PMTR_TRY(file.format, choose_format(path, bytes));
  file.bytes = std::move(bytes);
  PMTR_TRY(file.mesh, parse(file));
  if (file.format == MeshFormat::ply) read_ply_textures(file);
  if (file.mesh.vertices.empty()) return error_at(path, Cause::empty, "has no vertices");
  if (Status valid = check_mesh(file.mesh); !valid.ok())
    return error_at(path, valid.error().cause, valid.error().message);
  return file;
}

Status write_mesh(const fs::path& path, const TriangleMesh& mesh) {
  const std::optional<MeshFormat> format = format_of_extension(path);
  if (!format) {
    return error_at(path, Cause::unknown_format,
                    fmt::format("the extension \"{}\" is not one of .obj .ply .stl .off .glb",
                                path.extension().string()));
  }
  if (Status valid = check_mesh(mesh); !valid.ok())
    return error_at(path, valid.error().cause, valid.error().message);
  switch (*format) {
    case MeshFormat::obj:
      return write_obj(path, mesh);
    case MeshFormat::ply:
      return write_file(path, format_ply(mesh));
    case MeshFormat::stl:
      if (mesh.faces.empty())
        return error_at(path, Cause::unsupported, "STL holds only triangles, and the mesh has none");
      if (!std::all_of(mesh.vertices.begin(), mesh.vertices.end(), all_fit_float))
        return error_at(path, Cause::too_large,
                        "STL holds only floats, and a coordinate is beyond their range");
      return write_file(path, format_stl(mesh));
    case MeshFormat::off:
      return write_file(path, format_off(mesh));
    case MeshFormat::glb:
      return write_file(path, format_glb(mesh));
  }
  return {};
}

Status write_moved(const MeshFile& file, const Rigid3& world_from_part, const fs::path& folder) {
  const fs::path into = folder.empty() ? fs::path(".") : folder;
  const fs::path name = file.path.filename();
  // All refusals come before the first byte is written.
  PMTR_TRY_STATUS(refuse_same_file(file.path, into / name));
  for (const CompanionFile& companion : file.companions) {
    const std::string relative = companion.relative_path.generic_string();
    if (clean_companion_name(relative) != relative) {
      return error_at(file.path, Cause::malformed,
                      fmt::format("its companion {} leads out of the folder", shown(relative)));
    }
    if (companion.relative_path == name)
      return error_at(file.path, Cause::malformed, "names itself as its companion");
    PMTR_TRY_STATUS(refuse_same_file(file.path.parent_path() / relative, into / relative));
  }
  PMTR_TRY(const std::vector<std::byte> moved, move(file, world_from_part));
  PMTR_TRY_STATUS(write_into(into, name, moved));
  for (const CompanionFile& companion : file.companions)
    PMTR_TRY_STATUS(write_into(into, companion.relative_path, companion.bytes));
  return {};
}

}  // namespace pmtr
