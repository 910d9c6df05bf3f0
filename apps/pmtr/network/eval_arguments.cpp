// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "eval_arguments.h"

#include <memory>

namespace pmtr::command {

Command eval_command(const std::function<int(const EvalArguments&)>& run) {
  const auto arguments = std::make_shared<EvalArguments>();
  Command command;
  command.name = "eval";
  command.summary = "Measure how well broken objects are put together";
  command.declare = [arguments](Options& options) {
    EvalArguments& a = *arguments;
    options
        .files("data", a.inputs,
               "Dataset in the layout of Breaking Bad; or: merge A.json B.json ..., to put shards together")
        .required();
    options.file("--weights", a.weights,
                 "The network's weights (safetensors); none: untrained (default: the bundled ones)");
    options.file("--split", a.split, "Only what this file names");
    options.flag("--skip-missing", a.skip_missing, "Go on if the split names what is not there");
    options.number("--min-parts", a.min_parts, "Only fractures with at least so many pieces; 2")
        .range(2, 1'000'000);
    options.number("--max-parts", a.max_parts, "Only fractures with at most so many pieces; 20")
        .range(2, 1'000'000);
    options.flag("--volume-constrained", a.volume_constrained,
                 "Only fractures whose pieces all hold 1/40 of the volume");
    options.flag("--pairs", a.pairs,
                 "Pairs of touching pieces (at least 256 of 5000 points, overlap 3 %), not whole objects");
    options.text("--pose", a.pose, "matches|surfaces|both", "Where poses come from; both");
    options.number("--points", a.points, "Points per object that the network sees; 5000")
        .range(100, 1'000'000);
    options.number("--dense-points", a.dense_points, "Points per object for the search of poses; 20000")
        .range(100, 10'000'000);
    options.number("--noise", a.noise, "Move points at random by this share of the object's size").positive();
    options.number("--triangles", a.triangles, "Decimate pieces to this share of their triangles").positive();
    options.flag(
        "--only-likely", a.only_likely,
        "Leave out pieces of which nothing likely is known, as pmtr assemble does; all are placed else");
    options.flag("--estimate-size", a.estimate_size,
                 "Let the size of the whole object be estimated; it is told otherwise");
    options.number("--limit", a.limit, "At most so many samples, spread over the dataset")
        .range(1, 1'000'000'000);
    options.text("--shard", a.shard, "I/N", "Only the I-th of N parts of the samples, from 1/N to N/N");
    options.file("--json", a.json, "Write every sample and the means here");
    options.file("--markdown", a.markdown, "Write the tables here as well");
    options.file("--latex", a.latex, "Write the tables for a paper here");
    options.file("--picture", a.picture, "Write a sheet of the best, median and worst samples (PNG) here");
    options.file("--cache", a.cache, "Folder to keep what was read in, for the next time");
    options.number("--seed", a.seed, "Start of the random numbers: how pieces are scattered, and the search");
    options.number("--threads", a.threads, "Threads to use (default: all cores)").range(1, 4096);
    options.flag("--one-by-one", a.one_by_one,
                 "One sample after the other, each with all threads: for the time per object");
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
