// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "pmtr/core/file.h"
#include "support/temporary_folder.h"
#include "workbench/workbench_routes.h"

// Last: it defines _res, a name that Eigen uses.
#include <httplib.h>

namespace pmtr::test {

using Json = nlohmann::json;

/// A tetrahedron that every reader takes.
inline std::string small_mesh(double size = 1.0) {
  const std::string s = std::to_string(size);
  return "OFF\n4 4 6\n0 0 0\n" + s + " 0 0\n0 " + s + " 0\n0 0 " + s +
         "\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
}

/// A workbench with its server, on a folder of its own.
class AppTest : public testing::Test {
 protected:
  void TearDown() override { stop(); }

  std::filesystem::path root() const { return folder_ / "projects"; }

  void start(command::WorkbenchOptions options = {},
             command::LocalServer::Options server = command::workbench_server_options()) {
    options.root = root();
    workbench_ = std::make_unique<command::Workbench>(options, Threads::none(), Listener{});
    const Status opened = workbench_->open();
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    server_ = std::make_unique<command::LocalServer>(server);
    command::add_workbench_routes(*server_, *workbench_);
    ASSERT_TRUE(server_->bind().ok());
    serving_ = std::thread([this] { server_->serve(); });
    const std::string url = server_->url();  // http://127.0.0.1:PORT/TOKEN/
    const std::size_t slash = url.find('/', 7);
    host_ = url.substr(7, slash - 7);
    base_ = url.substr(slash);
  }

  void stop() {
    if (server_) server_->stop();
    if (serving_.joinable()) serving_.join();
    server_.reset();
    workbench_.reset();
  }

  int port() const { return std::stoi(host_.substr(host_.find(':') + 1)); }
  httplib::Client client() const {
    httplib::Client made("http://" + host_);
    made.set_read_timeout(120);  // solving draws pictures, and the machine may be busy
    return made;
  }
  httplib::Headers ours() const { return {{"Origin", "http://" + host_}}; }

  Json get(const std::string& path, int status = 200) const {
    auto answer = client().Get((base_ + path).c_str());
    return checked(answer, status, path);
  }
  Json post(const std::string& path, const Json& body, int status = 200) const {
    auto answer = client().Post((base_ + path).c_str(), ours(), body.dump(), "application/json");
    return checked(answer, status, path);
  }
  Json put(const std::string& project, const std::string& name, const std::string& content,
           int status = 200) const {
    const std::string path = "api/fragment?project=" + encoded(project) + "&name=" + encoded(name);
    auto answer = client().Put((base_ + path).c_str(), ours(), content, "application/octet-stream");
    return checked(answer, status, path);
  }

  static std::string encoded(const std::string& text) {
    std::string out;
    for (const char c : text) {
      char digits[4];
      std::snprintf(digits, sizeof digits, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += digits;
    }
    return out;
  }

  std::string new_project(const std::string& name = "Bowl") const {
    return post("api/projects", {{"name", name}}).value("id", "");
  }

  /// The project, as soon as `ready` says so.
  Json wait_for(const std::string& id, const std::function<bool(const Json&)>& ready) const {
    Json project;
    for (int i = 0; i < 2400; ++i) {
      project = get("api/project?project=" + id);
      if (ready(project)) return project;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "waited in vain: " << project.dump(1);
    return project;
  }

  /// Everything below a folder, to see that nothing was added.
  static std::set<std::string> everything(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      names.insert(entry.path().lexically_relative(folder).string());
    return names;
  }

  /// A connection that says this and nothing more. To be closed.
  int raw_connection(const std::string& text) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    return socket;
  }

  TemporaryFolder folder_;
  std::unique_ptr<command::Workbench> workbench_;
  std::unique_ptr<command::LocalServer> server_;
  std::thread serving_;
  std::string host_;
  std::string base_;

 private:
  static Json checked(const httplib::Result& answer, int status, const std::string& what) {
    EXPECT_TRUE(answer) << what << ": " << httplib::to_string(answer.error());
    if (!answer) return {};
    EXPECT_EQ(answer->status, status) << what << ": " << answer->body;
    return Json::parse(answer->body, nullptr, false);
  }
};

}  // namespace pmtr::test
