// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pmtr/core/random.h"
#include "pmtr/core/result.h"
#include "pmtr/dataset/broken_object.h"

namespace pmtr {

/// Where training pairs come from: recorded fractures, refractured cells, generated shapes.
class FractureSource {
 public:
  virtual ~FractureSource() = default;

  /// "recorded", "refractured", "generated": for records and messages.
  virtual std::string kind() const = 0;

  /// A broken object, chosen by the random numbers alone: the same stream gives the same object, whatever was
  /// drawn before. Called from several threads at once.
  virtual Result<std::shared_ptr<const BrokenObject>> draw(Random& random) const = 0;
};

/// A source and how often it is asked, relative to the others.
struct WeightedSource {
  std::shared_ptr<const FractureSource> source;
  double weight = 1.0;
};

}  // namespace pmtr
