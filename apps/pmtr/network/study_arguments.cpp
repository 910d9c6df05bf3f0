// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "study_arguments.h"

#include <memory>

namespace pmtr::command {

Command study_command(const std::function<int(const StudyArguments&)>& run) {
  auto arguments = std::make_shared<StudyArguments>();
  Command command;
  command.name = "study";
  command.summary = "Train and compare variants of the network, as a file lists them; writes a table";
  command.declare = [arguments](Options& options) {
    StudyArguments& a = *arguments;
    options.file("file", a.file, "TOML file with the variants, the budget and the columns (studies/)")
        .required();
    options
        .folder("-o,--out", a.out, "Folder of all runs and of the table; an interrupted study goes on here")
        .required();
    options.file("--data", a.data, "Dataset in the layout of Breaking Bad (where variants are trained)");
    options.file("--cells", a.cells, "Folder with the cells of its objects, as of pmtr train");
    options.file("--validation", a.validation, "File with the objects to evaluate on, one per line");
    options.flag("--skip-missing", a.skip_missing, "Warn about listed objects that are not there, and go on");
    options.file("--warm-start", a.warm_start,
                 "Weights that all variants begin with, but for their matchers; none: begin anew (default: "
                 "those that come with the program)");
    options.text("--shard", a.shard, "I/N", "Do the I-th of N parts of the runs; the folders can be joined");
    options.number("--threads", a.threads, "Threads to use (default: all cores)").range(1, 4096);
    options.number("--loaders", a.loaders, "Threads that prepare training pairs in the background")
        .range(1, 256);
    options.number("--memory", a.memory, "Gigabytes that matchers may take (default: what is free)")
        .positive();
    options.flag("--tables-only", a.tables_only, "Run nothing: write the table of what is done");
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
