// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/recorded_source.h"

#include <utility>

#include <fmt/format.h>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

constexpr int most_fractures_drawn = 1000;

}  // namespace

RecordedSource::RecordedSource(DatasetIndex index, ObjectCache cache, double least_volume_share)
    : index_(std::move(index)), cache_(std::move(cache)), least_volume_share_(least_volume_share) {
  PMTR_CHECK(!index_.objects.empty(), "list_dataset gives no empty index");
}

Result<std::shared_ptr<const BrokenObject>> RecordedSource::draw(Random& random) const {
  for (int i = 0; i < most_fractures_drawn; ++i) {
    const ObjectFiles& object = index_.objects[random.below(index_.objects.size())];
    const FractureFiles& fracture = object.fractures[random.below(object.fractures.size())];
    PMTR_TRY(auto broken, cache_.read(index_, object, fracture));
    if (least_volume_share_ > 0.0 && !volume_constrained(broken, least_volume_share_)) continue;
    return std::make_shared<const BrokenObject>(std::move(broken));
  }
  return error_at(index_.root, Cause::empty,
                  fmt::format("{} fractures drawn, none with all pieces above {} of the volume",
                              most_fractures_drawn, least_volume_share_));
}

}  // namespace pmtr
