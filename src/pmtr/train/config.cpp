// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/config.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "pmtr/core/file.h"
#include "pmtr/train/config_keys.h"

namespace pmtr {
namespace {

// The words of the options that have them, in the order of their values.
template <class Enum>
struct Words;
template <>
struct Words<NormScope> {
  static constexpr std::array words = {"fragment", "pair"};
};
template <>
struct Words<TieOrder> {
  static constexpr std::array words = {"index", "reference"};
};
template <>
struct Words<Decay> {
  static constexpr std::array words = {"constant", "cosine"};
};
template <>
struct Words<ProxyKind> {
  static constexpr std::array words = {"none", "separate", "shared"};
};

/// Takes one value if it is of the member's kind; else says what it must be.
class Taker {
 public:
  explicit Taker(const toml::node& node) : node_(node) {}

  std::string operator()(bool& out) const { return take<bool>(out, "true or false"); }
  std::string operator()(double& out) const {
    if (const auto whole = node_.value_exact<std::int64_t>()) {
      out = static_cast<double>(*whole);
      return {};
    }
    return take<double>(out, "a number");
  }
  template <class Integer>
  std::enable_if_t<std::is_integral_v<Integer>, std::string> operator()(Integer& out) const {
    const auto value = node_.value_exact<std::int64_t>();
    if (!value || !std::in_range<Integer>(*value)) return "a whole number";
    out = static_cast<Integer>(*value);
    return {};
  }
  template <class Enum>
  std::enable_if_t<std::is_enum_v<Enum>, std::string> operator()(Enum& out) const {
    const auto& words = Words<Enum>::words;
    const auto text = node_.value_exact<std::string>();
    for (std::size_t i = 0; text && i < words.size(); ++i) {
      if (*text != words[i]) continue;
      out = static_cast<Enum>(i);
      return {};
    }
    return fmt::format("one of \"{}\"", fmt::join(words, "\", \""));
  }
  template <class T, std::size_t N>
  std::string operator()(std::array<T, N>& out) const {
    const std::string wanted = fmt::format("a list of {} numbers", N);
    const toml::array* list = node_.as_array();
    if (list == nullptr || list->size() != N) return wanted;
    for (std::size_t i = 0; i < N; ++i) {
      const auto number = (*list)[i].value<double>();
      if (!number) return wanted;
      out[i] = static_cast<T>(*number);
    }
    return {};
  }

 private:
  template <class T>
  std::string take(T& out, const char* wanted) const {
    const auto value = node_.value_exact<T>();
    if (!value) return wanted;
    out = *value;
    return {};
  }
  const toml::node& node_;
};

/// Writes one value.
struct Text {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(double value) const {
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(float value) const { return (*this)(std::stod(fmt::format("{}", value))); }
  template <class Integer>
  std::enable_if_t<std::is_integral_v<Integer>, std::string> operator()(Integer value) const {
    return fmt::format("{}", value);
  }
  template <class Enum>
  std::enable_if_t<std::is_enum_v<Enum>, std::string> operator()(Enum value) const {
    return fmt::format("\"{}\"", Words<Enum>::words[static_cast<std::size_t>(value)]);
  }
  template <class T, std::size_t N>
  std::string operator()(const std::array<T, N>& values) const {
    std::vector<std::string> parts;
    for (const T value : values) parts.push_back((*this)(value));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
};

/// How many letters must change to make one word of the other.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row[b.size()];
}

std::string nearest(const std::string& word, const std::set<std::string>& known) {
  return *std::min_element(known.begin(), known.end(),
                           [&](const auto& a, const auto& b) { return edits(word, a) < edits(word, b); });
}

Error at(const toml::source_region& region, const std::string& name, std::string message) {
  return {Cause::malformed, std::move(message), {name, {}, region.begin.line}};
}

/// Sections and keys that nobody asked for.
Status find_unknown(const toml::table& table, const std::map<std::string, std::set<std::string>>& known,
                    const std::string& name) {
  std::set<std::string> sections;
  std::set<std::string> all_keys;
  for (const auto& [section, keys] : known) {
    sections.insert(section);
    for (const std::string& key : keys) all_keys.insert(fmt::format("{}.{}", section, key));
  }
  for (const auto& [key, node] : table) {
    const std::string section(key.str());
    const auto found = known.find(section);
    const toml::table* inner = node.as_table();
    if (found == known.end() || inner == nullptr)
      return at(node.source(), name,
                fmt::format("unknown section '{}'; the nearest there is: [{}]", section,
                            nearest(section, sections)));
    for (const auto& [inner_key, value] : *inner) {
      const std::string word(inner_key.str());
      if (!found->second.contains(word))
        return at(value.source(), name,
                  fmt::format("unknown key '{}.{}'; the nearest there is: '{}'", section, word,
                              nearest(fmt::format("{}.{}", section, word), all_keys)));
    }
  }
  return {};
}

}  // namespace

Status DataOptions::validate() const {
  PMTR_TRY_STATUS(pairs.validate());
  if (!(recorded >= 0.0) || !(refractured >= 0.0) || !(generated >= 0.0) ||
      !(recorded + refractured + generated > 0.0))
    return Error{Cause::invalid_option, "recorded, refractured, generated: not negative, one above 0", {}};
  if (min_parts < 2 || max_parts < min_parts)
    return Error{Cause::invalid_option,
                 fmt::format("min_parts {} and max_parts {}: at least 2, in order", min_parts, max_parts),
                 {}};
  if (validation_one_in < 0 || validation_one_in == 1)
    return Error{Cause::invalid_option, "validation_one_in: 0, or 2 and more", {}};
  return {};
}

Status TrainConfig::validate() const {
  PMTR_TRY_STATUS(network.validate());
  PMTR_TRY_STATUS(train.validate());
  return data.validate();
}

Result<TrainConfig> parse_config(std::string_view text, const std::string& name) {
  const toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    const auto& error = parsed.error();
    return at(error.source(), name, std::string(error.description()));
  }
  const toml::table& table = parsed.table();
  TrainConfig config;
  std::map<std::string, std::set<std::string>> known;
  Status status;
  for_each_key(config, [&](const char* section, const char* key, auto& member) {
    known[section].insert(key);
    const toml::node* node = table[section][key].node();
    if (node == nullptr || !status.ok()) return;
    if (const std::string wanted = Taker(*node)(member); !wanted.empty())
      status = at(node->source(), name, fmt::format("{}.{} must be {}", section, key, wanted));
  });
  PMTR_TRY_STATUS(find_unknown(table, known, name));
  PMTR_TRY_STATUS(status);
  if (Status sense = config.validate(); !sense.ok()) {
    Error error = sense.error();
    error.place.file = name;
    return error;
  }
  return config;
}

Result<TrainConfig> read_config(const std::filesystem::path& path) {
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(path, 1 << 20));
  return parse_config(as_text(bytes), path.string());
}

std::string to_toml(const TrainConfig& config) {
  std::string text;
  std::string current;
  TrainConfig copy = config;
  for_each_key(copy, [&](const std::string& section, const char* key, const auto& member) {
    if (section != current) text += fmt::format("{}[{}]\n", current.empty() ? "" : "\n", section);
    current = section;
    text += fmt::format("{} = {}\n", key, Text{}(member));
  });
  return text;
}

}  // namespace pmtr
