// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/training_log.h"

#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "pmtr/core/file.h"

namespace pmtr {
namespace {

bool parse_line(std::string_view line, LogRecord& record) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string() || !json.contains("step") ||
      !json["step"].is_number_integer())
    return false;
  record.kind = json["kind"];
  record.step = json["step"];
  for (const auto& [key, value] : json.items()) {
    if (key != "step" && value.is_number()) record.values[key] = value;
  }
  return true;
}

}  // namespace

std::vector<LogRecord> parse_log(std::string_view text) {
  std::vector<LogRecord> records;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    LogRecord record;
    if (end != std::string_view::npos && parse_line(text.substr(0, end), record))
      records.push_back(std::move(record));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return records;
}

std::string to_json_line(const LogRecord& record) {
  nlohmann::ordered_json json = {{"kind", record.kind}, {"step", record.step}};
  for (const auto& [name, value] : record.values) json[name] = value;
  return json.dump() + "\n";
}

Result<TrainingLog> TrainingLog::open(const std::filesystem::path& path, std::int64_t step) {
  TrainingLog log;
  log.path_ = path;
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    PMTR_TRY(const std::vector<std::byte> bytes, read_file(path));
    std::string kept;
    std::string_view rest = as_text(bytes);
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      LogRecord record;
      if (end != std::string_view::npos && parse_line(rest.substr(0, end), record) && record.step <= step) {
        kept += rest.substr(0, end + 1);
        log.records_.push_back(std::move(record));
      }
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (kept.size() != bytes.size()) PMTR_TRY_STATUS(write_file(path, kept));
  }
  log.out_.open(path, std::ios::app | std::ios::binary);
  if (!log.out_) return Error{Cause::unwritable, "cannot write the log", {path.string(), {}, {}}};
  return log;
}

Status TrainingLog::add(LogRecord record) {
  out_ << to_json_line(record) << std::flush;
  if (!out_) return Error{Cause::unwritable, "cannot write the log", {path_.string(), {}, {}}};
  records_.push_back(std::move(record));
  return {};
}

}  // namespace pmtr
