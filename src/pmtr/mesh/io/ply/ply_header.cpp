// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/ply/ply_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/word_reader.h"

namespace pmtr {
namespace {

struct TypeFacts {
  const char* name;
  const char* other_name;
  std::size_t size;
  double smallest;
  double largest;
};

// In the order of PlyType.
constexpr std::array<TypeFacts, 8> type_facts = {{
    {"char", "int8", 1, -128.0, 127.0},
    {"uchar", "uint8", 1, 0.0, 255.0},
    {"short", "int16", 2, -32768.0, 32767.0},
    {"ushort", "uint16", 2, 0.0, 65535.0},
    {"int", "int32", 4, -2147483648.0, 2147483647.0},
    {"uint", "uint32", 4, 0.0, 4294967295.0},
    {"float", "float32", 4, std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()},
    {"double", "float64", 8, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()},
}};

const TypeFacts& facts(PlyType type) { return type_facts[static_cast<std::size_t>(type)]; }

std::optional<PlyType> find_type(std::string_view name) {
  for (std::size_t i = 0; i < type_facts.size(); ++i) {
    if (name == type_facts[i].name || name == type_facts[i].other_name) return static_cast<PlyType>(i);
  }
  return std::nullopt;
}

/// Takes the header line by line. Lines end as the first one does: after a lone CR a LF is already data.
class HeaderLines {
 public:
  explicit HeaderLines(std::string_view text) : text_(text) {
    const std::size_t end = text.find_first_of("\r\n");
    const bool lone_cr = end != std::string_view::npos && text[end] == '\r' && text.substr(end, 2) != "\r\n";
    terminator_ = lone_cr ? '\r' : '\n';
  }
  bool next(std::string_view& line) {
    const std::size_t end = text_.find(terminator_, at_);
    if (end == std::string_view::npos) return false;
    line = text_.substr(at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at_ = end + 1;
    ++number_;
    return true;
  }
  std::size_t position() const { return at_; }
  std::uint64_t number() const { return number_; }  // of the line last taken, from 1

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t number_ = 0;
  char terminator_ = '\n';
};

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> words;
  WordReader reader(line);
  for (Word word; reader.next_on_line(word);) words.push_back(word.text);
  return words;
}

class HeaderParser {
 public:
  HeaderParser(std::span<const std::byte> bytes, const std::string& name)
      : text_(as_text(bytes)), lines_(text_), name_(name) {}

  Result<PlyHeader> parse() {
    std::string_view line;
    if (!lines_.next(line) || line != "ply") {
      return Error{Cause::malformed, "does not begin with the line \"ply\"", {name_, 0, {}}};
    }
    bool ended = false;
    while (!ended) {
      if (!lines_.next(line)) return truncated("the header has no \"end_header\" line");
      PMTR_TRY_STATUS(take_line(line, ended));
    }
    if (!has_format_) return malformed("the header has no \"format\" line");
    header_.body = lines_.position();
    header_.body_line = lines_.number() + 1;
    PMTR_TRY_STATUS(bound_counts());
    return std::move(header_);
  }

 private:
  Error malformed(std::string message) const {
    return {Cause::malformed, std::move(message), {name_, {}, lines_.number()}};
  }
  Error truncated(std::string message) const {
    return {Cause::truncated, std::move(message), {name_, text_.size(), {}}};
  }

  Status take_line(std::string_view line, bool& ended) {
    const std::vector<std::string_view> words = split(line);
    if (words.empty()) return {};
    if (words[0] == "comment") {
      take_comment(line, words);
      return {};
    }
    if (words[0] == "obj_info") return {};
    if (words[0] == "format") return take_format(words);
    if (words[0] == "element") return take_element(words);
    if (words[0] == "property") return take_property(words);
    if (words[0] == "end_header") {
      ended = true;
      return {};
    }
    return malformed(fmt::format("unknown header line {}", shown(line)));
  }

  void take_comment(std::string_view line, const std::vector<std::string_view>& words) {
    if (words.size() < 3 || words[1] != "TextureFile") return;
    // The name is the rest of the line: it may contain spaces.
    std::string_view file = line.substr(static_cast<std::size_t>(words[2].data() - line.data()));
    while (file.ends_with(' ') || file.ends_with('\t')) file.remove_suffix(1);
    header_.texture_files.emplace_back(file);
  }

  Status take_format(const std::vector<std::string_view>& words) {
    if (words.size() < 3 || has_format_) return malformed("a strange \"format\" line");
    if (words[1] == "ascii") {
      header_.encoding = PlyEncoding::ascii;
    } else if (words[1] == "binary_little_endian") {
      header_.encoding = PlyEncoding::little_endian;
    } else if (words[1] == "binary_big_endian") {
      header_.encoding = PlyEncoding::big_endian;
    } else {
      return malformed(fmt::format("unknown PLY encoding {}", shown(words[1])));
    }
    if (words[2] != "1.0") {
      Error error = malformed(fmt::format("PLY version {} is not supported, only 1.0", shown(words[2])));
      error.cause = Cause::unsupported;
      return error;
    }
    has_format_ = true;
    return {};
  }

  Status take_element(const std::vector<std::string_view>& words) {
    if (words.size() != 3) return malformed("an \"element\" line needs a name and a count");
    if (header_.find(std::string(words[1])) != nullptr)
      return malformed(fmt::format("the element {} appears twice", shown(words[1])));
    PlyElement element;
    element.name = words[1];
    const char* end = words[2].data() + words[2].size();
    const auto parsed = std::from_chars(words[2].data(), end, element.count);
    if (parsed.ec != std::errc{} || parsed.ptr != end)
      return malformed(fmt::format("{} is not a count", shown(words[2])));
    header_.elements.push_back(std::move(element));
    return {};
  }

  Status take_property(const std::vector<std::string_view>& words) {
    if (header_.elements.empty()) return malformed("a \"property\" line before any \"element\" line");
    const bool list = words.size() > 1 && words[1] == "list";
    if (words.size() != (list ? 5U : 3U)) return malformed("a \"property\" line needs a type and a name");
    PlyProperty property;
    property.name = words.back();
    if (list) {
      property.count_type = find_type(words[2]);
      if (!property.count_type || !is_whole(*property.count_type))
        return malformed(fmt::format("{} cannot count the entries of a list", shown(words[2])));
    }
    const std::string_view type_word = words[words.size() - 2];
    const std::optional<PlyType> type = find_type(type_word);
    if (!type) return malformed(fmt::format("unknown property type {}", shown(type_word)));
    property.type = *type;
    header_.elements.back().properties.push_back(std::move(property));
    return {};
  }

  /// The rows that are promised must fit into the bytes that follow, before anybody allocates for them.
  Status bound_counts() {
    // The last number of a text file needs no white space after it.
    std::uint64_t left = text_.size() - header_.body + (header_.encoding == PlyEncoding::ascii ? 1 : 0);
    for (PlyElement& element : header_.elements) {
      const std::uint64_t row =
          header_.encoding == PlyEncoding::ascii ? 2 * element.properties.size() : element.row_size();
      if (row == 0) {
        element.count = 0;  // rows of nothing: there is nothing to read
        continue;
      }
      if (element.count > left / row) {
        return truncated(
            fmt::format("the header promises {} rows of {}, at least {} bytes each, but only {} "
                        "bytes are left for them",
                        element.count, shown(element.name), row, left));
      }
      left -= element.count * row;
    }
    return {};
  }

  std::string_view text_;
  HeaderLines lines_;
  const std::string& name_;
  PlyHeader header_;
  bool has_format_ = false;
};

}  // namespace

std::size_t size_of(PlyType type) { return facts(type).size; }
bool is_whole(PlyType type) { return type != PlyType::float32 && type != PlyType::float64; }
const char* type_name(PlyType type) { return facts(type).name; }
double largest(PlyType type) { return facts(type).largest; }
double smallest(PlyType type) { return facts(type).smallest; }

bool PlyElement::has_lists() const {
  return std::any_of(properties.begin(), properties.end(),
                     [](const PlyProperty& property) { return property.count_type.has_value(); });
}

std::uint64_t PlyElement::row_size() const {
  std::uint64_t size = 0;
  for (const PlyProperty& property : properties) size += size_of(property.count_type.value_or(property.type));
  return size;
}

const PlyElement* PlyHeader::find(const std::string& name) const {
  for (const PlyElement& element : elements) {
    if (element.name == name) return &element;
  }
  return nullptr;
}

Result<PlyHeader> parse_ply_header(std::span<const std::byte> bytes, const std::string& name) {
  return HeaderParser(bytes, name).parse();
}

std::array<int, ply_role_count> find_vertex_roles(const PlyElement& vertex) {
  static constexpr std::array<std::array<std::string_view, 4>, ply_role_count> names = {{
      {"x"},
      {"y"},
      {"z"},
      {"nx"},
      {"ny"},
      {"nz"},
      {"red", "diffuse_red", "r"},
      {"green", "diffuse_green", "g"},
      {"blue", "diffuse_blue", "b"},
      {"alpha", "diffuse_alpha", "a"},
      {"s", "u", "texture_u", "texture_s"},
      {"t", "v", "texture_v", "texture_t"},
  }};
  std::array<int, ply_role_count> roles;
  roles.fill(-1);
  for (std::size_t p = 0; p < vertex.properties.size(); ++p) {
    const PlyProperty& property = vertex.properties[p];
    if (property.count_type) continue;
    for (std::size_t role = 0; role < names.size(); ++role) {
      const bool plays =
          std::find(names[role].begin(), names[role].end(), property.name) != names[role].end();
      if (plays && !property.name.empty() && roles[role] < 0) roles[role] = static_cast<int>(p);
    }
  }
  return roles;
}

}  // namespace pmtr
