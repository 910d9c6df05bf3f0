// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include "local_server.h"

namespace pmtr::command {

/// Leaves it to the desktop which browser that is. Nothing to say if there is none: the address is printed.
void open_browser(const std::string& url);

/// Blocks Ctrl-C and the like, for serve_until_interrupted. To be called before any thread exists, so that
/// nobody else gets them.
void block_interrupts();

/// Serves until Ctrl-C; `interrupted` is called before the server stops.
void serve_until_interrupted(LocalServer& server, const std::function<void()>& interrupted);

}  // namespace pmtr::command
