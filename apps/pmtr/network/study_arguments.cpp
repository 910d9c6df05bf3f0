// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "study_arguments.h"

#include <memory>

namespace pmtr::command {

Command study_command(const std::function<int(const StudyArguments&)>& run) {
  auto arguments = std::make_shared<StudyArguments>();
  Command command;
  command.name = "study";
  command.summary =
      "Train and compare the variants of the network that a file lists, and write a table (ablation)";
  command.declare = [arguments](Options& options) {
    StudyArguments& a = *arguments;
    options.file("file", a.file, "TOML file with the variants, the budget and the columns (studies/)")
        .required();
    options
        .folder("-o,--out", a.out,
                "Folder for all runs and the table; run again to continue an interrupted study")
        .required();
    options.files("--known", a.known,
                  "Folders of other studies: what they trained in the same way is not trained again");
    options.file("--data", a.data, "Dataset in the layout of Breaking Bad (if variants are trained)");
    options.file("--cells", a.cells, "Folder with the cells of its objects, as for pmtr train");
    options.file("--validation", a.validation, "File with the objects to evaluate on, one per line");
    options.flag("--skip-missing", a.skip_missing, "Warn about listed objects that are not there, and go on");
    options.file("--warm-start", a.warm_start,
                 "Weights that all variants begin with, but for their matchers; none: begin anew (default: "
                 "those that come with the program)");
    options.text("--shard", a.shard, "I/N",
                 "Only the I-th of N parts of the runs (1/N to N/N); the folders can be merged");
    options.number("--threads", a.threads, "Threads to use (default: all cores)").range(1, 4096);
    options.number("--loaders", a.loaders, "Threads that prepare training pairs in the background")
        .range(1, 256);
    options.number("--memory", a.memory, "Gigabytes that matchers may take (default: what is free)")
        .positive();
    options
        .number("--minutes", a.minutes,
                "Minutes of one core for each system that the file trains by time, instead of the file's")
        .positive();
    options.flag("--tables-only", a.tables_only,
                 "Run nothing, only write the table of the runs that are done");
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
