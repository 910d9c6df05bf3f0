// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

/// One line of the log: numbers by name, at a step. `kind` is "train" or "validation".
struct LogRecord {
  std::string kind;
  std::int64_t step = 0;
  std::map<std::string, double> values;
};

/// train.jsonl: one JSON object per line, appended as the run goes on.
class TrainingLog {
 public:
  /// Opens the file. Lines after `step` (of a run that was cut off after its last checkpoint) and a line that
  /// was cut in the middle are removed, so that the log reads as if the run had never stopped.
  static Result<TrainingLog> open(const std::filesystem::path& path, std::int64_t step);

  Status add(LogRecord record);
  const std::vector<LogRecord>& records() const { return records_; }

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  std::vector<LogRecord> records_;
};

/// The records of a log as text; lines that are none, such as one that was cut in the middle, are left out.
std::vector<LogRecord> parse_log(std::string_view text);

std::string to_json_line(const LogRecord& record);

}  // namespace pmtr
