// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "eval_arguments.h"

#include <memory>

#include <fmt/format.h>

#include "pmtr/dataset/training_pair.h"
#include "pmtr/pipeline/leave_out.h"

namespace pmtr::command {
namespace {

void declare_samples(Options& options, EvaluateOptions& e) {
  options.file("--split", e.layout.split, "Only the objects or fractures listed in this file");
  options.flag("--skip-missing", e.layout.skip_missing, "Skip what the split lists but the dataset lacks");
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
  options.file(
      "--weights", a.weights,
      "The network's weights (safetensors), or 'none' for untrained ones (default: the bundled ones)");
  options.text("--system", a.system, "NAME",
               "Evaluate one of the systems that the paper compares with: global, lstm, dgl, nsm, wu, "
               "wu-correlated, jigsaw or geotransformer; needs --weights of that system");
  options.text(
      "--pose", a.pose, "lgr|matches|surfaces|both",
      fmt::format(
          "Poses from the network's matches (lgr: by local-to-global registration, as in the paper; matches: "
          "by the frames of the breaks), from the fracture surfaces alone, or both (default: {})",
          a.pose));
  options
      .text("--labels", a.labels, "network|true",
            "Fracture labels of the network, or the true ones of the dataset, as an upper bound")
      .one_of({"network", "true"});
  options.number("--points", e.points, "Points per object that the network sees").range(100, 1'000'000);
  options.number("--dense-points", e.dense_points, "Points per object for the pose search")
      .range(100, 10'000'000);
  options
      .number("--break-points", a.break_points,
              "Sample pieces whose breaks hold fewer points again, more densely; 0: never")
      .range(0, 1'000'000);
  options
      .number(
          "--scar-points", a.scar_points,
          "Sample all pieces of an object in few again, so densely that the surface of the smallest would "
          "hold this many points; 0: never")
      .range(0, 1'000'000);
  options.texts("--without", a.without, "STEP",
                fmt::format("Leave out a step, to see what it is worth: {}", steps_to_leave_out));
  options.number("--noise", a.noise, "Move points at random by this share of the object's size").positive();
  options.number("--triangles", e.triangles, "Decimate pieces to this share of their triangles").positive();
  options.flag("--points-only", e.points_only,
               "Take faces and normals away: pieces are clouds of points, strewn at random");
  options.number("--cloud-points", e.cloud_points, "Points per object with --points-only")
      .range(1000, 100'000'000);
  options.flag("--only-likely", a.only_likely,
               "Leave out pieces without a likely pose, as pmtr assemble does (default: place every piece)");
  options.flag("--estimate-size", e.estimate_size,
               "Estimate the size of the whole object from its pieces (default: the true size is given)");
  options.number("--seed", e.seed, "Random seed, for scattering the pieces and for the search");
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
  options.file("--latex", a.latex, "Write the tables as LaTeX here");
  options.file("--picture", a.picture, "Write a sheet (PNG) of the best, median and worst samples here");
  options.file(
      "--labels-sheet", a.labels_sheet,
      "Write a sheet (PNG) of the pieces with the worst fracture labels here, predicted beside true");
  options.flag("--screening", a.screening,
               "Put the pieces of all samples in one heap and measure how well those that touch are found by "
               "what assembly chooses partners by");
  options.folder("--explain", a.explain,
                 "Write here why every wrong piece is wrong (losses.md, losses.json); runs four times: with "
                 "the network's breaks and the true ones, all pairs and those that touch");
}

}  // namespace

Command eval_command(const std::function<int(const EvalArguments&)>& run) {
  const auto arguments = std::make_shared<EvalArguments>();
  Command command;
  command.name = "eval";
  command.summary = "Measure how well broken objects are put back together";
  command.declare = [arguments](Options& options) {
    EvalArguments& a = *arguments;
    options
        .files("data", a.inputs,
               "Dataset in the layout of Breaking Bad; or: merge A.json B.json ..., to put shards together")
        .required();
    declare_samples(options, a.options);
    options.text("--shard", a.shard, "I/N", "Only the I-th of N parts of the samples (1/N to N/N)");
    declare_assembly(options, a);
    declare_results(options, a);
    options.folder("--cache", a.cache, "Folder that caches prepared objects for later runs");
    options.number("--threads", a.threads, "Threads to use (default: all cores)").range(1, 4096);
    options.flag("--one-by-one", a.options.one_by_one,
                 "One sample after the other, each with all threads: for the time per object");
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
