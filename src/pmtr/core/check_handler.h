// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

namespace pmtr {

/// Called in place of the message and the abort when a PMTR_CHECK fails. It throws, or the abort comes after
/// it. For programs that host others' work, such as a Python interpreter, and must not end with ours.
using CheckHandler = void (*)(const std::string& text);

/// For the whole process, before any work; nullptr is the abort again.
void set_check_handler(CheckHandler handler);

}  // namespace pmtr
