// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/companion_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/word_reader.h"

namespace pmtr {

std::optional<std::string> clean_companion_name(std::string_view written) {
  std::string slashed(written);
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  if (slashed.starts_with('/') || slashed.ends_with('/')) return std::nullopt;
  if (slashed.size() >= 2 && slashed[1] == ':') return std::nullopt;  // a Windows drive
  if (std::any_of(slashed.begin(), slashed.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; })) {
    return std::nullopt;
  }
  std::string clean;
  for (std::size_t begin = 0; begin <= slashed.size();) {
    const std::size_t end = std::min(slashed.find('/', begin), slashed.size());
    const std::string_view part = std::string_view(slashed).substr(begin, end - begin);
    if (part == "..") return std::nullopt;
    if (!part.empty() && part != ".") {
      if (!clean.empty()) clean += '/';
      clean += part;
    }
    begin = end + 1;
  }
  if (clean.empty()) return std::nullopt;
  return clean;
}

CompanionLoader load_beside(const std::filesystem::path& mesh_file) {
  return [mesh_file](const std::string& name) -> Result<std::vector<std::byte>> {
    constexpr std::uint64_t limit = std::uint64_t{1} << 30;
    const std::filesystem::path path = mesh_file.parent_path() / name;
    if (name == mesh_file.filename()) return error_at(path, Cause::malformed, "it is the mesh file itself");
    return read_file(path, limit);
  };
}

int Companions::warn(std::string text) {
  if (warned_.insert(text).second) warnings_.push_back(std::move(text));
  return -1;
}

int Companions::load(std::string_view written, const std::string& folder, std::string_view kind) {
  const auto clean = clean_companion_name(written);
  if (!clean) {
    return warn(fmt::format("{} {} is left out: its name leads out of the folder", kind, shown(written)));
  }
  std::string reason = "no files are read";
  for (const std::string& name : {folder + *clean, *clean}) {
    const auto known = loaded_.find(name);
    if (known != loaded_.end()) return known->second;
    if (!loader_) break;
    auto content = loader_(name);
    if (content.ok()) {
      const int index = static_cast<int>(files_.size());
      files_.push_back({name, *std::move(content)});
      loaded_.emplace(name, index);
      return index;
    }
    reason = content.error().message;
    if (folder.empty()) break;
  }
  return warn(fmt::format("{} {} is missing: {}", kind, shown(*clean), reason));
}

}  // namespace pmtr
