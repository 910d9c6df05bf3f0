// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "pmtr/core/result.h"

namespace httplib {
class ContentReader;
struct Request;
struct Response;
}  // namespace httplib

namespace pmtr::command {

/// Answers the person at this machine and nobody else: bound to 127.0.0.1 at a port that the system chooses,
/// under a path of 128 random bits. Requests for another host name (DNS rebinding) and from pages of another
/// origin are refused, and so is every method and path that was not declared. Whatever changes something
/// must come from a page of this server.
class LocalServer {
 public:
  using Handler = std::function<void(const httplib::Request&, httplib::Response&)>;
  using Receiver =
      std::function<void(const httplib::Request&, httplib::Response&, const httplib::ContentReader&)>;

  struct Options {
    int connections = 8;                                    ///< served side by side; slow clients hold one
    int silence_seconds = 10;                               ///< after which a client is given up
    std::uint64_t body_bytes = std::uint64_t{1} << 20U;     ///< of a JSON request
    std::uint64_t upload_bytes = std::uint64_t{32} << 30U;  ///< of an upload
    std::string policy = "frame-ancestors 'none'";          ///< Content-Security-Policy of every answer
  };

  explicit LocalServer(Options options);
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  // What there is, before bind(). Paths are relative to the page, "" is the page itself; they are taken as
  // they stand, without patterns.
  void get(const std::string& path, Handler handler);
  void post_json(const std::string& path, Handler handler);
  void remove(const std::string& path, Handler handler);
  /// The body comes piece by piece.
  void put(const std::string& path, Receiver receiver);

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

void answer_text(httplib::Response& response, int status, const std::string& text);
/// {"ok": ..., "message": ...}; bad input is 422.
void answer_result(httplib::Response& response, bool ok, const std::string& message);

}  // namespace pmtr::command
