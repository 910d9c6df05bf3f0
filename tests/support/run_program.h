// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "pmtr/core/file.h"
#include "support/temporary_folder.h"

namespace pmtr::test {

struct ProgramResult {
  int exit_code = -1;  ///< -1: ended by a signal
  std::string out;
  std::string err;
};

/// Runs a shell command and collects what it prints. Redirections inside the command win.
inline ProgramResult run_program(const std::string& shell_command) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "out";
  const std::filesystem::path err = folder / "err";
  const std::string line =
      "{ " + shell_command + "; } >" + out.string() + " 2>" + err.string() + " </dev/null";
  const int status = std::system(line.c_str());  // NOLINT(cert-env33-c): test code with fixed text
  auto content = [](const std::filesystem::path& path) {
    const auto bytes = read_file(path);
    return bytes.ok() ? std::string(as_text(*bytes)) : std::string();
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
}

}  // namespace pmtr::test
