// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/pose_json.h"

#include <array>
#include <vector>

#include "pmtr/formats/field_reader.h"

namespace pmtr {

using json_fields::Json;

Json pose_rows(const Rigid3& pose, int rows) {
  Json list = Json::array();
  const Eigen::Matrix4d m = pose.matrix();
  for (int i = 0; i < rows; ++i) list.push_back({m(i, 0), m(i, 1), m(i, 2), m(i, 3)});
  return list;
}

bool convert(const Json& rows, Rigid3& pose) {
  std::vector<std::array<double, 4>> numbers;
  if (!json_fields::convert(rows, numbers) || numbers.size() < 3 || numbers.size() > 4) return false;
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    m.row(static_cast<Eigen::Index>(i)) = Eigen::Map<const Eigen::RowVector4d>(numbers[i].data());
  pose = {m.topLeftCorner<3, 3>(), m.topRightCorner<3, 1>()};
  return m.allFinite() && (m.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).isZero(1e-9) &&
         (pose.rotation * pose.rotation.transpose() - Eigen::Matrix3d::Identity()).isZero(1e-4) &&
         pose.rotation.determinant() > 0;
}

Result<Rigid3> pose_at(const Json& object, const char* key, const json_fields::Where& where) {
  const Json* found = json_fields::find(object, key);
  if (found == nullptr || !found->is_array() || found->size() != 4) return where.error(key, "a 4x4 matrix");
  std::array<std::array<double, 4>, 4> numbers;
  if (!json_fields::convert(*found, numbers)) return where.error(key, "a list of 4 numbers");
  Rigid3 pose;
  if (!convert(*found, pose)) return where.error(key, "a rotation and a translation");
  return pose;
}

}  // namespace pmtr
