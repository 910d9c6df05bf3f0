// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Raw bytes on a connection to the server of `pmtr app`. In them @H stands for its host and @T for its
// secret, which no mutation would find.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "pmtr/core/check.h"
#include "workbench/workbench_routes.h"

namespace {

namespace fs = std::filesystem;
using pmtr::command::LocalServer;
using pmtr::command::Workbench;

/// A server of a folder of its own, made anew now and then: projects pile up in it.
class Target {
 public:
  Target() {
    std::string pattern = (fs::temp_directory_path() / "fuzz_http_XXXXXX").string();
    PMTR_CHECK(::mkdtemp(pattern.data()) != nullptr, "no temporary folder");
    outer_ = pattern;
    pmtr::command::WorkbenchOptions options;
    options.root = outer_ / "projects";
    options.program = "/bin/false";  // assemblies are not what is tried here
    workbench_ = std::make_unique<Workbench>(options, pmtr::Threads::none(), pmtr::Listener{});
    PMTR_CHECK(workbench_->open().ok(), "not opened");
    LocalServer::Options server = pmtr::command::workbench_server_options();
    server.connections = 2;
    server.silence_seconds = 2;
    server_ = std::make_unique<LocalServer>(server);
    pmtr::command::add_workbench_routes(*server_, *workbench_);
    PMTR_CHECK(server_->bind().ok(), "no port");
    serving_ = std::thread([this] { server_->serve(); });
    const std::string url = server_->url();  // http://127.0.0.1:PORT/TOKEN/
    const std::size_t slash = url.find('/', 7);
    host_ = url.substr(7, slash - 7);
    token_ = url.substr(slash + 1, url.size() - slash - 2);
  }
  ~Target() {
    server_->stop();
    serving_.join();
    server_.reset();
    workbench_.reset();
    std::error_code ignored;
    fs::remove_all(outer_, ignored);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  void try_bytes(std::string_view given) {
    const std::string answer = exchange(filled_in(given));
    PMTR_CHECK(answer.empty() || answer.starts_with("HTTP/1.1 "), answer.substr(0, 100));
    PMTR_CHECK(!answer.starts_with("HTTP/1.1 500"), answer.substr(0, 300));
    std::size_t entries = 0;
    for (const auto& entry : fs::directory_iterator(outer_)) entries += entry.exists() ? 1 : 0;
    PMTR_CHECK(entries == 1, "something was written outside the folder of the projects");
    for (const char* file : {"/tmp/fuzz_http_escape", "/fuzz_http_escape"})
      PMTR_CHECK(!fs::exists(file), file);
  }

 private:
  std::string filled_in(std::string_view given) const {
    std::string text;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const bool mark = given[i] == '@' && i + 1 < given.size();
      if (mark && given[i + 1] == 'H') {
        text += host_;
        ++i;
      } else if (mark && given[i + 1] == 'T') {
        text += token_;
        ++i;
      } else {
        text += given[i];
      }
    }
    return text;
  }

  /// Sends, says that nothing follows, and takes what comes until the server hangs up.
  std::string exchange(const std::string& request) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(host_.substr(host_.find(':') + 1))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    PMTR_CHECK(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
               "the server is gone");
    (void)!::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
    ::shutdown(socket, SHUT_WR);
    std::string answer;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::recv(socket, buffer.data(), buffer.size(), 0)) > 0;)
      if (answer.size() < 4096) answer.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(socket);
    return answer;
  }

  fs::path outer_;
  std::unique_ptr<Workbench> workbench_;
  std::unique_ptr<LocalServer> server_;
  std::thread serving_;
  std::string host_;
  std::string token_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::unique_ptr<Target> target;
  static int used = 0;
  if (!target || ++used % 500 == 0) {
    target.reset();
    target = std::make_unique<Target>();
  }
  target->try_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
