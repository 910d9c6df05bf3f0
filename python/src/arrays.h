// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <Eigen/Core>

#include "pmtr/core/rigid3.h"

namespace pmtr::python {

namespace py = pybind11;

/// Arrays as they come in: looked at where they lie, never converted. What is not as expected is a TypeError
/// that says both. -1 in a shape is any length.
py::array expect_array(py::handle value, const char* name, const py::dtype& type,
                       std::initializer_list<py::ssize_t> shape);
py::array expect_doubles(py::handle value, const char* name, std::initializer_list<py::ssize_t> shape);
py::array expect_ints(py::handle value, const char* name, std::initializer_list<py::ssize_t> shape);

/// The rows of an array that expect_doubles() or expect_ints() let pass. Valid as long as the array is, and
/// as long as nobody resizes it: use it before the interpreter lock is given up.
std::span<const Eigen::Vector3d> rows3(const py::array& array);
template <class T>
std::span<const T> values_of(const py::array& array) {
  return {static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())};
}

/// A 4x4 matrix as a pose. InputError where it is none.
Rigid3 expect_pose(py::handle value, const char* name);
py::array pose_array(const Rigid3& pose);

/// A copy of plain numbers; rows of three for points.
py::array points_array(std::span<const Eigen::Vector3f> points);
py::array points_array(std::span<const Eigen::Vector3d> points);
template <class T>
py::array copy_array(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

std::vector<float> to_floats(std::span<const double> values);
std::vector<Eigen::Vector3f> to_float_rows(std::span<const Eigen::Vector3d> rows);

}  // namespace pmtr::python
