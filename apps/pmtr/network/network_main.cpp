// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// pmtr-network: the commands that need torch; pmtr continues here (network_program.h).
#include <string_view>
#include <vector>

#include "assemble.h"
#include "bench.h"
#include "console.h"
#include "eval.h"
#include "explain.h"
#include "network_commands.h"
#include "network_versions.h"
#include "pmtr/network/network_memory.h"
#include "pmtr/network/network_threads.h"
#include "project.h"
#include "study.h"
#include "train.h"

int main(int argc, char** argv) {
  using namespace pmtr::command;
  ignore_broken_pipes();
  if (argc == 2 && std::string_view(argv[1]) == "--versions") return print_network_versions();
  pmtr::keep_freed_memory();
  // Torch's own operators run on the thread that calls them: the kernels do the threading, and two teams on
  // one set of cores are slower than one.
  pmtr::set_network_threads(1);
  const std::vector<Command> commands = network_commands({.assemble = run_assemble,
                                                          .train = run_train,
                                                          .eval = run_eval,
                                                          .bench = run_bench,
                                                          .study = run_study,
                                                          .explain = run_explain,
                                                          .project = run_project});
  return run_command_line(argc, argv, commands);
}
