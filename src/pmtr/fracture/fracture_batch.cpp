// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/fracture_batch.h"

#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pmtr/core/random.h"
#include "pmtr/fracture/cells_file.h"
#include "pmtr/fracture/write_object.h"
#include "pmtr/mesh/io/mesh_file.h"

namespace pmtr {
namespace {

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

Result<Whole> make_whole(const std::string& name, const ShapeOptions& options) {
  const std::optional<Shape> shape = shape_of_name(name);
  if (!shape) {
    std::vector<const char*> known;
    for (const Shape each : all_shapes()) known.push_back(shape_name(each));
    return Error{Cause::invalid_option,
                 fmt::format("there is no shape '{}'; known are: {}", name, fmt::join(known, ", ")),
                 {}};
  }
  PMTR_TRY(TriangleMesh mesh, make_shape(*shape, options));
  std::string category = name;
  category[0] = static_cast<char>(category[0] - 'a' + 'A');
  return Whole{fmt::format("shape {} of seed {}", name, options.seed),
               fmt::format("{}_{}", name, options.seed), "everyday/" + category, std::move(mesh)};
}

FractureOptions options_of_fracture(const FractureBatchOptions& batch, int k) {
  FractureOptions options = batch.fracture;
  options.seed += static_cast<std::uint64_t>(k);
  if (batch.max_pieces && *batch.max_pieces > options.pieces) {
    Random random(options.seed, 1000005);
    options.pieces +=
        static_cast<int>(random.below(static_cast<std::uint64_t>(*batch.max_pieces - options.pieces + 1)));
  }
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

/// Breaks one object once and writes it; returns the number of pieces.
Result<std::int64_t> write_fracture(const Whole& whole, const std::optional<Whole>& foreign, int k,
                                    const FractureBatchOptions& options, const std::filesystem::path& out,
                                    const Listener& listener) {
  ObjectContext context;
  context.source = whole.source;
  context.cells = std::holds_alternative<CellComplex>(whole.content);
  context.options = options_of_fracture(options, k);
  context.scatter = options.scatter;
  context.extension = extension_for(whole, options.format);
  PMTR_TRY(FracturedObject object, break_whole(whole, context.options, listener));
  if (foreign) {
    FractureOptions other = context.options;
    other.missing = 0;
    PMTR_TRY(const FracturedObject broken, break_whole(*foreign, other, listener));
    add_foreign_piece(object, broken, other.seed);
  }
  const std::string category = options.category.empty() ? whole.category : options.category;
  const auto folder = out / category / whole.name / fmt::format("fractured_{}", k);
  PMTR_TRY_STATUS(write_object(folder, object, context));
  return static_cast<std::int64_t>(object.pieces.size());
}

}  // namespace

Status FractureBatchOptions::validate() const {
  const auto wrong = [](std::string message) { return Error{Cause::invalid_option, std::move(message), {}}; };
  if (files.empty() && shapes.empty()) return wrong("nothing to break: neither files nor shapes");
  if (!format.empty() && format != "ply" && format != "obj")
    return wrong(fmt::format("the format '{}' is not ply or obj", format));
  if (count < 1) return wrong("a shape is made at least once");
  if (fractures < 1) return wrong("an object is broken at least once");
  return {};
}

Result<FractureBatchResult> fracture_batch(const FractureBatchOptions& options,
                                           const std::filesystem::path& out, const Listener& listener) {
  PMTR_TRY_STATUS(options.validate());
  const std::size_t per_shape = static_cast<std::size_t>(options.count);
  const std::size_t objects = options.files.size() + options.shapes.size() * per_shape;
  const auto load = [&](std::size_t i) {
    if (i < options.files.size()) return read_whole(options.files[i], listener);
    const std::size_t k = i - options.files.size();
    ShapeOptions shape = options.shape;
    shape.seed += k % per_shape;
    return make_whole(options.shapes[k / per_shape], shape);
  };
  std::optional<Whole> foreign;
  if (options.foreign) {
    PMTR_TRY(foreign, read_whole(*options.foreign, listener));
  }
  FractureBatchResult result;
  const std::int64_t total = static_cast<std::int64_t>(objects) * options.fractures;
  for (std::size_t i = 0; i < objects; ++i) {
    PMTR_TRY(const Whole whole, load(i));
    for (int k = 0; k < options.fractures; ++k) {
      listener.advance("broken", result.fractures, total);
      if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
      PMTR_TRY(const std::int64_t pieces, write_fracture(whole, foreign, k, options, out, listener));
      result.pieces += pieces;
      ++result.fractures;
    }
    ++result.objects;
  }
  listener.advance("broken", result.fractures, total);
  return result;
}

}  // namespace pmtr
