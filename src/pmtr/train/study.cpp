// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/study.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "pmtr/core/file.h"

namespace pmtr {
namespace {

Error study_error(const std::filesystem::path& path, const toml::node* node, std::string message) {
  Error error{Cause::malformed, std::move(message), {path.string(), {}, {}}};
  if (node != nullptr) error.place.line = node->source().begin.line;
  return error;
}

/// "Shared proxies, both levels" -> "shared_proxies_both_levels".
std::string folder_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  while (out.ends_with('_')) out.pop_back();
  return out;
}

/// The sections of `changes` laid over those of `base`.
void lay_over(toml::table& base, const toml::table& changes) {
  for (const auto& [key, node] : changes) {
    const toml::table* inner = node.as_table();
    toml::table* own = base[key.str()].as_table();
    if (inner != nullptr && own != nullptr) {
      lay_over(*own, *inner);
    } else {
      base.insert_or_assign(key.str(), node);
    }
  }
}

struct Keys {
  const toml::table& table;
  const std::filesystem::path& path;
  std::set<std::string> known{};

  template <class T>
  Result<std::optional<T>> value(const char* key) {
    known.insert(key);
    const toml::node* node = table[key].node();
    if (node == nullptr) return std::optional<T>{};
    const auto found = node->value_exact<T>();
    if (!found) return study_error(path, node, fmt::format("'{}' is of another type", key));
    return std::optional<T>(*found);
  }
  template <class T>
  Result<std::optional<std::vector<T>>> list(const char* key) {
    known.insert(key);
    const toml::node* node = table[key].node();
    if (node == nullptr) return std::optional<std::vector<T>>{};
    std::vector<T> values;
    if (const toml::array* array = node->as_array()) {
      for (const toml::node& entry : *array) {
        const auto found = entry.value_exact<T>();
        if (!found) return study_error(path, &entry, fmt::format("an entry of '{}' is of another type", key));
        values.push_back(*found);
      }
      return std::optional(std::move(values));
    }
    return study_error(path, node, fmt::format("'{}' must be a list", key));
  }
  Status none_unknown() const {
    for (const auto& [key, node] : table) {
      const std::string word(key.str());
      if (known.contains(word)) continue;
      std::string all;
      for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
      return study_error(path, &node, fmt::format("unknown key '{}'; there are: {}", word, all));
    }
    return {};
  }
};

/// What a study says of itself and not of its variants.
struct Budget {
  std::int64_t updates = 0;
  std::int64_t validate_every = 0;
  std::int64_t validation_pairs = 0;
  bool assembly = false;  ///< variants have budgets of their own
  double minutes = 0.0;   ///< of systems that have no updates of their own
};

Result<StudyVariant> read_variant(const toml::table& table, const toml::table& base, const Budget& budget,
                                  const std::filesystem::path& path) {
  StudyVariant variant;
  Keys keys{table, path};
  PMTR_TRY(const auto name, keys.value<std::string>("name"));
  PMTR_TRY(const auto note, keys.value<std::string>("note"));
  PMTR_TRY(const auto system, keys.value<std::string>("system"));
  PMTR_TRY(const auto updates, keys.value<std::int64_t>("updates"));
  PMTR_TRY(const auto minutes, keys.value<double>("minutes"));
  PMTR_TRY(const auto evaluate, keys.list<std::string>("evaluate"));
  if (!budget.assembly && (system || updates || minutes || evaluate))
    return study_error(
        path, &table,
        "'system', 'updates', 'minutes' and 'evaluate' of a variant need evaluation = \"assembly\"");
  if (!name) return study_error(path, &table, "a variant needs a 'name'");
  variant.name = *name;
  variant.note = note.value_or("");
  variant.folder = folder_name(*name);
  if (variant.folder.empty()) return study_error(path, &table, "the name of a variant needs a letter");
  toml::table merged = base;
  toml::table sections = table;
  for (const char* key : {"name", "note", "system", "updates", "minutes", "evaluate"}) sections.erase(key);
  lay_over(merged, sections);
  std::ostringstream text;
  text << merged;
  auto config = parse_config(text.str(), path.string());
  if (!config.ok())
    return study_error(path, &table, fmt::format("variant '{}': {}", variant.name, config.error().message));
  variant.config = *std::move(config);
  variant.changes = text.str();
  variant.system = system.value_or("");
  variant.evaluate = evaluate.value_or(std::vector<std::string>{});
  variant.updates = updates.value_or(budget.updates);
  if (minutes || (variant.updates == 0 && !variant.system.empty()))
    variant.minutes = minutes.value_or(budget.minutes);
  if (variant.updates < 0 || variant.minutes < 0.0 || variant.minutes > 1e6 ||
      (!variant.trained() && !variant.system.empty()))
    return study_error(
        path, &table,
        fmt::format("variant '{}': a system is trained: give its 'updates' or 'minutes'", variant.name));
  if (variant.updates > 0 && variant.minutes > 0.0)
    return study_error(path, &table,
                       fmt::format("variant '{}': 'updates' or 'minutes', not both", variant.name));
  if (budget.assembly && variant.updates > 0) variant.config.train.steps = variant.updates;
  if (budget.updates > 0 && !budget.assembly) variant.config.train.steps = budget.updates;
  if (budget.validate_every > 0) variant.config.train.validate_every = budget.validate_every;
  if (budget.validation_pairs > 0)
    variant.config.train.validation_pairs = static_cast<int>(budget.validation_pairs);
  if (Status sense = variant.config.validate(); !sense.ok())
    return study_error(path, &table, fmt::format("variant '{}': {}", variant.name, sense.error().message));
  return variant;
}

Result<std::vector<PublishedRow>> read_published(const toml::table& table, std::size_t columns,
                                                 const std::filesystem::path& path) {
  std::vector<PublishedRow> rows;
  const toml::node* all = table["published"].node();
  if (all == nullptr) return rows;
  const toml::array* list = all->as_array();
  if (list == nullptr) return study_error(path, all, "'published' must be a list of tables");
  for (const toml::node& node : *list) {
    const toml::table* one = node.as_table();
    if (one == nullptr) return study_error(path, &node, "a published row is a table");
    Keys keys{*one, path};
    PMTR_TRY(const auto name, keys.value<std::string>("name"));
    PMTR_TRY(const auto values, keys.list<double>("values"));
    PMTR_TRY_STATUS(keys.none_unknown());
    if (!name || !values || values->size() != columns)
      return study_error(
          path, &node,
          fmt::format("a published row needs a 'name' and 'values', one for each of the {} published_columns",
                      columns));
    rows.push_back({*name, *values});
  }
  return rows;
}

Result<toml::table> parse_table(std::string_view text, const std::filesystem::path& path) {
  toml::parse_result parsed = toml::parse(text, path.string());
  if (!parsed) {
    const auto& error = parsed.error();
    return Error{
        Cause::malformed, std::string(error.description()), {path.string(), {}, error.source().begin.line}};
  }
  return std::move(parsed).table();
}

}  // namespace

Result<Study> parse_study(std::string_view text, const std::filesystem::path& path) {
  PMTR_TRY(const toml::table table, parse_table(text, path));
  Study study;
  Keys keys{table, path};
  PMTR_TRY(const auto title, keys.value<std::string>("title"));
  PMTR_TRY(const auto evaluation, keys.value<std::string>("evaluation"));
  PMTR_TRY(const auto config, keys.value<std::string>("config"));
  PMTR_TRY(const auto updates, keys.value<std::int64_t>("updates"));
  PMTR_TRY(const auto minutes, keys.value<double>("minutes"));
  PMTR_TRY(const auto validate_every, keys.value<std::int64_t>("validate_every"));
  PMTR_TRY(const auto validation_pairs, keys.value<std::int64_t>("validation_pairs"));
  PMTR_TRY(const auto points, keys.value<std::int64_t>("points"));
  PMTR_TRY(const auto seeds, keys.list<std::int64_t>("seeds"));
  PMTR_TRY(const auto columns, keys.list<std::string>("columns"));
  PMTR_TRY(const auto fresh, keys.list<std::string>("fresh"));
  PMTR_TRY(const auto evaluate, keys.list<std::string>("evaluate"));
  PMTR_TRY(const auto published_columns, keys.list<std::string>("published_columns"));
  keys.known.insert("published");
  keys.known.insert("variant");
  keys.known.insert("all");
  PMTR_TRY_STATUS(keys.none_unknown());
  const auto wrong = [&](const char* message) { return study_error(path, nullptr, message); };
  if (!title || !columns || columns->empty()) return wrong("a study needs a 'title' and 'columns'");
  if (evaluation && *evaluation != "training" && *evaluation != "cost" && *evaluation != "assembly")
    return wrong("evaluation must be \"training\", \"cost\" or \"assembly\"");
  study.title = *title;
  study.columns = *columns;
  study.kind = evaluation == "cost"       ? StudyKind::cost
               : evaluation == "assembly" ? StudyKind::assembly
                                          : StudyKind::training;
  if ((evaluate || minutes) && study.kind != StudyKind::assembly)
    return wrong("'evaluate' and 'minutes' need evaluation = \"assembly\"");
  study.published_columns = published_columns.value_or(std::vector<std::string>{});
  PMTR_TRY(study.published, read_published(table, study.published_columns.size(), path));
  study.evaluate = evaluate.value_or(std::vector<std::string>{});
  if (fresh) study.fresh = *fresh;
  if (points) {
    if (*points < 1000 || *points > 1'000'000) return wrong("points: from 1000 to 1000000");
    study.points = static_cast<int>(*points);
  }
  if (seeds) {
    if (seeds->empty() || *std::min_element(seeds->begin(), seeds->end()) < 0)
      return wrong("seeds: one or more, not negative");
    study.seeds.assign(seeds->begin(), seeds->end());
    if (std::set(seeds->begin(), seeds->end()).size() != seeds->size()) return wrong("seeds: each once");
  }
  Budget budget{updates.value_or(0), validate_every.value_or(0), validation_pairs.value_or(0),
                study.kind == StudyKind::assembly, minutes.value_or(0.0)};
  if (study.kind == StudyKind::training && budget.updates < 1)
    return wrong("'updates' must say how long each variant is trained");
  if (budget.updates < 0 || budget.validate_every < 0 || budget.validation_pairs < 0 ||
      budget.validation_pairs > 1'000'000)
    return wrong("the budget must not be negative");
  toml::table base;
  if (config) {
    const std::filesystem::path file = path.parent_path() / *config;
    PMTR_TRY(const std::vector<std::byte> bytes, read_file(file, 1 << 20));
    PMTR_TRY(base, parse_table(as_text(bytes), file));
  }
  if (const toml::table* all = table["all"].as_table()) lay_over(base, *all);
  const toml::array* variants = table["variant"].as_array();
  if (variants == nullptr || variants->empty()) return wrong("a study needs [[variant]]s");
  std::set<std::string> folders;
  for (const toml::node& node : *variants) {
    const toml::table* one = node.as_table();
    if (one == nullptr) return study_error(path, &node, "a variant is a table");
    PMTR_TRY(StudyVariant variant, read_variant(*one, base, budget, path));
    if (!folders.insert(variant.folder).second)
      return study_error(path, &node, fmt::format("two variants called '{}'", variant.name));
    study.variants.push_back(std::move(variant));
  }
  return study;
}

Result<Study> read_study(const std::filesystem::path& path) {
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(path, 1 << 20));
  return parse_study(as_text(bytes), path);
}

}  // namespace pmtr
