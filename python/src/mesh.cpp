// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "mesh.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.h"
#include "pmtr/core/threads.h"
#include "pmtr/fracture/shapes/shapes.h"
#include "pmtr/mesh/io/ply/ply.h"
#include "pmtr/mesh/measures.h"
#include "pmtr/render/part_colours.h"
#include "pmtr/render/png.h"
#include "pmtr/render/render.h"
#include "pmtr/sample/fragment_clouds.h"
#include "work.h"

namespace pmtr::python {
namespace {

/// A read-only array on memory that `owner` keeps alive.
template <class T>
py::array view_of(const std::shared_ptr<const MeshFile>& owner, const T* data, std::size_t rows) {
  const py::capsule keeper(new std::shared_ptr<const MeshFile>(owner),
                           [](void* kept) { delete static_cast<std::shared_ptr<const MeshFile>*>(kept); });
  py::array_t<T> array({static_cast<py::ssize_t>(rows), py::ssize_t{3}}, data, keeper);
  array.attr("flags").attr("writeable") = false;
  return array;
}

Error bad(Cause cause, std::string message) { return {cause, std::move(message), {}}; }

bool finite(std::span<const Eigen::Vector3d> rows) {
  return std::all_of(rows.begin(), rows.end(), [](const Eigen::Vector3d& row) { return row.allFinite(); });
}

py::bytes png_bytes(const Image& image) {
  const std::vector<std::byte> bytes = value_or_raise(encode_png(image));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

py::bytes render(const std::vector<const Mesh*>& meshes, const std::vector<py::object>& poses, int width,
                 int height, int threads) {
  RenderOptions options;
  options.width = width;
  options.height = height;
  raise_unless_ok(options.validate());
  std::vector<std::shared_ptr<const MeshFile>> files;
  std::vector<RenderPart> parts;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    files.push_back(meshes[i]->file());
    RenderPart& part = parts.emplace_back();
    part.mesh = &files.back()->mesh;
    part.colour = part_colour(i);
    if (!poses.empty()) part.world_from_part = expect_pose(poses.at(i), "poses");
  }
  Work work{py::none()};
  const Image image = work.run([&]() -> Result<Image> {
    Threads team(threads);
    return render_scene(parts, options, team);
  });
  return png_bytes(image);
}

py::dict sample(const Mesh& mesh, int points, std::uint64_t seed) {
  const std::shared_ptr<const MeshFile> file = mesh.file();
  SampleOptions options;
  options.points = points;
  options.dense_points = 0;
  options.least_points = 1;
  options.least_dense_points = 1;
  raise_unless_ok(options.validate());
  Work work{py::none()};
  const FragmentClouds clouds =
      work.run([&] { return sample_fragment(file->mesh, 1.0, 1.0, options, Random(seed)); });
  std::vector<Eigen::Vector3d> places;
  for (const Eigen::Vector3f& point : clouds.cloud.points)
    places.emplace_back(point.cast<double>() + clouds.centre);
  py::dict out;
  out["points"] = points_array(places);
  out["normals"] = points_array(clouds.cloud.normals);
  return out;
}

}  // namespace

Mesh::Mesh(py::object vertices, py::object faces, py::object normals, std::string name)
    : vertices_(std::move(vertices)),
      faces_(std::move(faces)),
      normals_(std::move(normals)),
      name_(std::move(name)) {
  check();
}

Mesh::Mesh(std::shared_ptr<const MeshFile> file, bool is_file)
    : file_(std::move(file)), is_file_(is_file), name_(file_->path.string()) {}

/// In place, every time: the arrays belong to the caller, who may have changed them.
void Mesh::check() const {
  const auto points = rows3(expect_doubles(vertices_, "vertices", {-1, 3}));
  if (points.empty()) raise(bad(Cause::empty, "vertices: there are none"));
  if (points.size() > UINT32_MAX) raise(bad(Cause::too_large, "vertices: more than 4294967295"));
  if (!finite(points)) raise(bad(Cause::not_finite, "vertices: a coordinate is NaN or infinite"));
  if (!faces_.is_none()) {
    const py::array faces = expect_ints(faces_, "faces", {-1, 3});
    const auto corners = values_of<std::int32_t>(faces);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (corners[i] < 0 || static_cast<std::size_t>(corners[i]) >= points.size())
        raise(bad(Cause::malformed, fmt::format("faces: face {} names vertex {}, but there are {}", i / 3,
                                                corners[i], points.size())));
    }
  }
  if (!normals_.is_none()) {
    const auto normals = rows3(expect_doubles(normals_, "normals", {-1, 3}));
    if (normals.size() != points.size())
      raise(bad(Cause::mismatch, fmt::format("normals: {} for {} vertices", normals.size(), points.size())));
    if (!finite(normals)) raise(bad(Cause::not_finite, "normals: a number is NaN or infinite"));
  }
}

py::object Mesh::vertices() const {
  if (!file_) return vertices_;
  const auto& vertices = file_->mesh.vertices;
  return view_of(file_, vertices.empty() ? nullptr : vertices.front().data(), vertices.size());
}

py::object Mesh::faces() const {
  if (!file_)
    return faces_.is_none() ? py::object(py::array_t<std::int32_t>(std::vector<py::ssize_t>{0, 3})) : faces_;
  const auto& faces = file_->mesh.faces;
  // Indices beyond int32 cannot be said in such an array; readers allow them, memory hardly does.
  return view_of(file_, faces.empty() ? nullptr : reinterpret_cast<const std::int32_t*>(faces.front().data()),
                 faces.size());
}

py::object Mesh::normals() const {
  if (!file_) return normals_;
  if (file_->mesh.normals.empty()) return py::none();
  return points_array(file_->mesh.normals);
}

py::object Mesh::path() const { return is_file_ ? py::cast(file_->path) : py::none(); }

std::size_t Mesh::vertex_count() const {
  return file_ ? file_->mesh.vertices.size() : static_cast<std::size_t>(py::len(vertices_));
}

std::size_t Mesh::face_count() const {
  if (file_) return file_->mesh.faces.size();
  return faces_.is_none() ? 0 : static_cast<std::size_t>(py::len(faces_));
}

std::shared_ptr<const MeshFile> Mesh::file() const {
  if (file_) return file_;
  check();
  auto file = std::make_shared<MeshFile>();
  file->path = name_;
  TriangleMesh& mesh = file->mesh;
  const auto points = rows3(py::reinterpret_borrow<py::array>(vertices_));
  mesh.vertices.assign(points.begin(), points.end());
  if (!faces_.is_none()) {
    const auto corners = values_of<std::int32_t>(py::reinterpret_borrow<py::array>(faces_));
    mesh.faces.resize(corners.size() / 3);
    for (std::size_t i = 0; i < corners.size(); ++i)
      mesh.faces[i / 3][i % 3] = static_cast<std::uint32_t>(corners[i]);
  }
  if (!normals_.is_none()) mesh.normals = to_float_rows(rows3(py::reinterpret_borrow<py::array>(normals_)));
  return file;
}

Mesh mesh_of(TriangleMesh mesh, std::string name) {
  auto file = std::make_shared<MeshFile>();
  file->path = std::move(name);
  file->mesh = std::move(mesh);
  return Mesh(std::move(file), false);
}

std::vector<MeshFile> files_of(const std::vector<const Mesh*>& meshes) {
  std::vector<MeshFile> files;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    MeshFile& file = files.emplace_back(*meshes[i]->file());
    if (!file.bytes.empty()) continue;
    // Never on disk: written as PLY, under its name or a number.
    file.format = MeshFormat::ply;
    file.bytes = format_ply(file.mesh);
    const std::string name = file.path.filename().string();
    if (name.empty() || name == "." || name == "..") file.path = fmt::format("fragment_{}.ply", i);
    if (file.path.extension() != ".ply") file.path += ".ply";
  }
  return files;
}

void bind_mesh(py::module_& module) {
  py::class_<Mesh>(module, "Mesh")
      .def(py::init<py::object, py::object, py::object, std::string>(), py::arg("vertices"),
           py::arg("faces") = py::none(), py::arg("normals") = py::none(), py::arg("name") = "")
      .def_property_readonly("vertices", &Mesh::vertices)
      .def_property_readonly("faces", &Mesh::faces)
      .def_property_readonly("normals", &Mesh::normals)
      .def_property_readonly("name", &Mesh::name)
      .def_property_readonly("path", &Mesh::path)
      .def_property_readonly("vertex_count", &Mesh::vertex_count)
      .def_property_readonly("face_count", &Mesh::face_count)
      .def_property_readonly("area", [](const Mesh& mesh) { return surface_area(mesh.file()->mesh); })
      .def_property_readonly("volume", [](const Mesh& mesh) { return enclosed_volume(mesh.file()->mesh); })
      .def("moved",
           [](const Mesh& mesh, const py::object& pose) {
             return mesh_of(pmtr::moved(mesh.file()->mesh, expect_pose(pose, "world_from_mesh")),
                            mesh.name());
           })
      .def("write",
           [](const Mesh& mesh, const std::filesystem::path& path) {
             const std::shared_ptr<const MeshFile> file = mesh.file();
             Work work{py::none()};
             work.run([&] { return write_mesh(path, file->mesh); });
           })
      .def("sample", &sample);
  module.def("read_mesh", [](const std::filesystem::path& path) {
    Work work{py::none()};
    auto file = std::make_shared<MeshFile>(work.run([&] { return read_mesh_file(path); }));
    for (const std::string& warning : file->warnings)
      work.listener().warn(fmt::format("{}: {}", path.string(), warning));
    work.finish();
    return Mesh(std::move(file), true);
  });
  module.def("render", &render);
  module.def("shapes", [] {
    std::vector<std::pair<std::string, std::string>> names;
    for (const Shape shape : all_shapes()) names.emplace_back(shape_name(shape), shape_description(shape));
    return names;
  });
  module.def("make_shape",
             [](const std::string& name, std::uint64_t seed, std::optional<double> wall, int around) {
               const std::optional<Shape> shape = shape_of_name(name);
               if (!shape)
                 raise(invalid_option(fmt::format("there is no shape '{}'; pmtr.shapes() lists them", name)));
               ShapeOptions options;
               options.seed = seed;
               options.wall_thickness = wall;
               options.around = around;
               Work work{py::none()};
               return mesh_of(work.run([&] { return make_shape(*shape, options); }), name);
             });
}

}  // namespace pmtr::python
