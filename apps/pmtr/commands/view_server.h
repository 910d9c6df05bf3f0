// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pmtr/core/result.h"

namespace pmtr::command {

/// Serves one page and takes one kind of request, for the person at this machine and nobody else: bound to
/// 127.0.0.1 at a port that the system chooses, under a path that cannot be guessed. Requests for another
/// host name (DNS rebinding) and from pages of another origin are refused; there are no other files to ask
/// for.
class ViewServer {
 public:
  using Page = std::function<Result<std::string>()>;
  /// Gets the body of a request to solve again; returns a word for the person.
  using Solve = std::function<Result<std::string>(const std::string& body)>;

  ViewServer(Page page, Solve solve);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  /// Takes a port. After that url() is known and requests wait.
  Status bind();
  std::string url() const;

  /// Answers until stop() is called, from any thread. False if it ended by itself.
  bool serve();
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pmtr::command
