// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Who is answered, and what is asked of requests before anything is read.
#include <fstream>
#include <sstream>

#include "app_fixture.h"

namespace pmtr::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace command;

class LocalServerTest : public AppTest {
 protected:
  void SetUp() override { start(); }

  int status_of(const std::string& method, const std::string& path, httplib::Headers headers,
                const std::string& body = "") const {
    httplib::Request request;
    request.method = method;
    request.path = path;
    request.headers = std::move(headers);
    request.body = body;
    auto made = client();
    const auto answer = made.send(request);
    EXPECT_TRUE(answer) << method << " " << path;
    return answer ? answer->status : 0;
  }
  static httplib::Headers with(httplib::Headers headers, const std::string& key, const std::string& value) {
    headers.emplace(key, value);
    return headers;
  }
};

TEST_F(LocalServerTest, AnswersItsOwnPageWithAStrictPolicy) {
  const auto page = client().Get(base_.c_str());
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  const std::string policy = page->get_header_value("Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_EQ(page->get_header_value("X-Frame-Options"), "DENY");
  EXPECT_FALSE(page->has_header("Access-Control-Allow-Origin"));
  for (const char* file : {"app.js", "app.css"}) {
    const auto answer = client().Get((base_ + file).c_str());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200) << file;
  }
}

/// On the way to the same machine that costs more than it saves: seconds for a large object.
TEST_F(LocalServerTest, NothingIsCompressedForWhoeverWouldTakeIt) {
  auto made = client();
  made.set_decompress(false);
  for (const char* path : {"", "app.js", "app.css", "api/projects"}) {
    const auto plain = made.Get((base_ + path).c_str(), {{"Accept-Encoding", "identity"}});
    const auto answer = made.Get((base_ + path).c_str(), {{"Accept-Encoding", "gzip, deflate, br"}});
    const auto head = made.Head((base_ + path).c_str(), {{"Accept-Encoding", "gzip, deflate, br"}});
    ASSERT_TRUE(plain && answer && head) << path;
    EXPECT_EQ(answer->status, 200) << path;
    EXPECT_FALSE(answer->has_header("Content-Encoding")) << path;
    EXPECT_EQ(answer->get_header_value_count("Content-Type"), 1U) << path;
    EXPECT_EQ(answer->get_header_value("Content-Length"), std::to_string(plain->body.size())) << path;
    EXPECT_EQ(head->get_header_value("Content-Length"), std::to_string(plain->body.size())) << path;
    EXPECT_TRUE(answer->body == plain->body) << path;
  }
}

TEST_F(LocalServerTest, OtherHostsAreRefused) {
  for (const std::string& host :
       std::vector<std::string>{"evil.example", "127.0.0.1", "evil.example:" + std::to_string(port()),
                                host_ + ".evil.example", "127.0.0.1:1"})
    EXPECT_EQ(status_of("GET", base_, {{"Host", host}}), 403) << host;
  EXPECT_EQ(status_of("GET", base_, {{"Host", "localhost:" + std::to_string(port())}}), 200);
}

TEST_F(LocalServerTest, OtherOriginsAreRefused) {
  const std::string create = base_ + "api/projects";
  const httplib::Headers json = {{"Content-Type", "application/json"}};
  for (const std::string& origin :
       std::vector<std::string>{"http://evil.example", "null", "https://" + host_, "http://127.0.0.1:1"}) {
    EXPECT_EQ(status_of("POST", create, with(json, "Origin", origin), "{\"name\":\"x\"}"), 403) << origin;
    EXPECT_EQ(status_of("GET", base_, {{"Origin", origin}}), 403) << origin;
  }
  EXPECT_EQ(status_of("POST", create, json, "{\"name\":\"x\"}"), 403) << "without an origin";
  for (const char* site : {"cross-site", "same-site"})
    EXPECT_EQ(status_of("GET", base_ + "api/projects", {{"Sec-Fetch-Site", site}}), 403) << site;
  EXPECT_TRUE(get("api/projects")["projects"].empty());
}

TEST_F(LocalServerTest, OtherPathsAndMethodsAreNotThere) {
  for (const std::string& path : std::vector<std::string>{
           std::string("/"), std::string("/api/projects"), base_ + "api", base_ + "api/",
           base_ + "api/projects/", base_ + "../api/projects", base_ + "..%2f..%2fetc/passwd",
           base_ + "api/../api/projects", base_ + "appXjs", base_.substr(0, base_.size() - 1),
           "/" + std::string(32, '0') + "/", std::string("/../../../etc/passwd")})
    EXPECT_EQ(status_of("GET", path, {}), 404) << path;
  for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS"})
    EXPECT_EQ(status_of(method, base_ + "api/projects", ours()), 404) << method;
  EXPECT_EQ(status_of("GET", base_ + "api/run", {}), 404);
}

TEST_F(LocalServerTest, BodiesMustBeJsonOfAnAnnouncedAndModestLength) {
  const std::string create = base_ + "api/projects";
  EXPECT_EQ(status_of("POST", create, with(ours(), "Content-Type", "text/plain"), "{\"name\":\"x\"}"), 415);
  const httplib::Headers json = with(ours(), "Content-Type", "application/json");
  EXPECT_EQ(status_of("POST", create, with(json, "Content-Length", "99999999"), "{}"), 413);
  EXPECT_EQ(status_of("POST", create, json, "{\"name\""), 422);
  EXPECT_EQ(status_of("POST", create, json, "{\"name\": 3}"), 422);
  EXPECT_EQ(status_of("POST", create, json, R"({"name": ""})"), 422);
  EXPECT_EQ(status_of("POST", create, json, "{\"name\": \"\\u0000\"}"), 422);
  // What was not read must not be taken for the next request.
  const auto refused = client().Post(create.c_str(), ours(), std::string(1000, ' '), "text/plain");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 415);
  EXPECT_EQ(refused->get_header_value("Connection"), "close");
  // And it is not: one answer, and the end.
  const std::string hidden = "GET " + base_ + " HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n";
  for (const char* type : {"text/plain", "application/json"}) {
    const int twice =
        raw_connection("POST " + create + " HTTP/1.1\r\nHost: " + host_ + "\r\nOrigin: http://" + host_ +
                       "\r\nContent-Type: " + type + "\r\nContent-Length: 2\r\n\r\n{}" + hidden);
    const timeval patience{30, 0};
    ::setsockopt(twice, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::string all;
    char piece[4096];
    for (ssize_t got = 1; (got = ::recv(twice, piece, sizeof piece, 0)) > 0;)
      all.append(piece, static_cast<std::size_t>(got));
    ::close(twice);
    EXPECT_EQ(all.find("HTTP/1.1 "), all.rfind("HTTP/1.1 ")) << all;
  }
  // Without a length: the rest of the connection could be anything.
  const int socket =
      raw_connection("POST " + create + " HTTP/1.1\r\nHost: " + host_ + "\r\nOrigin: http://" + host_ +
                     "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  char answer[64] = {};
  EXPECT_GT(::recv(socket, answer, sizeof answer - 1, 0), 0);
  ::close(socket);
  EXPECT_THAT(answer, HasSubstr(" 411 "));
}

TEST_F(LocalServerTest, SlowClientsHoldNobodyUp) {
  std::vector<int> sockets;
  for (int i = 0; i < 40; ++i)
    sockets.push_back(
        raw_connection(i % 2 == 0 ? "GET " + base_ : "PUT " + base_ + "api/fragment HTTP/1.1\r\nHost: "));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(status_of("GET", base_ + "api/projects", {}), 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
  for (const int socket : sockets) ::close(socket);
}

/// More of them than are served side by side: they are given up one after the other, and the page is
/// answered.
TEST_F(LocalServerTest, WhoeverIsSilentIsGivenUp) {
  stop();
  LocalServer::Options few = workbench_server_options();
  few.connections = 3;
  few.silence_seconds = 1;
  start({}, few);
  const std::string id = new_project();
  const std::string begun = "PUT " + base_ + "api/fragment?project=" + id +
                            "&name=x.off HTTP/1.1\r\nHost: " + host_ + "\r\nOrigin: http://" + host_ +
                            "\r\nContent-Length: 1000\r\n\r\nOFF 3";
  std::vector<int> sockets;
  for (int i = 0; i < 9; ++i) sockets.push_back(raw_connection(i % 3 == 0 ? "GET " + base_ : begun));
  EXPECT_EQ(status_of("GET", base_ + "api/projects", {}), 200);
  for (const int socket : sockets) {
    const timeval patience{30, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char answer[4096];
    ssize_t got = 1;
    while (got > 0) got = ::recv(socket, answer, sizeof answer, 0);
    EXPECT_TRUE(got == 0 || errno == ECONNRESET) << "the connection is still open";
    ::close(socket);
  }
  EXPECT_TRUE(get("api/project?project=" + id)["fragments"].empty());
}

/// Neither a first line nor a header without end is kept in memory, or listened to for ever.
TEST_F(LocalServerTest, HeadsWithoutEndAreGivenUp) {
  for (const std::string& begin :
       std::vector<std::string>{"", "GET " + base_ + " HTTP/1.1\r\nHost: " + host_ + "\r\nX: "}) {
    const int socket = raw_connection(begin);
    const timeval patience{30, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const std::string piece(1 << 16U, 'x');
    std::size_t sent = 0;
    while (sent < 500'000'000) {
      const ssize_t put = ::send(socket, piece.data(), piece.size(), MSG_NOSIGNAL);
      if (put <= 0) break;
      sent += static_cast<std::size_t>(put);
    }
    ::close(socket);
    EXPECT_LT(sent, 50'000'000U);
  }
  EXPECT_EQ(status_of("GET", base_, {}), 200);
}

TEST_F(LocalServerTest, AHeadThatComesByteByByteIsGivenUp) {
  stop();
  LocalServer::Options brief = workbench_server_options();
  brief.silence_seconds = 1;
  start({}, brief);
  const int socket = raw_connection("GET " + base_ + " HTTP/1.1\r\nX: ");
  const auto begin = std::chrono::steady_clock::now();
  bool given_up = false;
  while (!given_up && std::chrono::steady_clock::now() - begin < std::chrono::seconds(30)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    given_up = ::send(socket, "x", 1, MSG_NOSIGNAL) <= 0;
  }
  ::close(socket);
  EXPECT_TRUE(given_up);
}

TEST_F(LocalServerTest, ListensOnTheLoopbackOnly) {
  std::ifstream lines("/proc/net/tcp");
  if (!lines) GTEST_SKIP() << "no /proc/net/tcp";
  char wanted[16];
  std::snprintf(wanted, sizeof wanted, ":%04X", port());
  int listening = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number;
    std::string local;
    std::string remote;
    std::string state;
    words >> number >> local >> remote >> state;
    if (state != "0A" || !local.ends_with(wanted)) continue;
    ++listening;
    EXPECT_TRUE(local.starts_with("0100007F")) << local;
  }
  EXPECT_EQ(listening, 1);
}

}  // namespace
}  // namespace pmtr::test
