// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr::command {

/// Prints as JSON which torch this is and which BLAS library it really uses, for `pmtr doctor`.
int print_network_versions();

}  // namespace pmtr::command
