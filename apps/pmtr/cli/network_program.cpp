// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "network_program.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "child_process.h"
#include "console.h"

namespace pmtr::command {
namespace {

/// With less address space torch is not loaded, or ends the program while it is, or its BLAS waits forever
/// for memory that never comes: measured with 600 MB.
constexpr rlim_t least_address_space = rlim_t{1000} << 20U;

bool has_too_little_memory() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  if (limit.rlim_cur >= least_address_space) return false;
  complain(fmt::format("memory is limited to {} MB (ulimit -v); the network needs {} MB or more",
                       limit.rlim_cur >> 20U, least_address_space >> 20U));
  return true;
}

}  // namespace

std::optional<std::filesystem::path> find_network_program() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  const std::filesystem::path folder = self.parent_path();
  for (const auto& candidate : {folder / "pmtr-network", folder / PMTR_LIBEXEC_FROM_BIN / "pmtr-network"}) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.lexically_normal();
  }
  return std::nullopt;
}

std::filesystem::path front_program() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const auto& candidate : {self.parent_path() / "pmtr", self.parent_path() / "../../bin/pmtr"}) {
    if (std::filesystem::exists(candidate, error)) return candidate.lexically_normal();
  }
  return "pmtr";
}

int continue_in_network_program(char** argv) {
  const auto program = find_network_program();
  if (!program) {
    complain(
        PMTR_HAS_NETWORK
            ? "the program pmtr-network is missing: this installation is not complete"
            : "this build has no network; build with PMTR_NETWORK=ON (needs libtorch) to use this command");
    return exit_code::failed;
  }
  if (has_too_little_memory()) return exit_code::failed;
  // The kernels bring their own threads. Libraries read these before main, so only the caller can set them;
  // what the user has set stays.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  ::execv(program->c_str(), argv);
  complain(fmt::format("cannot run {}: {}", program->string(), std::strerror(errno)));
  return exit_code::failed;
}

nlohmann::json ask_network_versions(const std::filesystem::path& program) {
  const Result<std::string> answer = output_of(program, {"--versions"});
  if (!answer.ok()) return {{"error", answer.error().text()}};
  nlohmann::json versions = nlohmann::json::parse(*answer, nullptr, /*allow_exceptions=*/false);
  if (!versions.is_object()) return {{"error", "pmtr-network gave no sensible answer"}};
  return versions;
}

}  // namespace pmtr::command
