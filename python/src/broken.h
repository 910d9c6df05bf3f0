// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <pybind11/pybind11.h>

namespace pmtr::python {

/// Breaking objects, datasets of broken ones, and their pieces scattered.
void bind_broken(pybind11::module_& module);

}  // namespace pmtr::python
