// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <memory>

#include "pmtr/systems/system.h"

// The systems, one source each. docs/systems.md says what differs from the code that their authors released.
namespace pmtr {

/// A PointNet for each part, another for the whole heap; no part knows of another but through the heap.
std::unique_ptr<PoseModel> make_global_model(const ParameterScope& scope);
/// Parts one after the other, read and written by gated recurrent units.
std::unique_ptr<PoseModel> make_lstm_model(const ParameterScope& scope);
/// Dynamic graph learning: parts send messages, weighted by what their last poses say (Zhan et al., 2020).
std::unique_ptr<PoseModel> make_dgl_model(const ParameterScope& scope);
/// Neural Shape Mating: edge features and a transformer between two parts (Chen et al., 2022).
std::unique_ptr<PoseModel> make_nsm_model(const ParameterScope& scope);
/// Vector neurons: features that turn with the part (Wu et al., 2023). As released, parts know nothing of
/// each other; correlated, each part's features are mixed by what all parts look like, as the paper has it.
std::unique_ptr<PoseModel> make_wu_model(const ParameterScope& scope);
std::unique_ptr<PoseModel> make_correlated_wu_model(const ParameterScope& scope);

}  // namespace pmtr
