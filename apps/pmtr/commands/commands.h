// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "command.h"

namespace pmtr::command {

// The commands that need no network, each in its own <name>.cpp.
Command fracture_command();
Command import_command();
Command info_command();
Command doctor_command();
Command dataset_command();
Command report_command();
Command view_command();
Command app_command();

}  // namespace pmtr::command
