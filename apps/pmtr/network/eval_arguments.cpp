// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "eval_arguments.h"

#include <memory>

#include <fmt/format.h>

#include "pmtr/dataset/training_pair.h"

namespace pmtr::command {
namespace {

void declare_samples(Options& options, EvaluateOptions& e) {
  options.file("--split", e.layout.split, "Only what this file names");
  options.flag("--skip-missing", e.layout.skip_missing, "Skip what the split names but is not there");
  options.number("--min-parts", e.layout.min_parts, "Only fractures with at least this many pieces")
      .range(2, 1'000'000);
  options.number("--max-parts", e.layout.max_parts, "Only fractures with at most this many pieces")
      .range(2, 1'000'000);
  options.flag("--volume-constrained", e.volume_constrained,
               "Only fractures whose pieces all hold 1/40 of the volume");
  options.flag(
      "--pairs", e.pairs,
      fmt::format("Pairs of touching pieces instead of whole objects: both with at least {} of {} points, "
                  "common surface at least {:g} % of the smaller",
                  PairOptions{}.min_points, PairOptions{}.points_per_object, 100.0 * e.least_overlap));
  options.number("--limit", e.limit, "At most this many samples, spread over the dataset")
      .range(1, 1'000'000'000);
}

void declare_assembly(Options& options, EvalArguments& a) {
  EvaluateOptions& e = a.options;
  options.file("--weights", a.weights,
               "The network's weights (safetensors); none: untrained (default: the bundled ones)");
  options.text("--pose", a.pose, "lgr|matches|surfaces|both",
               fmt::format("Where poses come from (default: {})", a.pose));
  options
      .text("--labels", a.labels, "network|true",
            "Who says where pieces are broken; true: the dataset, to see what better labels would bring")
      .one_of({"network", "true"});
  options.number("--points", e.points, "Points per object that the network sees").range(100, 1'000'000);
  options.number("--dense-points", e.dense_points, "Points per object for the search of poses")
      .range(100, 10'000'000);
  options.number("--break-points", a.break_points,
                 "Sample pieces whose breaks hold fewer points again, more densely; 0: never")
      .range(0, 1'000'000);
  options.number("--noise", a.noise, "Move points at random by this share of the object's size").positive();
  options.number("--triangles", e.triangles, "Decimate pieces to this share of their triangles").positive();
  options.flag("--only-likely", a.only_likely,
               "Leave out pieces without a likely pose, as pmtr assemble does (default: place every piece)");
  options.flag("--estimate-size", e.estimate_size,
               "Estimate the size of the whole object from its pieces (default: the true size is given)");
  options.number("--seed", e.seed, "Seed of the random numbers: how pieces are scattered, and the search");
}

void declare_results(Options& options, EvalArguments& a) {
  options
      .text(
          "--anchor", a.anchor, "counted|left-out",
          "Whether RMSE and PA count the fixed part, which has no error (default: as in the paper, left out "
          "with --pairs and --max-parts 2, counted otherwise)")
      .one_of({"counted", "left-out"});
  options.file("--json", a.json, "Write every sample and the means here");
  options.file("--markdown", a.markdown, "Write the tables here as well");
  options.file("--latex", a.latex, "Write the tables for a paper here");
  options.file("--picture", a.picture, "Write a sheet of the best, median and worst samples (PNG) here");
  options.file("--labels-sheet", a.labels_sheet,
               "Write a sheet of the pieces whose breaks were seen worst (PNG) here: said and true");
}

}  // namespace

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
    declare_samples(options, a.options);
    options.text("--shard", a.shard, "I/N", "Only the I-th of N parts of the samples, from 1/N to N/N");
    declare_assembly(options, a);
    declare_results(options, a);
    options.folder("--cache", a.cache, "Folder that keeps what was read, for the next time");
    options.number("--threads", a.threads, "Threads to use (default: all cores)").range(1, 4096);
    options.flag("--one-by-one", a.options.one_by_one,
                 "One sample after the other, each with all threads: for the time per object");
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
