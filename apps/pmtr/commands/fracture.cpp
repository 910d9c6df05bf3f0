// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "console.h"
#include "pmtr/core/random.h"
#include "pmtr/fracture/cells_file.h"
#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/shapes/shapes.h"
#include "pmtr/fracture/write_object.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "progress_bar.h"

namespace pmtr::command {
namespace {

struct FractureArguments {
  std::vector<std::filesystem::path> files;
  std::vector<std::filesystem::path> shapes;  // names, in a list of their own
  std::filesystem::path out;
  std::uint64_t seed = 0;
  std::optional<int> pieces;
  std::optional<int> max_pieces;
  std::optional<int> fractures;
  std::optional<int> count;
  std::optional<double> min_volume;
  std::optional<double> roughness;
  std::optional<double> wavelength;
  std::optional<double> splinter;
  std::optional<double> detail;
  std::optional<double> wear;
  std::optional<int> missing;
  std::optional<std::filesystem::path> foreign;
  std::optional<double> wall;
  std::optional<int> around;
  std::string category;
  std::string format;
  bool scatter = false;
};

/// Something to break: a mesh, or cells that exist already.
struct Whole {
  std::string source;
  std::string name;      // the folder of the object
  std::string category;  // the folder around it
  std::variant<TriangleMesh, CellComplex> content;
};

Result<Whole> read_whole(const std::filesystem::path& path, const Listener& listener) {
  Whole whole{path.filename().string(), path.stem().string(), "other", {}};
  if (path.extension() == ".npz") {
    PMTR_TRY(CellsFile cells, read_cells_file(path));
    whole.content = std::move(cells.complex);
    return whole;
  }
  PMTR_TRY(MeshFile file, read_mesh_file(path));
  for (const std::string& warning : file.warnings) listener.warn(warning);
  whole.content = std::move(file.mesh);
  return whole;
}

Result<Whole> make_whole(const std::string& name, std::uint64_t seed, const FractureArguments& arguments) {
  const std::optional<Shape> shape = shape_of_name(name);
  if (!shape) {
    return Error{
        Cause::invalid_option,
        fmt::format("there is no shape '{}': bowl, vase, plate, mug, bottle and blob are known", name),
        {}};
  }
  ShapeOptions options;
  options.seed = seed;
  options.wall_thickness = arguments.wall;
  if (arguments.around) options.around = *arguments.around;
  PMTR_TRY(TriangleMesh mesh, make_shape(*shape, options));
  std::string category = name;
  category[0] = static_cast<char>(category[0] - 'a' + 'A');
  return Whole{fmt::format("shape {} of seed {}", name, seed), fmt::format("{}_{}", name, seed),
               "everyday/" + category, std::move(mesh)};
}

FractureOptions options_of(const FractureArguments& a, std::uint64_t seed) {
  FractureOptions options;
  options.seed = seed;
  if (a.pieces) options.pieces = *a.pieces;
  if (a.max_pieces && *a.max_pieces > options.pieces) {
    Random random(seed, 1000005);
    options.pieces +=
        static_cast<int>(random.below(static_cast<std::uint64_t>(*a.max_pieces - options.pieces + 1)));
  }
  options.min_volume_share = a.min_volume;
  if (a.roughness) options.roughness.amplitude = *a.roughness;
  if (a.wavelength) options.roughness.wavelength = *a.wavelength;
  if (a.splinter) options.roughness.splinter = *a.splinter;
  if (a.detail) options.detail = *a.detail;
  if (a.wear) options.wear.distance = *a.wear;
  if (a.missing) options.missing = *a.missing;
  return options;
}

Result<FracturedObject> break_whole(const Whole& whole, const FractureOptions& options,
                                    const Listener& listener) {
  Result<FracturedObject> object =
      std::holds_alternative<CellComplex>(whole.content)
          ? fracture_cells(std::get<CellComplex>(whole.content), options)
          : fracture_mesh(std::get<TriangleMesh>(whole.content), options, listener);
  if (object.ok() || object.error().cause == Cause::invalid_option) return object;
  Error error = object.error();
  error.place.file = whole.source;
  return error;
}

/// Textures need OBJ; all else fits into PLY, which is smaller.
std::string extension_for(const Whole& whole, const std::string& asked) {
  if (!asked.empty()) return "." + asked;
  const auto* mesh = std::get_if<TriangleMesh>(&whole.content);
  return mesh != nullptr && !mesh->materials.empty() ? ".obj" : ".ply";
}

int fail(const Error& error) {
  const int code = report(error);
  return error.cause == Cause::invalid_option ? exit_code::usage : code;
}

int run_fracture(const FractureArguments& a) {
  if (!a.format.empty() && a.format != "ply" && a.format != "obj") {
    complain(fmt::format("the format '{}' is not ply or obj", a.format));
    return exit_code::usage;
  }
  if (a.files.empty() && a.shapes.empty()) {
    complain("nothing to break: name meshes, or shapes with --shape");
    return exit_code::usage;
  }
  ProgressBar bar;
  const Listener listener = bar.listener();
  const std::size_t per_shape = static_cast<std::size_t>(a.count.value_or(1));
  const std::size_t total = a.files.size() + a.shapes.size() * per_shape;
  const auto load = [&](std::size_t i) {
    if (i < a.files.size()) return read_whole(a.files[i], listener);
    const std::size_t k = i - a.files.size();
    return make_whole(a.shapes[k / per_shape].string(), a.seed + k % per_shape, a);
  };
  std::optional<Whole> stranger;
  if (a.foreign) {
    Result<Whole> read = read_whole(*a.foreign, listener);
    if (!read.ok()) return fail(read.error());
    stranger = *std::move(read);
  }
  const int fractures = a.fractures.value_or(1);
  std::size_t written = 0;
  for (std::size_t i = 0; i < total; ++i) {
    const Result<Whole> whole = load(i);
    if (!whole.ok()) return fail(whole.error());
    for (int k = 0; k < fractures; ++k) {
      listener.advance("broken", static_cast<std::int64_t>(i) * fractures + k,
                       static_cast<std::int64_t>(total) * fractures);
      ObjectContext context;
      context.source = whole->source;
      context.cells = std::holds_alternative<CellComplex>(whole->content);
      context.options = options_of(a, a.seed + static_cast<std::uint64_t>(k));
      context.scatter = a.scatter;
      context.extension = extension_for(*whole, a.format);
      Result<FracturedObject> object = break_whole(*whole, context.options, listener);
      if (!object.ok()) return fail(object.error());
      if (stranger) {
        FractureOptions other = context.options;
        other.missing = 0;
        const Result<FracturedObject> broken = break_whole(*stranger, other, listener);
        if (!broken.ok()) return fail(broken.error());
        add_foreign_piece(*object, *broken, other.seed);
      }
      const std::string category = a.category.empty() ? whole->category : a.category;
      const auto folder = a.out / category / whole->name / fmt::format("fractured_{}", k);
      if (const Status status = write_object(folder, *object, context); !status.ok())
        return fail(status.error());
      written += object->pieces.size();
    }
  }
  listener.advance("broken", static_cast<std::int64_t>(total) * fractures,
                   static_cast<std::int64_t>(total) * fractures);
  say(fmt::format("{}: {} objects, {} fractures, {} pieces", a.out.string(), total,
                  total * static_cast<std::size_t>(fractures), written));
  return exit_code::done;
}

}  // namespace

Command fracture_command() {
  const auto arguments = std::make_shared<FractureArguments>();
  Command command;
  command.name = "fracture";
  command.summary = "Break whole objects into pieces, in the layout of Breaking Bad";
  command.declare = [arguments](Options& options) {
    FractureArguments& a = *arguments;
    const FractureOptions d;
    options.files("meshes", a.files, "Closed meshes (OBJ, PLY, STL, OFF, GLB) or cells (.npz)");
    options.files("--shape", a.shapes, "Shapes of our own: bowl, vase, plate, mug, bottle, blob");
    options.folder("-o,--out", a.out, "Folder for the results").required();
    options.number("--seed", a.seed, "Start of the random numbers");
    options.number("--pieces", a.pieces, fmt::format("Pieces of each fracture (default: {})", d.pieces));
    options.number("--max-pieces", a.max_pieces, "Draw the number of pieces, from --pieces to this")
        .range(2, 1000);
    options.number("--fractures", a.fractures, "Fractures of each object (default: 1)").range(1, 1'000'000);
    options.number("--count", a.count, "Objects of each shape (default: 1)").range(1, 1'000'000);
    options.number("--min-volume", a.min_volume,
                   "Least share of the volume of a piece (default: 1/40, less for more than 12 pieces)");
    options.number("--roughness", a.roughness,
                   fmt::format("Height of the largest bumps over the part that breaks (default: {})",
                               d.roughness.amplitude));
    options.number("--wavelength", a.wavelength,
                   fmt::format("Length of the largest bumps over the part that breaks (default: {})",
                               d.roughness.wavelength));
    options.number("--splinter", a.splinter, "0: smooth bumps (default), 1: splintered like wood");
    options.number(
        "--detail", a.detail,
        fmt::format("Distance of points in fracture surfaces over the object (default: {})", d.detail));
    options.number("--wear", a.wear, "How far fracture surfaces wore down, over each piece (default: 0)");
    options.number("--missing", a.missing, "Pieces that are lost (default: 0)");
    options.file("--foreign", a.foreign, "Break this mesh too, and add one of its pieces");
    options.number("--wall", a.wall, "Wall of shapes over their longest side (default: drawn)");
    options.number("--around", a.around, "Vertices around shapes (default: 96)").range(16, 1024);
    options.text("--category", a.category, "NAME",
                 "Folder of the objects (default: everyday/<Shape>, or other)");
    options.text("--format", a.format, "NAME", "ply or obj (default: ply; obj where there are materials)");
    options.flag("--scatter", a.scatter, "Turn every piece at random; object.json holds the poses");
  };
  command.run = [arguments] { return run_fracture(*arguments); };
  return command;
}

}  // namespace pmtr::command
