// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "broken.h"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.h"
#include "mesh.h"
#include "pmtr/dataset/object_cache.h"
#include "pmtr/dataset/pair_sampler.h"
#include "pmtr/dataset/recorded_source.h"
#include "pmtr/evaluate/scattered_object.h"
#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/write_object.h"
#include "work.h"

namespace pmtr::python {
namespace {

using Objects = std::vector<TriangleMesh>;

std::vector<Mesh> meshes_from(const Objects& pieces, const std::vector<std::string>& names) {
  std::vector<Mesh> meshes;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    meshes.push_back(mesh_of(pieces[i], i < names.size() ? names[i] : fmt::format("piece_{}", i)));
  return meshes;
}

/// What fracture_mesh() made, with how it was asked to.
struct Fracture {
  FracturedObject object;
  FractureOptions options;
  std::string source;

  /// Those that were not lost, as a dataset would have them.
  BrokenObject broken() const {
    BrokenObject out;
    out.object = source;
    out.fracture = fmt::format("fractured_{}", options.seed);
    std::vector<std::int32_t> place(object.pieces.size(), -1);
    for (std::size_t i = 0; i < object.pieces.size(); ++i) {
      if (object.pieces[i].missing) continue;
      place[i] = static_cast<std::int32_t>(out.pieces.size());
      out.pieces.push_back(object.pieces[i].mesh);
      out.piece_names.push_back(fmt::format("piece_{}", i));
      out.volumes.push_back(object.pieces[i].volume);
    }
    std::vector<std::vector<std::int32_t>> partners;
    for (const FracturePiece& piece : object.pieces) {
      if (piece.missing) continue;
      std::vector<std::int32_t>& own = partners.emplace_back(piece.mesh.faces.size(), -1);
      for (std::size_t f = 0; f < piece.partner.size(); ++f)
        if (piece.partner[f] >= 0) own[f] = place[static_cast<std::size_t>(piece.partner[f])];
    }
    out.mating = mating_from_partners(out.pieces, std::move(partners), object.exact);
    return out;
  }
};

Fracture fracture(const Mesh& mesh, int pieces, std::uint64_t seed, std::optional<double> min_volume,
                  double roughness, double wavelength, double splinter, double detail, double wear,
                  int missing, py::object callback) {
  const std::shared_ptr<const MeshFile> file = mesh.file();
  Fracture out;
  FractureOptions& options = out.options;
  options.pieces = pieces;
  options.seed = seed;
  options.min_volume_share = min_volume;
  options.roughness.amplitude = roughness;
  options.roughness.wavelength = wavelength;
  options.roughness.splinter = splinter;
  options.detail = detail;
  options.wear.distance = wear;
  options.missing = missing;
  out.source = mesh.name().empty() ? "object" : mesh.name();
  Work work(std::move(callback));
  out.object = work.run([&] { return fracture_mesh(file->mesh, options, work.listener()); });
  return out;
}

ScatteredObject scatter_broken(const BrokenObject& object, std::uint64_t seed,
                               const std::vector<int>& pieces) {
  for (const int piece : pieces)
    if (piece < 0 || static_cast<std::size_t>(piece) >= object.pieces.size())
      raise(invalid_option(fmt::format("pieces: there is no piece {} of {}", piece, object.pieces.size())));
  return scatter(object, pieces, seed);
}

py::list broken_labels(const std::vector<std::vector<std::int32_t>>& partners) {
  py::list out;
  for (const auto& partner : partners) out.append(copy_array(partner));
  return out;
}

std::vector<std::tuple<int, int, double>> mating_of(const BrokenObject& object) {
  std::vector<std::tuple<int, int, double>> out;
  for (const MatingPair& pair : object.mating.pairs) out.emplace_back(pair.a, pair.b, pair.area);
  return out;
}

/// A dataset on disk, listed once and read when asked.
struct Dataset {
  DatasetIndex index;
  ObjectCache cache;
  std::vector<std::pair<std::size_t, std::size_t>> fractures;  ///< object and fracture, by number

  std::string name(std::size_t i) const {
    const auto& [object, fracture] = fractures[i];
    return index.objects[object].name + "/" + index.objects[object].fractures[fracture].name;
  }
};

Dataset list(const std::filesystem::path& root, std::optional<std::filesystem::path> split, int min_parts,
             int max_parts, std::vector<std::string> categories, bool skip_missing,
             const std::optional<std::filesystem::path>& cache) {
  LayoutOptions options;
  options.split = std::move(split);
  options.min_parts = min_parts;
  options.max_parts = max_parts;
  options.categories = std::move(categories);
  options.skip_missing = skip_missing;
  raise_unless_ok(options.validate());
  Work work{py::none()};
  Dataset out{work.run([&] { return list_dataset(root, options, work.listener()); }),
              ObjectCache(cache.value_or("")),
              {}};
  for (std::size_t o = 0; o < out.index.objects.size(); ++o)
    for (std::size_t f = 0; f < out.index.objects[o].fractures.size(); ++f) out.fractures.emplace_back(o, f);
  return out;
}

py::dict fragment_dict(const TrainingFragment& fragment) {
  py::dict out;
  out["points"] = points_array(fragment.cloud.points);
  out["normals"] = points_array(fragment.cloud.normals);
  out["fracture"] = copy_array(fragment.fracture);
  out["mating"] = copy_array(fragment.mating);
  out["object_from_fragment"] = pose_array(fragment.object_from_fragment);
  out["piece"] = fragment.piece;
  out["overlap"] = fragment.overlap;
  return out;
}

py::dict training_pair(const Dataset& dataset, std::uint64_t index, std::uint64_t seed, int points,
                       bool rotate) {
  PairOptions options;
  options.points_per_object = points;
  options.rotate = rotate;
  raise_unless_ok(options.validate());
  if (dataset.fractures.empty()) raise(Error{Cause::empty, "the dataset has no fractures", {}});
  Work work{py::none()};
  const TrainingPair pair = work.run([&]() -> Result<TrainingPair> {
    const auto source = std::make_shared<RecordedSource>(dataset.index, dataset.cache);
    PMTR_TRY(const PairSampler sampler, PairSampler::create({{source, 1.0}}, options, seed));
    return sampler.make_pair(index);
  });
  py::dict out;
  out["source"] = fragment_dict(pair.source);
  out["target"] = fragment_dict(pair.target);
  out["source_from_target"] = pose_array(pair.source_from_target);
  out["object"] = pair.object;
  return out;
}

}  // namespace

void bind_broken(py::module_& module) {
  py::class_<ScatteredObject>(module, "Scattered")
      .def_readonly("path", &ScatteredObject::path)
      .def_readonly("category", &ScatteredObject::category)
      .def_readonly("object_size", &ScatteredObject::object_size)
      .def_readonly("adjacent", &ScatteredObject::adjacent)
      .def_property_readonly("pieces", [](const ScatteredObject& s) { return meshes_from(s.pieces, {}); })
      .def_property_readonly("partners", [](const ScatteredObject& s) { return broken_labels(s.partners); })
      .def_property_readonly("world_from_piece", [](const ScatteredObject& s) {
        py::list out;
        for (const Rigid3& pose : s.world_from_piece) out.append(pose_array(pose));
        return out;
      });
  py::class_<Fracture>(module, "Fracture")
      .def_property_readonly("pieces",
                             [](const Fracture& f) {
                               const BrokenObject broken = f.broken();
                               return meshes_from(broken.pieces, broken.piece_names);
                             })
      .def_property_readonly("partners",
                             [](const Fracture& f) { return broken_labels(f.broken().mating.partner); })
      .def_property_readonly("mating", [](const Fracture& f) { return mating_of(f.broken()); })
      .def_property_readonly("volume", [](const Fracture& f) { return f.object.volume; })
      .def_property_readonly("seed", [](const Fracture& f) { return f.options.seed; })
      .def_readonly("source", &Fracture::source)
      .def("scatter", [](const Fracture& f, std::uint64_t seed,
                         const std::vector<int>& pieces) { return scatter_broken(f.broken(), seed, pieces); })
      .def("save", [](const Fracture& f, const std::filesystem::path& folder, const std::string& format,
                      bool scattered) {
        ObjectContext context;
        context.source = f.source;
        context.options = f.options;
        context.extension = fmt::format(".{}", format);
        context.scatter = scattered;
        Work work{py::none()};
        work.run([&] { return write_object(folder, f.object, context); });
      });
  module.def("fracture", &fracture);
  py::class_<BrokenObject>(module, "Broken")
      .def_property_readonly("name", &BrokenObject::name)
      .def_readonly("category", &BrokenObject::category)
      .def_readonly("volumes", &BrokenObject::volumes)
      .def_property_readonly("pieces",
                             [](const BrokenObject& b) { return meshes_from(b.pieces, b.piece_names); })
      .def_property_readonly("partners",
                             [](const BrokenObject& b) { return broken_labels(b.mating.partner); })
      .def_property_readonly("mating", &mating_of)
      .def("scatter", &scatter_broken);
  py::class_<Dataset>(module, "Dataset")
      .def("__len__", [](const Dataset& d) { return d.fractures.size(); })
      .def("name",
           [](const Dataset& d, std::size_t i) {
             if (i >= d.fractures.size()) throw py::index_error("no such fracture");
             return d.name(i);
           })
      .def("read",
           [](const Dataset& d, std::size_t i) {
             if (i >= d.fractures.size()) throw py::index_error("no such fracture");
             const ObjectFiles& object = d.index.objects[d.fractures[i].first];
             Work work{py::none()};
             return work.run([&] {
               return d.cache.read(d.index, object, object.fractures[d.fractures[i].second], work.listener());
             });
           })
      .def("pair", &training_pair);
  module.def("list_dataset", &list);
}

}  // namespace pmtr::python
