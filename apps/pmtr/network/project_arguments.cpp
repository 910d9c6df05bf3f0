// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "project_arguments.h"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pmtr/report/record/units.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr::command {

Command project_command(const std::function<int(const ProjectArguments&)>& run) {
  const auto arguments = std::make_shared<ProjectArguments>();
  Command command;
  command.name = "project";
  command.summary = "Put many fragments together in shards, by several processes or a cluster";
  command.declare = [arguments](Options& options) {
    ProjectArguments& a = *arguments;
    AssembleRequest& request = a.request;
    options
        .text("action", a.action, "ACTION",
              "init FOLDER FILES, add FOLDER FILES; encode, match, search (each a --shard), solve; run does "
              "all; "
              "status; slurm writes job scripts")
        .one_of({"init", "add", "encode", "match", "search", "solve", "status", "run", "slurm"})
        .required();
    options.folder("folder", a.folder, "The project").required();
    options.files("files", a.files, "init, add: the fragments: OBJ, PLY, STL, OFF or GLB");
    options.file("--weights", a.weights,
                 "init: the network's weights (default: the bundled ones); they are copied into the project");
    options.number("--seed", request.seed, "init: random seed");
    options
        .number("--object-size", request.object_size,
                "init: longest side of an object, in the units of the files (default: estimated)")
        .positive();
    options
        .number("--objects", request.objects,
                "init: how many similar objects the fragments are of, about: each is sampled like one")
        .range(1, 10000);
    options
        .text("--units", request.units, "NAME",
              fmt::format("init: unit of the files, only named in the results: {}",
                          fmt::join(known_units, ", ")))
        .one_of({known_units.begin(), known_units.end()});
    options
        .number("--points", request.points,
                fmt::format("init: points per object that the network sees (default: {})",
                            SampleOptions{}.points))
        .range(1, 100'000'000);
    options.number("--block", a.block, "init: fragments that a worker loads together, twice").range(1, 10000);
    options.text("--shard", a.shard, "I/N", "encode, match, search: only this part of the work");
    options.number("--workers", a.workers, "run: processes beside each other").range(1, 1024);
    options
        .number("--threads", a.threads,
                "Threads of this process, or of each worker (default: all cores, shared)")
        .range(1, 4096);
    options.folder("-o,--out", a.out,
                   "solve, run, slurm: folder for the results (default: result, in the project)");
    options.flag("--no-report", a.no_report, "solve, run, slurm: write neither report.html nor pictures");
    options.flag("--light", a.light,
                 "solve, run, slurm: write a smaller report.html, with less detail (below 10 MB)");
    options.flag("--place-all", request.place_all,
                 "solve, run, slurm: place uncertain fragments too, at their most likely pose");
    options.flag("--only-confirmed", request.only_confirmed,
                 "solve, run, slurm: join only what is confirmed (default: what is probable as well)");
    options.flag("--json", a.json, "status: print it as JSON");
    options.number("--tasks", a.slurm.tasks, "slurm: tasks of each job array").range(1, 100'000);
    options.text("--time", a.task_need.time, "TIME",
                 "slurm: what a task may take, as sbatch writes it (default: three times what was measured)");
    options.text("--memory", a.task_need.memory, "SIZE",
                 "slurm: memory of a task, as sbatch writes it (default: as measured)");
    options.text("--solve-time", a.solve_need.time, "TIME",
                 "slurm: what solving may take (default: as measured)");
    options.text("--solve-memory", a.solve_need.memory, "SIZE",
                 "slurm: memory for solving (default: as measured)");
    options.text("--partition", a.slurm.partition, "NAME", "slurm: partition (default: the cluster's)");
    options.flag("--submit", a.submit, "slurm: give the jobs to sbatch as well");
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
