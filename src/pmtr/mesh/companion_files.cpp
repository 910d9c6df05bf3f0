// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/companion_files.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/mesh/word_reader.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t companion_limit = std::uint64_t{1} << 30;

std::string with_forward_slashes(std::string_view path) {
  std::string result(path);
  std::replace(result.begin(), result.end(), '\\', '/');
  return result;
}

/// Calls use(keyword, rest of the line) for every line.
template <class Use>
void for_each_line(std::string_view text, Use use) {
  WordReader words(text);
  Word word;
  while (words.next(word)) {
    std::size_t end = text.find_first_of("\r\n", word.end());
    if (end == std::string_view::npos) end = text.size();
    std::string_view rest = text.substr(word.end(), end - word.end());
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
    while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t')) rest.remove_suffix(1);
    use(word.text, rest);
    words.skip_line();
  }
}

bool is_there(std::string_view relative_path, const fs::path& folder) {
  std::error_code ignored;
  return stays_inside(relative_path) &&
         fs::is_regular_file(folder / with_forward_slashes(relative_path), ignored);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  WordReader reader(text);
  for (Word word; reader.next_on_line(word);) words.emplace_back(word.text);
  return words;
}

bool names_texture(std::string_view keyword) {
  static constexpr std::array<std::string_view, 6> others = {"bump", "disp", "decal",
                                                             "refl", "norm", "map_bump"};
  return keyword.starts_with("map_") || std::find(others.begin(), others.end(), keyword) != others.end();
}

/// "-s 1 1 1 wood brown.png": options come first, and names may contain spaces. The longest end of the line
/// that is a file wins; without one it is the last word.
std::string texture_name(std::string_view rest, const fs::path& folder) {
  const std::vector<std::string> words = split(rest);
  WordReader reader(rest);
  for (Word word; reader.next_on_line(word);) {
    if (is_there(rest.substr(word.begin), folder)) return std::string(rest.substr(word.begin));
  }
  return words.empty() ? std::string() : words.back();
}

void read_textures(std::string_view mtl, const fs::path& mtl_folder, const fs::path& folder,
                   std::vector<CompanionFile>& companions, std::vector<std::string>& warnings) {
  for_each_line(mtl, [&](std::string_view keyword, std::string_view rest) {
    if (!names_texture(keyword)) return;
    // Names are relative to the MTL file.
    const std::string name = texture_name(rest, folder / mtl_folder);
    if (name.empty()) return;
    const std::string from_obj =
        stays_inside(name) ? (mtl_folder / with_forward_slashes(name)).string() : name;
    read_companion(from_obj, "texture", folder, companions, warnings);
  });
}

}  // namespace

bool stays_inside(std::string_view relative_path) {
  const fs::path path = with_forward_slashes(relative_path);
  const bool drive = relative_path.size() > 1 && relative_path[1] == ':';
  if (path.empty() || path.has_root_path() || drive || !path.has_filename()) return false;
  if (relative_path.find('\0') != std::string_view::npos) return false;
  if (path.filename() == ".") return false;
  return std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

const CompanionFile* read_companion(const std::string& relative_path, std::string_view kind,
                                    const fs::path& folder, std::vector<CompanionFile>& companions,
                                    std::vector<std::string>& warnings) {
  auto warn = [&](std::string text) {
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end())
      warnings.push_back(std::move(text));
    return nullptr;
  };
  if (!stays_inside(relative_path))
    return warn(fmt::format("{} {} leads out of the folder and is left out", kind, shown(relative_path)));
  const fs::path path = fs::path(with_forward_slashes(relative_path)).lexically_normal();
  for (const CompanionFile& known : companions) {
    if (known.relative_path == path) return &known;
  }
  auto bytes = read_file(folder / path, companion_limit);
  if (!bytes.ok()) {
    std::error_code ignored;
    if (!fs::exists(folder / path, ignored))
      return warn(fmt::format("{} {} is missing", kind, path.string()));
    return warn(fmt::format("{} {}: {}", kind, path.string(), bytes.error().message));
  }
  companions.push_back({path, *std::move(bytes)});
  return &companions.back();
}

void read_obj_companions(std::string_view obj, const fs::path& folder, std::vector<CompanionFile>& companions,
                         std::vector<std::string>& warnings) {
  std::vector<std::string> libraries;
  for_each_line(obj, [&](std::string_view keyword, std::string_view rest) {
    if (keyword != "mtllib") return;
    // One name with spaces, or several names.
    const bool one = is_there(rest, folder);
    const std::vector<std::string> names = one ? std::vector<std::string>{std::string(rest)} : split(rest);
    libraries.insert(libraries.end(), names.begin(), names.end());
  });
  for (const std::string& name : libraries) {
    const CompanionFile* library = read_companion(name, "material file", folder, companions, warnings);
    if (library == nullptr) continue;
    // Reading textures grows the list, so the library is copied out of its reach.
    const std::vector<std::byte> bytes = library->bytes;
    const fs::path library_folder = library->relative_path.parent_path();
    read_textures(as_text(bytes), library_folder, folder, companions, warnings);
  }
}

}  // namespace pmtr
