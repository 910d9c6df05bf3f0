// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "arrays.h"

#include <cmath>

#include <fmt/format.h>

#include "work.h"

namespace pmtr::python {
namespace {

std::string shape_words(std::initializer_list<py::ssize_t> shape) {
  std::string text = "(";
  const char* letters = "NMK";
  for (const py::ssize_t side : shape) {
    if (text.size() > 1) text += ", ";
    text += side < 0 ? std::string(1, *letters++) : fmt::format("{}", side);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string found_words(py::handle value) {
  if (value.is_none()) return "None";
  if (!py::isinstance<py::array>(value))
    return fmt::format("{}", py::cast<std::string>(py::type::of(value).attr("__name__")));
  const auto array = py::reinterpret_borrow<py::array>(value);
  const auto shape = py::cast<std::string>(array.attr("shape").attr("__str__")());
  const auto type = py::cast<std::string>(array.dtype().attr("__str__")());
  std::string text = fmt::format("a {} array of shape {}", type, shape);
  if ((array.flags() & py::array::c_style) == 0) text += " that is not C-contiguous";
  return text;
}

}  // namespace

py::array expect_array(py::handle value, const char* name, const py::dtype& type,
                       std::initializer_list<py::ssize_t> shape) {
  constexpr int aligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  const auto fail = [&] {
    const auto wanted = py::cast<std::string>(type.attr("__str__")());
    throw py::type_error(fmt::format("{}: expected a C-contiguous {} array of shape {}, got {}", name, wanted,
                                     shape_words(shape), found_words(value)));
  };
  if (!py::isinstance<py::array>(value)) fail();
  auto array = py::reinterpret_borrow<py::array>(value);
  const bool same_type = py::detail::npy_api::get().PyArray_EquivTypes_(array.dtype().ptr(), type.ptr());
  if (!same_type || (array.flags() & py::array::c_style) == 0 || (array.flags() & aligned) == 0) fail();
  if (array.ndim() != static_cast<py::ssize_t>(shape.size())) fail();
  py::ssize_t axis = 0;
  for (const py::ssize_t side : shape)
    if (array.shape(axis++) != side && side >= 0) fail();
  return array;
}

py::array expect_doubles(py::handle value, const char* name, std::initializer_list<py::ssize_t> shape) {
  return expect_array(value, name, py::dtype::of<double>(), shape);
}

py::array expect_ints(py::handle value, const char* name, std::initializer_list<py::ssize_t> shape) {
  return expect_array(value, name, py::dtype::of<std::int32_t>(), shape);
}

std::span<const Eigen::Vector3d> rows3(const py::array& array) {
  static_assert(sizeof(Eigen::Vector3d) == 3 * sizeof(double));
  return {static_cast<const Eigen::Vector3d*>(array.data()), static_cast<std::size_t>(array.shape(0))};
}

Rigid3 expect_pose(py::handle value, const char* name) {
  const py::array array = expect_doubles(value, name, {4, 4});
  const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> matrix(
      static_cast<const double*>(array.data()));
  Rigid3 pose{matrix.topLeftCorner<3, 3>(), matrix.topRightCorner<3, 1>()};
  const double off = (pose.rotation * pose.rotation.transpose() - Eigen::Matrix3d::Identity()).norm();
  if (!matrix.allFinite() || !(off < 1e-6) || pose.rotation.determinant() < 0.0 ||
      matrix.row(3) != Eigen::RowVector4d(0, 0, 0, 1))
    raise({Cause::malformed, fmt::format("{}: not a rotation and a translation", name), {}});
  return pose;
}

py::array pose_array(const Rigid3& pose) {
  py::array_t<double> array({4, 4});
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(array.mutable_data()) = pose.matrix();
  return array;
}

py::array points_array(std::span<const Eigen::Vector3f> points) {
  py::array_t<double> array({static_cast<py::ssize_t>(points.size()), py::ssize_t{3}});
  double* to = array.mutable_data();
  for (const Eigen::Vector3f& point : points)
    for (int c = 0; c < 3; ++c) *to++ = static_cast<double>(point[c]);
  return array;
}

py::array points_array(std::span<const Eigen::Vector3d> points) {
  py::array_t<double> array({static_cast<py::ssize_t>(points.size()), py::ssize_t{3}});
  double* to = array.mutable_data();
  for (const Eigen::Vector3d& point : points)
    for (int c = 0; c < 3; ++c) *to++ = point[c];
  return array;
}

std::vector<float> to_floats(std::span<const double> values) {
  std::vector<float> floats;
  floats.reserve(values.size());
  for (const double value : values) floats.push_back(static_cast<float>(value));
  return floats;
}

std::vector<Eigen::Vector3f> to_float_rows(std::span<const Eigen::Vector3d> rows) {
  std::vector<Eigen::Vector3f> floats;
  floats.reserve(rows.size());
  for (const Eigen::Vector3d& row : rows) floats.emplace_back(row.cast<float>());
  return floats;
}

}  // namespace pmtr::python
