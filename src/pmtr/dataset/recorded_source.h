// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/dataset/fracture_source.h"
#include "pmtr/dataset/layout.h"
#include "pmtr/dataset/object_cache.h"

namespace pmtr {

/// The fractures of a dataset. First an object is drawn, each as likely as the other, then one of its
/// fractures: a few objects with many fractures must not outweigh the rest.
class RecordedSource : public FractureSource {
 public:
  /// Objects whose pieces are below this share of the volume are drawn again; 0 takes all.
  RecordedSource(DatasetIndex index, ObjectCache cache, double least_volume_share = 0.0);

  std::string kind() const override { return "recorded"; }
  Result<std::shared_ptr<const BrokenObject>> draw(Random& random) const override;

  const DatasetIndex& index() const { return index_; }

 private:
  DatasetIndex index_;
  ObjectCache cache_;
  double least_volume_share_;
};

}  // namespace pmtr
