// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "pmtr/core/result.h"

namespace pmtr {

/// What a person may ask of an assembly, and what is only repeated in its record. `pmtr assemble` and
/// pmtr.assemble of Python both fill this: the same request gives the same record.
struct AssembleRequest {
  std::uint64_t seed = 0;
  std::optional<double> object_size;  ///< longest side of the whole object, input units; estimated if empty
  std::optional<int> points;          ///< sampled per object for the network
  int objects = 1;                    ///< that the fragments are of, about
  bool place_all = false;             ///< place uncertain fragments too, at their most likely pose
  bool only_confirmed = false;        ///< join only what is confirmed
  bool exhaustive = false;            ///< search every pair in full
  std::string units;                  ///< only repeated in the results; empty: unknown
  std::optional<std::filesystem::path> constraints;  ///< decisions to replay

  Status validate() const;
};

}  // namespace pmtr
