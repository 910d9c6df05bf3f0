// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "local_server.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

// Last: it includes httplib, which defines _res, a name that Eigen uses.
#include "request_stream.h"

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

/// Dots and the like as they stand.
std::string escaped_pattern(const std::string& path) {
  std::string pattern;
  for (const char c : path) {
    if (std::strchr(R"(.^$|()[]{}*+?\)", c) != nullptr) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::optional<std::uint64_t> announced_length(const httplib::Request& request) {
  const std::string text = request.get_header_value("Content-Length");
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return length;
}

struct Refusal {
  int status;
  const char* why;
};

/// Nothing is compressed on the way to the same machine: httplib would do it with brotli at its highest
/// level, which takes seconds a megabyte. What is given piece by piece with its length it sends as it is.
void send_as_it_is(httplib::Response& response) {
  if (response.body.empty()) return;
  const auto body = std::make_shared<const std::string>(std::exchange(response.body, {}));
  const std::string type = response.get_header_value("Content-Type");
  response.headers.erase("Content-Type");  // set_content_provider would add a second one
  response.set_content_provider(body->size(), type,
                                [body](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                  return sink.write(body->data() + offset, length);
                                });
}

/// One request per connection: whatever httplib is told, it takes the rest of a body that nobody read for the
/// next request, and keeps all of it in memory while it looks for the end of the line.
class OneRequestServer final : public httplib::Server {
 public:
  OneRequestServer(const int& silence_seconds, const std::atomic<bool>& stopped)
      : silence_seconds_(silence_seconds), stopped_(stopped) {}

 private:
  bool process_and_close_socket(socket_t socket) override {
    RequestStream stream(socket, std::chrono::seconds(silence_seconds_), stopped_);
    bool closed = false;
    const bool done = process_request(stream, /*close_connection=*/true, closed, nullptr);
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return done;
  }

  const int& silence_seconds_;
  const std::atomic<bool>& stopped_;
};

}  // namespace

void answer_text(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain; charset=utf-8");
}

void answer_result(httplib::Response& response, bool ok, const std::string& message) {
  response.status = ok ? 200 : 422;
  response.set_content(nlohmann::json{{"ok", ok}, {"message", message}}.dump(
                           -1, ' ', false, nlohmann::json::error_handler_t::replace),
                       "application/json");
}

struct LocalServer::State {
  enum class Kind { get, json, upload, remove };
  struct Route {
    Kind kind;
    Handler handler;
    Receiver receiver;
  };

  Options options;
  std::map<std::pair<std::string, std::string>, Route> routes;  ///< by method and path
  std::string token;
  int port = 0;
  std::atomic<bool> serving{false};
  std::atomic<bool> stopped{false};
  OneRequestServer server{options.silence_seconds, stopped};

  bool is_our_host(const std::string& host) const {
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
  }

  const Route* find(const httplib::Request& request) const {
    const std::string base = "/" + token + "/";
    if (!request.path.starts_with(base)) return nullptr;
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    const auto found = routes.find({method, request.path.substr(base.size())});
    return found == routes.end() ? nullptr : &found->second;
  }

  std::optional<Refusal> refusal(const httplib::Request& request) const {
    const std::string host = request.get_header_value("Host");
    if (request.get_header_value_count("Host") != 1 || !is_our_host(host))
      return Refusal{403, "not this host"};
    const bool has_origin = request.has_header("Origin");
    if (has_origin && request.get_header_value("Origin") != "http://" + host)
      return Refusal{403, "not this origin"};
    // Browsers say who asks, and pages cannot forge it.
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    if (!site.empty() && site != "same-origin" && site != "none")
      return Refusal{403, "not from another page"};
    const Route* route = find(request);
    if (route == nullptr) return Refusal{404, "nothing here"};
    if (route->kind == Kind::get) return std::nullopt;
    if (!has_origin) return Refusal{403, "from the page only"};
    if (route->kind == Kind::remove) return std::nullopt;
    const bool json = route->kind == Kind::json;
    if (json && request.get_header_value("Content-Type") != "application/json")
      return Refusal{415, "JSON only"};
    // A body without a length would be read until the memory is full.
    const std::optional<std::uint64_t> length = announced_length(request);
    if (!length || request.has_header("Transfer-Encoding") ||
        request.get_header_value_count("Content-Length") != 1)
      return Refusal{411, "say the length"};
    if (*length > (json ? options.body_bytes : options.upload_bytes)) return Refusal{413, "too large"};
    return std::nullopt;
  }
};

LocalServer::LocalServer(Options options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}
LocalServer::~LocalServer() = default;

void LocalServer::get(const std::string& path, Handler handler) {
  state_->routes[{"GET", path}] = {State::Kind::get, std::move(handler), {}};
}
void LocalServer::post_json(const std::string& path, Handler handler) {
  state_->routes[{"POST", path}] = {State::Kind::json, std::move(handler), {}};
}
void LocalServer::remove(const std::string& path, Handler handler) {
  state_->routes[{"DELETE", path}] = {State::Kind::remove, std::move(handler), {}};
}
void LocalServer::put(const std::string& path, Receiver receiver) {
  state_->routes[{"PUT", path}] = {State::Kind::upload, {}, std::move(receiver)};
}

Status LocalServer::bind() {
  State& state = *state_;
  PMTR_TRY(state.token, unguessable());
  httplib::Server& server = state.server;
  server.new_task_queue = [count = state.options.connections] {
    return new httplib::ThreadPool(static_cast<std::size_t>(count));
  };
  server.set_payload_max_length(std::max(state.options.body_bytes, state.options.upload_bytes));
  server.set_tcp_nodelay(true);
  server.set_default_headers({{"Cache-Control", "no-store"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"X-Frame-Options", "DENY"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cross-Origin-Resource-Policy", "same-origin"},
                              {"Cross-Origin-Opener-Policy", "same-origin"},
                              {"Content-Security-Policy", state.options.policy}});
  server.set_pre_routing_handler([&state](const httplib::Request& request, httplib::Response& response) {
    const std::optional<Refusal> refused = state.refusal(request);
    if (!refused) return httplib::Server::HandlerResponse::Unhandled;
    answer_text(response, refused->status, refused->why);
    return httplib::Server::HandlerResponse::Handled;
  });
  for (const auto& [key, route] : state.routes) {
    const std::string pattern = "/" + state.token + "/" + escaped_pattern(key.second);
    const Handler answer = [&handler = route.handler](const httplib::Request& request,
                                                      httplib::Response& response) {
      handler(request, response);
      send_as_it_is(response);
    };
    if (route.kind == State::Kind::get) server.Get(pattern, answer);
    if (route.kind == State::Kind::json) server.Post(pattern, answer);
    if (route.kind == State::Kind::remove) server.Delete(pattern, answer);
    if (route.kind == State::Kind::upload) server.Put(pattern, route.receiver);
  }
  state.port = server.bind_to_any_port("127.0.0.1");
  if (state.port <= 0) return Error{Cause::unwritable, "no port of 127.0.0.1 can be taken", {}};
  return {};
}

std::string LocalServer::url() const {
  return fmt::format("http://127.0.0.1:{}/{}/", state_->port, state_->token);
}

bool LocalServer::serve() {
  state_->serving.store(true);
  const bool ended = state_->stopped.load() || state_->server.listen_after_bind();
  state_->serving.store(false);
  return ended || state_->stopped.load();
}

void LocalServer::stop() {
  state_->stopped.store(true);
  // httplib forgets to stop what is about to listen.
  while (state_->serving.load() && !state_->server.is_running())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  state_->server.stop();
}

}  // namespace pmtr::command
