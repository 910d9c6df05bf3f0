// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <span>
#include <string>

#include "options.h"

namespace pmtr::command {

/// One subcommand. A new one is a file with a function that returns this, and a word in main.cpp (or, if it
/// needs torch, in network_commands.h).
struct Command {
  std::string name;
  std::string summary;  ///< one line, for --help
  /// Binds the options to where their values go. The arguments live as long as the command.
  std::function<void(Options&)> declare;
  /// Returns the exit code. Empty where only pmtr-network can do it (network_program.h).
  std::function<int()> run;
};

/// Parses the command line, runs the chosen command and returns the exit code. Usage errors are reported
/// here, in one style. A command without `run` is handed to pmtr-network once its options are known good.
int run_command_line(int argc, char** argv, std::span<const Command> commands);

}  // namespace pmtr::command
