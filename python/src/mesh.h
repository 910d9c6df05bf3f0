// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "pmtr/mesh/io/mesh_file.h"

namespace pmtr::python {

namespace py = pybind11;

/// A fragment as Python has it: arrays of the caller, which are kept and not copied, or a mesh of ours, whose
/// arrays are views of it. The library works on a mesh of its own, so a fragment of arrays is copied once
/// when work begins, with the interpreter lock held: what the caller does with the arrays later is no danger.
class Mesh {
 public:
  Mesh(py::object vertices, py::object faces, py::object normals, std::string name);
  explicit Mesh(std::shared_ptr<const MeshFile> file, bool is_file);

  py::object vertices() const;
  py::object faces() const;
  py::object normals() const;
  const std::string& name() const { return name_; }
  /// The file it was read from, or none.
  py::object path() const;
  std::size_t vertex_count() const;
  std::size_t face_count() const;

  /// For the library. Raises InputError where the arrays hold what no mesh may.
  std::shared_ptr<const MeshFile> file() const;

 private:
  void check() const;

  py::object vertices_ = py::none();
  py::object faces_ = py::none();
  py::object normals_ = py::none();
  std::shared_ptr<const MeshFile> file_;
  bool is_file_ = false;
  std::string name_;
};

Mesh mesh_of(TriangleMesh mesh, std::string name);

/// Files for the library, with names of their own for those that have none.
std::vector<MeshFile> files_of(const std::vector<const Mesh*>& meshes);

void bind_mesh(py::module_& module);

}  // namespace pmtr::python
