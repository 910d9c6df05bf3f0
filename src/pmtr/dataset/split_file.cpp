// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/split_file.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "pmtr/core/file.h"

namespace pmtr {
namespace {

constexpr std::uint64_t largest_split_file = std::uint64_t{1} << 28;
constexpr std::string_view blank = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// "./a//b/" is "a/b". None for an absolute path, one with "..", or one that no line of a file can say again:
/// with control characters (a file of another system's line ends is one long line), with blanks around it.
std::optional<std::string> clean_path(std::string_view written) {
  std::string path(written);
  std::replace(path.begin(), path.end(), '\\', '/');
  if (path.starts_with('/') || std::any_of(path.begin(), path.end(), is_control)) return std::nullopt;
  std::string clean;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") return std::nullopt;
    if (!clean.empty()) clean += '/';
    clean += part;
  }
  if (clean.empty() || clean.front() == ' ' || clean.back() == ' ') return std::nullopt;
  return clean;
}

}  // namespace

Result<std::vector<SplitLine>> parse_split(std::string_view text, const std::string& name) {
  std::vector<SplitLine> lines;
  std::uint64_t number = 0;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    SplitLine entry;
    entry.line = number;
    // A path may hold blanks; only a leading number is a number of pieces.
    if (const std::size_t gap = line.find_first_of(blank); gap != std::string_view::npos) {
      if (const auto pieces = whole_number(line.substr(0, gap))) {
        entry.pieces = pieces;
        line = trimmed(line.substr(gap));
      }
    }
    const auto path = clean_path(line);
    if (!path) {
      return Error{Cause::malformed,
                   fmt::format("'{}' is not a path inside the dataset", line.substr(0, 200)),
                   {name, {}, number}};
    }
    entry.path = *path;
    lines.push_back(std::move(entry));
  }
  return lines;
}

Result<std::vector<SplitLine>> read_split(const std::filesystem::path& file) {
  PMTR_TRY(const auto bytes, read_file(file, largest_split_file));
  PMTR_TRY(auto lines, parse_split(as_text(bytes), file.string()));
  if (lines.empty()) return error_at(file, Cause::empty, "names no object");
  return lines;
}

}  // namespace pmtr
