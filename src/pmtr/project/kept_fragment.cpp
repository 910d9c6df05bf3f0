// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/project/kept_fragment.h"

#include <algorithm>

#include "pmtr/core/check.h"
#include "pmtr/project/kept_fields.h"
#include "pmtr/project/kept_file.h"

namespace pmtr {

// Found by argument, so they stand in the namespace of their types. `Value` is const where fields are
// written.
template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, PointCloud>
void visit_fields(Visit& visit, Value& cloud) {
  visit(cloud.points);
  visit(cloud.normals);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, FragmentClouds>
void visit_fields(Visit& visit, Value& clouds) {
  visit(clouds.dense);
  visit(clouds.cloud);
  visit(clouds.faces);
  visit(clouds.area);
  visit(clouds.centre);
  visit(clouds.unit);
  visit(clouds.object_size);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, BreakPoint>
void visit_fields(Visit& visit, Value& point) {
  visit(point.index);
  visit(point.position);
  visit(point.normal);
  visit(point.z);
  visit(point.x);
  visit(point.rim_distance);
  visit(point.has_x);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, BreakCloud>
void visit_fields(Visit& visit, Value& breaks) {
  visit(breaks.points);
  visit(breaks.support_index);
  visit(breaks.support);
  visit(breaks.support_rim);
  visit(breaks.spacing);
  visit(breaks.diameter);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, FeatureMatrix>
void visit_fields(Visit& visit, Value& matrix) {
  visit(matrix.rows);
  visit(matrix.columns);
  visit(matrix.values);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, RoleFeatures>
void visit_fields(Visit& visit, Value& role) {
  visit(role.coarse);
  visit(role.fine);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, SuperpointPatches>
void visit_fields(Visit& visit, Value& patches) {
  visit(patches.superpoint_of_point);
  visit(patches.offsets);
  visit(patches.points);
}

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, FragmentFeatures>
void visit_fields(Visit& visit, Value& features) {
  visit(features.points);
  visit(features.superpoints);
  visit(features.patches);
  visit(features.fracture);
  visit(features.breaks);
  visit(features.as_source);
  visit(features.as_target);
}

namespace {

bool fits_cloud(const PointCloud& cloud) {
  return cloud.normals.empty() || cloud.normals.size() == cloud.points.size();
}

bool fits_matrix(const FeatureMatrix& matrix, std::size_t rows) {
  if (matrix.rows < 0 || matrix.columns < 0 || static_cast<std::size_t>(matrix.rows) != rows) return false;
  // Neither is more than the values, so the product below cannot overflow.
  if (matrix.rows == 0 || matrix.columns == 0) return matrix.values.empty();
  const std::size_t width = matrix.values.size() / rows;
  return width * rows == matrix.values.size() && width == static_cast<std::size_t>(matrix.columns);
}

bool fits_patches(const SuperpointPatches& patches, std::size_t points, std::size_t superpoints) {
  if (patches.offsets.empty()) return patches.points.empty() && patches.superpoint_of_point.empty();
  if (patches.offsets.size() != superpoints + 1 || patches.superpoint_of_point.size() != points) return false;
  const auto below = [](std::size_t limit) {
    return [limit](std::int32_t i) { return i >= 0 && static_cast<std::size_t>(i) < limit; };
  };
  return patches.offsets.front() == 0 && std::is_sorted(patches.offsets.begin(), patches.offsets.end()) &&
         static_cast<std::size_t>(patches.offsets.back()) == patches.points.size() &&
         std::all_of(patches.points.begin(), patches.points.end(), below(points)) &&
         std::all_of(patches.superpoint_of_point.begin(), patches.superpoint_of_point.end(),
                     below(superpoints));
}

/// Do its lists belong together: later stages take that for granted.
bool is_consistent(const EncodedFragment& fragment) {
  const FragmentClouds& clouds = fragment.clouds;
  const FragmentFeatures& features = fragment.features;
  const BreakCloud& breaks = features.breaks;
  const std::size_t points = features.points.size();
  const std::size_t superpoints = features.superpoints.size();
  return fits_cloud(clouds.dense) && fits_cloud(clouds.cloud) && !clouds.dense.points.empty() &&
         clouds.cloud.points.size() <= clouds.dense.points.size() && clouds.area > 0.0 && clouds.unit > 0.0 &&
         (clouds.faces.empty() || clouds.faces.size() == clouds.dense.points.size()) &&
         (features.fracture.empty() || features.fracture.size() == clouds.dense.points.size()) &&
         fits_cloud(breaks.support) && breaks.support_index.size() == breaks.support.points.size() &&
         breaks.support_rim.size() == breaks.support.points.size() &&
         (breaks.points.empty() || breaks.points.size() == points) &&
         fits_patches(features.patches, points, superpoints) &&
         fits_matrix(features.as_source.coarse, superpoints) &&
         fits_matrix(features.as_source.fine, points) &&
         fits_matrix(features.as_target.coarse, superpoints) &&
         fits_matrix(features.as_target.fine, points) &&
         features.as_source.fine.columns == features.as_target.fine.columns;
}

}  // namespace

std::vector<std::byte> format_fragment(const EncodedFragment& fragment) {
  PMTR_CHECK(fragment.features.unmatched == nullptr, "features that do not depend on a partner");
  PMTR_CHECK(is_consistent(fragment), "an encoded fragment whose lists belong together");
  kept::Put put;
  put(fragment.clouds);
  put(fragment.features);
  return seal_kept(KeptKind::fragment, put.take());
}

Result<EncodedFragment> parse_fragment(std::span<const std::byte> bytes, const std::string& name) {
  PMTR_TRY(const auto body, unseal_kept(bytes, KeptKind::fragment, name));
  return parse_fragment_body(body, name);
}

Result<EncodedFragment> parse_fragment_body(std::span<const std::byte> body, const std::string& name) {
  kept::Get get(body);
  EncodedFragment fragment;
  get(fragment.clouds);
  get(fragment.features);
  if (!get.good())
    return Error{Cause::malformed, "is not an encoded fragment", {name, kept_head + get.place(), {}}};
  if (!get.at_end()) return error_at(name, Cause::malformed, "goes on after its end");
  if (!is_consistent(fragment))
    return error_at(name, Cause::malformed, "has lists that do not belong together");
  return fragment;
}

}  // namespace pmtr
