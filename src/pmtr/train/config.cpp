// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/config.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "pmtr/core/file.h"
#include "pmtr/network/network_options_values.h"
#include "pmtr/train/config_fields.h"

namespace pmtr {
namespace {

/// A value in TOML, as take_value wants it.
class TomlNode {
 public:
  explicit TomlNode(const toml::node& node) : node_(node) {}

  std::optional<bool> flag() const { return node_.value_exact<bool>(); }
  std::optional<std::int64_t> whole() const { return node_.value_exact<std::int64_t>(); }
  std::optional<double> number() const {
    if (const auto value = whole()) return static_cast<double>(*value);
    return node_.value_exact<double>();
  }
  std::optional<std::string> text() const { return node_.value_exact<std::string>(); }
  std::optional<std::size_t> size() const {
    const toml::array* list = node_.as_array();
    return list == nullptr ? std::nullopt : std::optional(list->size());
  }
  TomlNode operator[](std::size_t i) const { return TomlNode((*node_.as_array())[i]); }

 private:
  const toml::node& node_;
};

template <class T>
std::string toml_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return fmt::format("\"{}\"", word_of(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    const std::string text = fmt::format("{}", as_double(value));
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  } else if constexpr (IsArray<T>::value) {
    std::vector<std::string> parts;
    for (const auto& entry : value) parts.push_back(toml_of(entry));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  } else {
    return fmt::format("{}", value);
  }
}

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

DataOptions DataOptions::reference() {
  DataOptions options;
  options.pairs = PairOptions{};
  options.max_parts = 2;
  return options;
}

TrainConfig TrainConfig::reference() {
  return {NetworkOptions::reference(), TrainOptions::reference(), DataOptions::reference()};
}

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
  return rounds.validate();
}

Status TrainConfig::validate() const {
  PMTR_TRY_STATUS(network.validate());
  PMTR_TRY_STATUS(train.validate());
  return data.validate();
}

Result<TrainConfig> parse_config(std::string_view text, const std::string& name,
                                 const TrainConfig& defaults) {
  const toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    const auto& error = parsed.error();
    return at(error.source(), name, std::string(error.description()));
  }
  const toml::table& table = parsed.table();
  TrainConfig config = defaults;
  std::map<std::string, std::set<std::string>> known;
  Status status;
  for_each_field(config, [&](const char* section, const char* key, auto& member) {
    known[section].insert(key);
    const toml::node* node = table[section][key].node();
    if (node == nullptr || !status.ok()) return;
    if (!take_value(TomlNode(*node), member))
      status =
          at(node->source(), name,
             fmt::format("{}.{} must be {}", section, key, kind_of_value<std::decay_t<decltype(member)>>()));
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

Result<TrainConfig> read_config(const std::filesystem::path& path, const TrainConfig& defaults) {
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(path, 1 << 20));
  return parse_config(as_text(bytes), path.string(), defaults);
}

std::string to_toml(const TrainConfig& config) {
  std::string text;
  std::string current;
  for_each_field(config, [&](const std::string& section, const char* key, const auto& member) {
    if (section != current) text += fmt::format("{}[{}]\n", current.empty() ? "" : "\n", section);
    current = section;
    text += fmt::format("{} = {}\n", key, toml_of(member));
  });
  return text;
}

}  // namespace pmtr
