// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "train_arguments.h"

#include <memory>

namespace pmtr::command {

Command train_command(const std::function<int(const TrainArguments&)>& run) {
  const auto arguments = std::make_shared<TrainArguments>();
  Command command;
  command.name = "train";
  command.summary = "Teach a network on broken objects";
  command.declare = [arguments](Options& options) {
    TrainArguments& a = *arguments;
    options.folder("--data", a.data, "Dataset in the layout of Breaking Bad").required();
    options.folder("-o,--out", a.out, "Folder of the run: checkpoints, log, curves, weights").required();
    options.file("--config", a.config, "TOML file with all options (default: the built-in ones)");
    options.file("--cells", a.cells, "Folder with the cells of the dataset's objects, to be broken anew");
    options.file("--generated", a.generated, "Another dataset to learn from, such as pmtr fracture makes");
    options.file("--split", a.split, "Objects to learn from, one per line");
    options.file("--validation", a.validation, "Objects to validate on, one per line");
    options.flag("--skip-missing", a.skip_missing, "Go on where a split names objects that are not there");
    options.file("--warm-start", a.warm_start, "Begin with these weights where their shapes fit");
    options.file("--cache", a.cache, "Folder for prepared objects (default: cache in the run's folder)");
    options.flag("--resume", a.resume, "Go on from the newest checkpoint of the folder");
    options.number("--steps", a.steps, "Updates, instead of the configuration's").range(1, 1'000'000'000);
    options.number("--threads", a.threads, "Threads to use (default: all cores)").range(1, 4096);
    options.number("--loaders", a.loaders, "Threads that prepare pairs on the side (default: 1)")
        .range(1, 256);
    options.number("--workers", a.workers, "Processes on this machine that train together").range(1, 256);
    options
        .number("--measure", a.measure, "Learn nothing: tell how fast N updates are, with and without data")
        .range(1, 10'000);
    options.flag("--print-config", a.print_config, "Print the whole configuration and end");
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
