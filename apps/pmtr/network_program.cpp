// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "network_program.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "console.h"

extern char** environ;  // NOLINT(readability-identifier-naming): POSIX's name

namespace pmtr::command {

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

int continue_in_network_program(char** argv) {
  const auto program = find_network_program();
  if (!program) {
    complain(
        PMTR_HAS_NETWORK
            ? "the program pmtr-network is missing: this installation is not complete"
            : "this build has no network; build with PMTR_NETWORK=ON (needs libtorch) to use this command");
    return exit_code::failed;
  }
  ::execv(program->c_str(), argv);
  complain(fmt::format("cannot run {}: {}", program->string(), std::strerror(errno)));
  return exit_code::failed;
}

nlohmann::json ask_network_versions(const std::filesystem::path& program) {
  int ends[2];
  if (::pipe(ends) != 0) return {{"error", std::strerror(errno)}};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::string name = program.string();
  std::string argument = "--versions";
  char* arguments[] = {name.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int failure = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failure != 0) {
    ::close(ends[0]);
    return {{"error", std::strerror(failure)}};
  }
  std::string answer;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {{"error", "pmtr-network does not run"}};
  nlohmann::json versions = nlohmann::json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!versions.is_object()) return {{"error", "pmtr-network gave no sensible answer"}};
  return versions;
}

}  // namespace pmtr::command
