// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include "pmtr/evaluate/evaluate_objects.h"
#include "pmtr/evaluate/label_sheet.h"
#include "pmtr/pipeline/assemble_fragments.h"

namespace pmtr {

/// How assemblies are made where they are evaluated, but for what differs from sample to sample. `pose` is
/// lgr, matches, surfaces or both. What the network does, and with `place_all` uncertain pieces as well.
Result<AssembleOptions> evaluated_options(const std::string& pose, bool place_all, std::uint64_t seed,
                                          const FragmentEncoder& encoder);

/// How much of the truth the assembler is told, and what it has to tell.
struct Telling {
  bool true_labels = false;
  bool true_neighbours = false;
  bool explain = false;
};

/// `pmtr assemble` as something to be evaluated. The fragments whose breaks it saw worst go to `worst`, which
/// may be nullptr. Holds references to the encoder and `worst`.
Assembler make_assembler(const FragmentEncoder& encoder, const AssembleOptions& options, Telling telling,
                         WorstLabels* worst);

}  // namespace pmtr
