// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "train_arguments.h"

#include <memory>

#include <fmt/format.h>

namespace pmtr::command {

Command train_command(const std::function<int(const TrainArguments&)>& run) {
  const auto arguments = std::make_shared<TrainArguments>();
  Command command;
  command.name = "train";
  command.summary = "Train a network on broken objects";
  command.declare = [arguments](Options& options) {
    TrainArguments& a = *arguments;
    TrainingFolders& f = a.folders;
    options.folder("--data", f.data, "Dataset in the layout of Breaking Bad").required();
    options.folder("-o,--out", a.out, "Folder of the run: checkpoints, log, curves, weights").required();
    options.file("--config", a.config, "TOML file with the options (default: as in configs/default.toml)");
    options.text("--system", a.system, "NAME",
                 "Train one of the systems that the paper compares with: global, lstm, dgl, nsm, wu, "
                 "wu-correlated, jigsaw or geotransformer, by default as its authors did");
    options.file("--cells", f.cells,
                 "Folder with the cells of the dataset's objects, to fracture anew as augmentation");
    options.file("--generated", f.generated,
                 "A dataset such as pmtr fracture makes, for the share of generated objects (default: made "
                 "while training)");
    options.file("--split", f.split, "File with the objects to train on, one per line (default: all)");
    options.file("--validation", f.validation,
                 fmt::format("File with the objects to hold out for validation, one per line (default: one "
                             "in {}, or as configured)",
                             DataOptions{}.validation_one_in));
    options.flag("--skip-missing", f.skip_missing, "Warn about listed objects that are not there, and go on");
    options.file("--warm-start", a.warm_start,
                 "Initialise with these weights wherever names and shapes fit (fine-tuning)");
    options.texts(
        "--fresh", a.fresh, "NAME",
        "Do not warm-start tensors whose names begin with this (coarse_matcher. for the coarse matcher)");
    options
        .number("--memory", a.memory,
                "Gigabytes that matchers which look at all pairs of points may take (default: what is free)")
        .positive();
    options.file("--cache", a.cache, "Folder for prepared objects (default: cache in the run's folder)");
    options.flag("--resume", a.resume, "Continue from the newest checkpoint in the run's folder");
    options
        .number("--steps", a.steps,
                fmt::format("Updates of the weights (default: {}, or as configured)", TrainOptions{}.steps))
        .range(1, 1'000'000'000);
    options.number("--threads", a.threads, "Threads to use (default: all cores)").range(1, 4096);
    options
        .number("--loaders", a.loaders,
                fmt::format("Threads that prepare training pairs in the background (default: {})",
                            TrainOptions::usual_loaders))
        .range(1, 256);
    options
        .number("--workers", a.workers,
                "Processes on this machine that train together, data-parallel, each with a batch of its own "
                "(default: 1)")
        .range(1, 256);
    options
        .number("--slurm", a.slurm,
                "Do not train: print a script for sbatch that runs this command on that many machines")
        .range(1, 65536);
    options
        .number("--measure", a.measure,
                "Do not train: measure the speed of this many updates, with and without preparing their data")
        .range(1, 10'000);
    options.flag("--print-config", a.print_config, "Print the complete configuration and exit");
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
