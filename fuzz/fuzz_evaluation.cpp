// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pmtr/core/check.h"
#include "pmtr/evaluate/evaluation_file.h"

/// What can be read can be summarised and written, and is then read and written as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto evaluation = pmtr::parse_evaluation(text, "fuzz");
  if (!evaluation.ok()) return 0;
  const std::string written = pmtr::format_evaluation(*evaluation);
  const auto again = pmtr::parse_evaluation(written, "again");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(pmtr::format_evaluation(*again) == written, "written twice, different");
  const pmtr::Evaluation one[] = {*evaluation};
  const auto merged = pmtr::merge_evaluations(one);  // refuses a sample that is there twice
  PMTR_CHECK(!merged.ok() || merged->samples.size() == evaluation->samples.size(), "samples were lost");
  return 0;
}
