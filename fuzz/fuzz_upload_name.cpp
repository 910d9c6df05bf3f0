// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "pmtr/core/check.h"
#include "workbench/upload_names.h"

/// Whatever a browser calls its file: it stays below the folder of the fragments.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace command = pmtr::command;
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  const std::string folder = command::folder_name_for(given);
  PMTR_CHECK(!folder.empty() && folder.size() < 80, folder);
  PMTR_CHECK(folder.find_first_of("./\\") == std::string::npos && folder.front() != '-', folder);
  const std::string_view left = given.substr(0, size / 2);
  const std::string_view right = given.substr(size / 2);
  PMTR_CHECK(!command::natural_less(given, given), "less than itself");
  PMTR_CHECK(!(command::natural_less(left, right) && command::natural_less(right, left)), "no order");
  PMTR_CHECK(left == right || command::natural_less(left, right) || command::natural_less(right, left),
             "different and equal");
  const auto name = command::clean_upload_name(given);
  if (!name.ok()) return 0;
  PMTR_CHECK(*name == given, "a name was changed");
  const std::filesystem::path path = (std::filesystem::path("/below") / *name).lexically_normal();
  PMTR_CHECK(path.string().starts_with("/below/"), path.string());
  (void)command::upload_kind(*name);
  return 0;
}
