// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/layout.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "pmtr/dataset/natural_order.h"
#include "pmtr/dataset/split_file.h"
#include "pmtr/mesh/io/mesh_file.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;

// Deeper than any release.
constexpr int deepest = 8;

bool is_piece(const fs::path& file) {
  const std::string stem = file.stem().string();
  constexpr std::string_view prefix = "piece_";
  return stem.starts_with(prefix) && stem.size() > prefix.size() &&
         std::all_of(stem.begin() + prefix.size(), stem.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         format_of_extension(file).has_value();
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

std::pair<std::string, std::string> split_last(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

struct Natural {
  bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};
using Fractures = std::map<std::string, std::vector<std::string>, Natural>;  // folder -> pieces

/// A link to a folder that it is in itself.
bool leads_back(const fs::directory_entry& entry, const fs::path& folder) {
  std::error_code error;
  if (!entry.is_symlink(error)) return false;
  const fs::path target = fs::canonical(entry.path(), error);
  const fs::path here = fs::canonical(folder, error);
  return std::mismatch(target.begin(), target.end(), here.begin(), here.end()).first == target.end();
}

/// All folders below with pieces in them.
Status collect(const fs::path& folder, const std::string& relative, int depth, Fractures& found) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) return error_at(folder, Cause::unreadable, "cannot list: " + error.message());
  std::vector<std::string> folders;
  std::vector<std::string> pieces;
  for (; entries != fs::directory_iterator(); entries.increment(error)) {
    std::error_code unknown;
    const std::string name = entries->path().filename().string();
    if (entries->is_directory(unknown)) {
      if (depth < deepest && !leads_back(*entries, folder)) folders.push_back(name);
    } else if (is_piece(entries->path())) {
      pieces.push_back(joined(relative, name));
    }
  }
  if (error) return error_at(folder, Cause::unreadable, "cannot list: " + error.message());
  std::sort(pieces.begin(), pieces.end(), natural_less);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (fs::path(pieces[i]).stem() == fs::path(pieces[i - 1]).stem()) {
      return error_at(
          folder, Cause::mismatch,
          fmt::format("'{}' and '{}' are the same piece", fs::path(pieces[i - 1]).filename().string(),
                      fs::path(pieces[i]).filename().string()));
    }
  }
  if (!pieces.empty()) found[relative] = std::move(pieces);
  std::sort(folders.begin(), folders.end(), natural_less);
  for (const std::string& name : folders)
    PMTR_TRY_STATUS(collect(folder / name, joined(relative, name), depth + 1, found));
  return {};
}

/// Keeps what the split names. Returns what it names in vain, one sentence each.
std::vector<std::string> keep_named(const std::vector<SplitLine>& lines, Fractures& fractures) {
  std::map<std::string, std::vector<std::string>> fractures_of;
  for (const auto& [folder, pieces] : fractures) fractures_of[split_last(folder).first].push_back(folder);
  Fractures kept;
  std::vector<std::string> problems;
  for (const SplitLine& line : lines) {
    if (const auto fracture = fractures.find(line.path); fracture != fractures.end()) {
      const auto count = static_cast<int>(fracture->second.size());
      if (line.pieces && *line.pieces != count) {
        problems.push_back(
            fmt::format("line {}: {} has {} pieces, not {}", line.line, line.path, count, *line.pieces));
      } else {
        kept.insert(*fracture);
      }
    } else if (const auto object = fractures_of.find(line.path); object != fractures_of.end()) {
      for (const std::string& folder : object->second) kept.insert(*fractures.find(folder));
    } else {
      problems.push_back(fmt::format("line {}: {} is not there", line.line, line.path));
    }
  }
  fractures = std::move(kept);
  return problems;
}

std::string list_of(const std::vector<std::string>& problems, const fs::path& root) {
  std::string text =
      fmt::format("{} of its entries do not fit the dataset in '{}':", problems.size(), root.string());
  for (const std::string& problem : problems) text += "\n  " + problem;
  return text;
}

}  // namespace

Status LayoutOptions::validate() const {
  if (min_parts < 1 || max_parts < min_parts) {
    return invalid_option(
        fmt::format("from {} to {} parts: must be at least 1, in this order", min_parts, max_parts));
  }
  return {};
}

std::int64_t DatasetIndex::fractures() const {
  std::int64_t count = 0;
  for (const ObjectFiles& object : objects) count += static_cast<std::int64_t>(object.fractures.size());
  return count;
}

std::int64_t DatasetIndex::pieces() const {
  std::int64_t count = 0;
  for (const ObjectFiles& object : objects)
    for (const FractureFiles& fracture : object.fractures)
      count += static_cast<std::int64_t>(fracture.pieces.size());
  return count;
}

Result<DatasetIndex> list_dataset(const fs::path& root, const LayoutOptions& options,
                                  const Listener& listener) {
  PMTR_TRY_STATUS(options.validate());
  std::error_code ignored;
  if (!fs::is_directory(root, ignored)) return error_at(root, Cause::unreadable, "is not a folder");
  Fractures fractures;
  PMTR_TRY_STATUS(collect(root, "", 0, fractures));
  if (fractures.empty())
    return error_at(root, Cause::empty, "no folder with files piece_0, piece_1, ... in it");
  if (options.split) {
    PMTR_TRY(const auto lines, read_split(*options.split));
    if (const auto problems = keep_named(lines, fractures); !problems.empty()) {
      const Error error = error_at(*options.split, Cause::mismatch, list_of(problems, root));
      if (!options.skip_missing) return error;
      listener.warn(error.text());
    }
  }
  DatasetIndex index;
  index.root = root;
  // A folder that is itself an object has no name of its own inside the dataset.
  const std::string root_name = fs::absolute(root).lexically_normal().filename().string();
  std::map<std::string, ObjectFiles, Natural> objects;
  const std::set<std::string> wanted(options.categories.begin(), options.categories.end());
  for (auto& [folder, pieces] : fractures) {
    const auto count = static_cast<int>(pieces.size());
    if (count < options.min_parts || count > options.max_parts) continue;
    const auto [object, name] = split_last(folder);
    const std::string category = split_last(split_last(object).first).second;
    if (!wanted.empty() && !wanted.contains(category)) continue;
    ObjectFiles& files = objects[object];
    files.name = object.empty() ? root_name : object;
    files.category = category;
    files.fractures.push_back({name.empty() ? "." : name, std::move(pieces)});
  }
  for (auto& [name, files] : objects) index.objects.push_back(std::move(files));
  if (index.objects.empty()) {
    return error_at(root, Cause::empty, "nothing is left with these numbers of parts, categories and split");
  }
  return index;
}

}  // namespace pmtr
