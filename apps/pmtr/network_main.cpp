// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// pmtr-network: the commands that need torch; pmtr continues here (network_program.h).
#include <string_view>

#include <array>

#include "assemble.h"
#include "console.h"
#include "network_versions.h"

int main(int argc, char** argv) {
  using namespace pmtr::command;
  ignore_broken_pipes();
  if (argc == 2 && std::string_view(argv[1]) == "--versions") return print_network_versions();
  const std::array commands{
      assemble_command(run_assemble),
  };
  return run_command_line(argc, argv, commands);
}
