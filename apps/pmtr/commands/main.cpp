// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// pmtr: the command people call. Linked without torch; see network_program.h.
#include <vector>

#include "commands.h"
#include "console.h"
#include "network/network_commands.h"

int main(int argc, char** argv) {
  using namespace pmtr::command;
  ignore_broken_pipes();
  std::vector<Command> commands = network_commands({});  // run by pmtr-network
  for (auto make : {fracture_command, import_command, info_command, dataset_command, report_command,
                    view_command, app_command, doctor_command}) {
    commands.push_back(make());
  }
  return run_command_line(argc, argv, commands);
}
