// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <string>

#include "pmtr/evaluate/evaluation_file.h"

namespace pmtr {

/// The same samples, put together with more or less of the truth told. Records need PieceRecord::loss.
struct LossRun {
  bool true_labels = false;      ///< the breaks were told
  bool true_neighbours = false;  ///< it was told which pieces touch
  Evaluation evaluation;
};

/// Tables of what is lost at which stage, and a line for every piece that is wrong in the first run; `name`
/// says what was evaluated. Samples that not every run has are left out.
std::string loss_markdown(std::span<const LossRun> runs, const std::string& name);

/// The same for programs: {"version", "config", "runs": [...], "stages": {...}, "pieces": [...]}.
std::string loss_json(std::span<const LossRun> runs);

}  // namespace pmtr
