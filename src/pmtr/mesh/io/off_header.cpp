// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/off_header.h"

#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "pmtr/formats/word_reader.h"

namespace pmtr {
namespace {

struct Keyword {
  bool found = false;
  bool textures = false;
  bool colours = false;
  bool normals = false;
  bool four = false;       // 4OFF: four coordinates
  bool n_dim = false;      // nOFF: any number of them
  std::size_t length = 0;  // of the keyword within its word
};

bool take(std::string_view& rest, std::string_view prefix) {
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  return true;
}

/// [ST][C][N][4][n]OFF. Some data sets glue the first count to it: "OFF490 518 0".
Keyword find_keyword(std::string_view word) {
  Keyword keyword;
  std::string_view rest = word;
  keyword.textures = take(rest, "ST");
  keyword.colours = take(rest, "C");
  keyword.normals = take(rest, "N");
  keyword.four = take(rest, "4");
  keyword.n_dim = take(rest, "n");
  keyword.found = take(rest, "OFF") && (rest.empty() || (rest[0] >= '0' && rest[0] <= '9'));
  keyword.length = word.size() - rest.size();
  return keyword;
}

}  // namespace

bool looks_like_off(std::string_view text) {
  WordReader words(text, 0, 1, '#');
  Word word;
  return words.next(word) && find_keyword(word.text).found;
}

Result<OffHeader> parse_off_header(std::string_view text, const std::string& name) {
  auto error = [&](Cause cause, std::uint64_t line, std::string message) {
    return Error{cause, std::move(message), {name, {}, line}};
  };
  WordReader words(text, 0, 1, '#');
  Word word;
  if (!words.next(word)) return error(Cause::empty, words.line(), "there is nothing in the file");
  OffHeader header;
  std::vector<Word> counts;
  const Keyword keyword = find_keyword(word.text);
  if (keyword.found) {
    if (keyword.four || keyword.n_dim)
      return error(Cause::unsupported, word.line, "only three-dimensional OFF files are supported");
    header.textures = keyword.textures;
    header.colours = keyword.colours;
    header.normals = keyword.normals;
    if (word.text.size() > keyword.length) {
      counts.push_back({word.text.substr(keyword.length), word.begin + keyword.length, word.line});
    } else if (!words.next(word)) {
      return error(Cause::truncated, words.line(), "the file ends before its counts");
    } else if (word.text == "BINARY") {
      return error(Cause::unsupported, word.line, "binary OFF files are not supported");
    }
  }
  // The keyword may be left out: then the first word is a count.
  if (counts.empty()) counts.push_back(word);
  while (words.next_on_line(word)) counts.push_back(word);
  if (counts.size() < 2 || counts.size() > 3) {
    return error(Cause::malformed, counts[0].line,
                 fmt::format("expected OFF and the numbers of vertices, faces and edges, found {}",
                             shown(counts[0].text)));
  }
  std::size_t values[2] = {0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string_view digits = counts[i].text;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), values[i]);
    if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size())
      return error(Cause::malformed, counts[i].line, fmt::format("{} is not a count", shown(digits)));
  }
  words.skip_line();
  header.vertices = values[0];
  header.faces = values[1];
  header.body = words.position();
  header.body_line = words.line();
  // "0 0 0\n" and "0\n" are the shortest lines; the last one needs no line end.
  const std::size_t left = words.left() + 1;
  if (header.vertices > left / 6 || header.faces > (left - 6 * header.vertices) / 2) {
    return error(Cause::truncated, counts[0].line,
                 fmt::format("the counts promise {} vertices and {} faces, but only {} bytes follow",
                             header.vertices, header.faces, words.left()));
  }
  if (header.vertices > std::numeric_limits<std::uint32_t>::max())
    return error(Cause::too_large, counts[0].line, fmt::format("{} vertices are too many", header.vertices));
  return header;
}

}  // namespace pmtr
