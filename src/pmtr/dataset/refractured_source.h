// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "pmtr/dataset/fracture_source.h"
#include "pmtr/fracture/merge/cell_graph.h"
#include "pmtr/fracture/merge/refracture.h"

namespace pmtr {

struct RefractureSourceOptions {
  int min_pieces = 2;  ///< each number from here ...
  int max_pieces = 8;  ///< ... to here is equally likely; fewer where the cells do not allow it
  /// Few pieces are more likely instead: as often 2 to 4 as 4 to 8 or 50 to 100.
  bool by_logarithm = false;
  RefractureOptions refracture;
  /// Objects kept in memory: reading one takes longer than breaking it.
  int kept = 24;

  Status validate() const;
};

/// Objects that are known cut into cells, broken anew at every draw.
class RefracturedSource : public FractureSource {
 public:
  /// All cells files (.npz) below a folder, named as in the dataset; only those of `objects` unless it is
  /// empty. An error if there are none.
  static Result<std::shared_ptr<RefracturedSource>> open(const std::filesystem::path& folder,
                                                         const std::vector<std::string>& objects,
                                                         const RefractureSourceOptions& options);

  std::string kind() const override { return "refractured"; }
  Result<std::shared_ptr<const BrokenObject>> draw(Random& random) const override;
  std::size_t size() const { return files_.size(); }

 private:
  struct Cells {
    CellComplex complex;
    CellGraph graph;
  };
  struct File {
    std::string object;  ///< "everyday/Bottle/738d"
    std::filesystem::path path;
  };

  RefracturedSource(std::vector<File> files, const RefractureSourceOptions& options)
      : files_(std::move(files)), options_(options) {}
  Result<std::shared_ptr<const Cells>> cells_of(std::size_t file) const;

  std::vector<File> files_;
  RefractureSourceOptions options_;
  mutable std::mutex mutex_;
  mutable std::list<std::pair<std::size_t, std::shared_ptr<const Cells>>> recent_;  ///< newest first
};

}  // namespace pmtr
