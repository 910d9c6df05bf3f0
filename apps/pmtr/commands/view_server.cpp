// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "view_server.h"

#include <sys/random.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include <fmt/format.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

namespace pmtr::command {
namespace {

/// 128 bits from the system's own source.
Result<std::string> unguessable() {
  std::array<unsigned char, 16> bytes{};
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Error{Cause::unreadable, fmt::format("no random numbers: {}", std::strerror(errno)), {}};
    have += static_cast<std::size_t>(got);
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

void answer(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain; charset=utf-8");
}

void answer_json(httplib::Response& response, bool ok, const std::string& message) {
  response.status = ok ? 200 : 422;
  response.set_content(nlohmann::json{{"ok", ok}, {"message", message}}.dump(
                           -1, ' ', false, nlohmann::json::error_handler_t::replace),
                       "application/json");
}

}  // namespace

struct ViewServer::State {
  Page page;
  Solve solve;
  httplib::Server server;
  std::string token;
  int port = 0;
  std::mutex solving;
  std::atomic<bool> stopped{false};

  bool is_our_host(const std::string& host) const {
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
  }
  bool is_our_origin(const std::string& origin, const std::string& host) const {
    return origin == "http://" + host;
  }

  /// Every request passes here first.
  httplib::Server::HandlerResponse guard(const httplib::Request& request, httplib::Response& response) const {
    const auto refuse = [&](int status, const char* why) {
      answer(response, status, why);
      return httplib::Server::HandlerResponse::Handled;
    };
    const std::string host = request.get_header_value("Host");
    if (request.get_header_value_count("Host") != 1 || !is_our_host(host))
      return refuse(403, "not this host");
    const bool has_origin = request.has_header("Origin");
    if (has_origin && !is_our_origin(request.get_header_value("Origin"), host))
      return refuse(403, "not this origin");
    const bool get = request.method == "GET" || request.method == "HEAD";
    if (get && request.path == "/" + token + "/") return httplib::Server::HandlerResponse::Unhandled;
    if (request.method == "POST" && request.path == "/" + token + "/solve") {
      if (!has_origin) return refuse(403, "from the page only");
      if (request.get_header_value("Content-Type") != "application/json") return refuse(415, "JSON only");
      return httplib::Server::HandlerResponse::Unhandled;
    }
    return refuse(404, "nothing here");
  }
};

ViewServer::ViewServer(Page page, Solve solve) : state_(std::make_unique<State>()) {
  state_->page = std::move(page);
  state_->solve = std::move(solve);
}

ViewServer::~ViewServer() = default;

Status ViewServer::bind() {
  State& state = *state_;
  PMTR_TRY(state.token, unguessable());
  httplib::Server& server = state.server;
  server.set_payload_max_length(1U << 20U);
  server.set_read_timeout(10);
  server.set_keep_alive_max_count(100);
  server.set_default_headers({{"Cache-Control", "no-store"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"X-Frame-Options", "DENY"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cross-Origin-Resource-Policy", "same-origin"},
                              {"Content-Security-Policy", "frame-ancestors 'none'"}});
  server.set_pre_routing_handler([&state](const httplib::Request& request, httplib::Response& response) {
    return state.guard(request, response);
  });
  server.Get("/" + state.token + "/", [&state](const httplib::Request&, httplib::Response& response) {
    Result<std::string> page = state.page();
    if (!page.ok()) return answer(response, 500, page.error().text());
    response.set_content(*std::move(page), "text/html; charset=utf-8");
  });
  server.Post("/" + state.token + "/solve",
              [&state](const httplib::Request& request, httplib::Response& response) {
                const std::lock_guard lock(state.solving);
                const Result<std::string> solved = state.solve(request.body);
                answer_json(response, solved.ok(), solved.ok() ? *solved : solved.error().text());
              });
  state.port = server.bind_to_any_port("127.0.0.1");
  if (state.port <= 0) return Error{Cause::unwritable, "no port of 127.0.0.1 can be taken", {}};
  return {};
}

std::string ViewServer::url() const {
  return fmt::format("http://127.0.0.1:{}/{}/", state_->port, state_->token);
}

bool ViewServer::serve() { return state_->server.listen_after_bind() || state_->stopped.load(); }

void ViewServer::stop() {
  state_->stopped.store(true);
  state_->server.stop();
}

}  // namespace pmtr::command
