// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "broken.h"
#include "mesh.h"
#include "poses.h"
#include "record.h"
#include "work.h"

// Everything that does without torch. pmtr/*.py is what people call; it says what arguments mean.
PYBIND11_MODULE(_geometry, module) {
  using namespace pmtr::python;
  prepare_module();
  bind_mesh(module);
  bind_poses(module);
  bind_broken(module);
  bind_record(module);
}
