// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "local_server.h"
#include "workbench.h"

namespace pmtr::command {

/// How a server of the workbench is set up: many connections, since uploads and slow clients hold one each,
/// and a Content-Security-Policy without a single inline script.
LocalServer::Options workbench_server_options();

/// The page and everything it asks for (docs/app.md has the list). Both must outlive the server's work.
void add_workbench_routes(LocalServer& server, Workbench& workbench);

}  // namespace pmtr::command
