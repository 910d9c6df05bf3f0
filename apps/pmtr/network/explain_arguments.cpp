// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "explain_arguments.h"

#include <memory>

namespace pmtr::command {

Command explain_command(const std::function<int(const ExplainArguments&)>& run) {
  auto arguments = std::make_shared<ExplainArguments>();
  Command command;
  command.name = "explain";
  command.summary = "Draw how the network sees two fragments: features, proxies and matches";
  command.declare = [arguments](Options& options) {
    ExplainArguments& a = *arguments;
    options.files("files", a.files, "Two fragments: OBJ, PLY, STL, OFF or GLB").required();
    options.folder("-o,--out", a.out, "Folder for features.svg, fragments.svg, matches.svg and explain.json")
        .required();
    options.file("--weights", a.weights, "The network's weights (default: the bundled ones)");
    options
        .number("--object-size", a.object_size,
                "Longest side of the whole object, in the units of the files (default: estimated)")
        .positive();
    options.number("--seed", a.seed, "Random seed");
    options.number("--threads", a.threads, "Threads to use (default: all cores)").range(1, 4096);
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
