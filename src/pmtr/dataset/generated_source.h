// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pmtr/dataset/fracture_source.h"
#include "pmtr/fracture/shapes/shapes.h"

namespace pmtr {

struct GeneratedSourceOptions {
  std::vector<std::string> shapes;  ///< names of families (shapes.h); empty: all, each as likely
  int min_pieces = 2;               ///< from here ...
  int max_pieces = 100;             ///< ... to here, by the logarithm: as often 2 to 4 as 50 to 100
  /// Resolution of the shapes (ShapeOptions::around), drawn anew for each. Finer is slower.
  int min_around = 40;
  int max_around = 80;
  double worn = 0.25;      ///< share of objects whose breaks are worn
  double max_wear = 0.01;  ///< WearOptions::distance is drawn up to this

  Status validate() const;
};

/// Shapes of our own, made and broken at every draw: family, proportions, pieces, roughness and wear are
/// drawn. Nothing is kept: making one takes about a tenth of a second of one core, less
/// than a step of training, so no object need be seen twice.
class GeneratedSource : public FractureSource {
 public:
  static Result<std::shared_ptr<GeneratedSource>> create(const GeneratedSourceOptions& options);

  std::string kind() const override { return "generated"; }
  /// Takes one number from the stream, whatever it takes to make the object.
  Result<std::shared_ptr<const BrokenObject>> draw(Random& random) const override;

 private:
  GeneratedSource(const GeneratedSourceOptions& options, std::vector<Shape> shapes)
      : options_(options), shapes_(std::move(shapes)) {}

  GeneratedSourceOptions options_;
  std::vector<Shape> shapes_;
};

}  // namespace pmtr
