// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "pmtr/report/record/assembly_json.h"
#include "pmtr/report/record/matrix_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto record = pmtr::parse_assembly_json(text, "fuzz");
  if (!record.ok()) return 0;
  // Whatever is read can be written, and is then read as the same.
  const std::string written = pmtr::assembly_json(record->assembly, record->context);
  const auto again = pmtr::parse_assembly_json(written, "again");
  if (!again.ok() || pmtr::assembly_json(again->assembly, again->context) != written) std::abort();
  (void)pmtr::matrices_csv(*record);
  (void)pmtr::meshlab_project(*record);
  return 0;
}
