// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "network_versions.h"

#include <link.h>

#include <filesystem>
#include <string>
#include <string_view>

#include <torch/version.h>
#include <nlohmann/json.hpp>

#include "console.h"

namespace pmtr::command {
namespace {

/// Called for each loaded shared library. Debian's libblas.so.3 is a link to the chosen alternative.
int find_libraries(dl_phdr_info* info, std::size_t, void* data) {
  auto& found = *static_cast<nlohmann::json*>(data);
  const std::filesystem::path path(info->dlpi_name);
  const std::string name = path.filename().string();
  std::error_code error;
  auto real = [&] {
    const auto resolved = std::filesystem::canonical(path, error);
    return error ? path.string() : resolved.string();
  };
  for (const std::string_view blas : {"libblas.so", "libopenblas", "libblis", "libmkl_rt"}) {
    if (name.starts_with(blas) && !found.contains("blas")) found["blas"] = real();
  }
  if (name.starts_with("libtorch_cpu.so")) found["library"] = real();
  return 0;
}

}  // namespace

int print_network_versions() {
  nlohmann::json versions{{"torch", TORCH_VERSION}};
  dl_iterate_phdr(find_libraries, &versions);
  return print_json(versions);
}

}  // namespace pmtr::command
