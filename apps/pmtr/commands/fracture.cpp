// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/fracture_batch.h"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.h"
#include "console.h"
#include "progress_bar.h"

namespace pmtr::command {
namespace {

struct FractureArguments {
  FractureBatchOptions batch;
  std::filesystem::path out;
};

int run_fracture(const FractureArguments& arguments) {
  FractureBatchOptions batch = arguments.batch;
  if (batch.files.empty() && batch.shapes.empty()) {
    complain("nothing to break: name meshes, or shapes with --shape");
    return exit_code::usage;
  }
  batch.shape.seed = batch.fracture.seed;
  ProgressBar bar;
  const Result<FractureBatchResult> done = fracture_batch(batch, arguments.out, bar.listener());
  if (!done.ok()) return report_usage(done.error());
  say(fmt::format("{}: {} objects, {} fractures, {} pieces", arguments.out.string(), done->objects,
                  done->fractures, done->pieces));
  return exit_code::done;
}

std::string shape_names() {
  std::vector<const char*> names;
  for (const Shape shape : all_shapes()) names.push_back(shape_name(shape));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Command fracture_command() {
  const auto arguments = std::make_shared<FractureArguments>();
  Command command;
  command.name = "fracture";
  command.summary = "Break whole objects into pieces, in the layout of Breaking Bad";
  command.declare = [arguments](Options& options) {
    FractureBatchOptions& batch = arguments->batch;
    FractureOptions& fracture = batch.fracture;
    options.files("meshes", batch.files, "Closed meshes (OBJ, PLY, STL, OFF, GLB) or cells (.npz)");
    options.texts("--shape", batch.shapes, "NAME", "Shapes that pmtr makes itself: " + shape_names());
    options.folder("-o,--out", arguments->out, "Folder for the results").required();
    options.number("--seed", fracture.seed, "Random seed");
    options.number("--pieces", fracture.pieces, "Pieces per fracture");
    options
        .number("--max-pieces", batch.max_pieces,
                "Draw the number of pieces at random, from --pieces to this")
        .range(2, 1000);
    options.number("--fractures", batch.fractures, "Fractures per object").range(1, 1'000'000);
    options.number("--count", batch.count, "Objects per shape").range(1, 1'000'000);
    options.number(
        "--min-volume", fracture.min_volume_share,
        "Smallest share of the volume that a piece may have (default: 1/40, less for more than 12 pieces)");
    options.number("--roughness", fracture.roughness.amplitude,
                   "Height of the largest bumps, relative to the size of the part that breaks");
    options.number("--wavelength", fracture.roughness.wavelength,
                   "Length of the largest bumps, relative to the size of the part that breaks");
    options.number("--splinter", fracture.roughness.splinter, "0: smooth bumps, 1: splintered like wood");
    options.number("--detail", fracture.detail,
                   "Distance between points of fracture surfaces, relative to the size of the object");
    options.number("--wear", fracture.wear.distance,
                   "How far fracture surfaces are worn down, relative to the size of each piece");
    options.number("--missing", fracture.missing, "Leave out this many pieces, as if they were lost");
    options.file("--foreign", batch.foreign,
                 "Break this mesh too, and add one of its pieces to every fracture");
    options.number("--wall", batch.shape.wall_thickness,
                   "Wall thickness of shapes, relative to their longest side (default: drawn at random)");
    options.number("--around", batch.shape.around, "Vertices around the axis of a shape").range(16, 1024);
    options.text("--category", batch.category, "NAME",
                 "Folder to put the objects in, below --out (default: everyday/<Shape>, or other)");
    options.text("--format", batch.format, "NAME",
                 "ply or obj (default: ply; obj for meshes with materials)");
    options.flag("--scatter", batch.scatter, "Turn every piece at random; object.json holds the poses");
  };
  command.run = [arguments] { return run_fracture(*arguments); };
  return command;
}

}  // namespace pmtr::command
