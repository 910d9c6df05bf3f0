// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <memory>
#include <vector>

#include <pybind11/pybind11.h>

#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr::python {

/// An assembly with the fragments that it is of.
struct Record {
  AssemblyRecord record;
  std::vector<MeshFile> files;
};

/// Assemblies, their files and pictures, and how near they are to the truth.
void bind_record(pybind11::module_& module);

}  // namespace pmtr::python
