// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// pmtr: the command people call. Linked without torch; see network_program.h.
#include <array>

#include "commands.h"
#include "console.h"
#include "network/assemble_arguments.h"
#include "network/bench_arguments.h"
#include "network/eval_arguments.h"
#include "network/train_arguments.h"

int main(int argc, char** argv) {
  using namespace pmtr::command;
  ignore_broken_pipes();
  const std::array commands{
      assemble_command(nullptr),  // run by pmtr-network
      train_command(nullptr),     // these as well
      eval_command(nullptr),     bench_command(nullptr), fracture_command(), import_command(), info_command(),
      dataset_command(),         report_command(),       view_command(),     doctor_command(),
  };
  return run_command_line(argc, argv, commands);
}
