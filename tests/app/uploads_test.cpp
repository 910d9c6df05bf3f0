// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Files that come in: where they end up, and that nothing else does.
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <map>

#include "app_fixture.h"
#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/off.h"
#include "pmtr/mesh/io/ply/ply.h"
#include "pmtr/mesh/io/stl.h"
#include "workbench/upload_names.h"

namespace pmtr::test {
namespace {

namespace fs = std::filesystem;
using namespace command;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> bad_names = {"",
                                            "/etc/passwd.ply",
                                            "../x.ply",
                                            "a/../../x.ply",
                                            "a/..",
                                            ".",
                                            "..",
                                            "a//b.ply",
                                            "./x.ply",
                                            ".hidden.ply",
                                            "a/.ssh/x.ply",
                                            "a\\b.ply",
                                            "..\\x.ply",
                                            "C:\\x.ply",
                                            "x\n.ply",
                                            std::string("x\0.ply", 6),
                                            "\xff.ply",
                                            std::string(300, 'a') + ".ply",
                                            "a/b/c/d/e/f/g/h/i/j/k.ply"};

TEST(UploadNames, WhatLeadsOutIsRefusedAndTheRestStaysAsItIs) {
  for (const std::string& bad : bad_names) EXPECT_FALSE(clean_upload_name(bad).ok()) << bad;
  for (const std::string& good :
       std::vector<std::string>{"a.ply", "scans/a.ply", "<img src=x onerror=alert(1)>.ply", "-rf.ply",
                                "..a.ply.ply", "Schüssel 12 (neu).obj", "a'\"&.stl", "%2e%2e.ply"}) {
    if (good.front() == '.') continue;
    const auto clean = clean_upload_name(good);
    ASSERT_TRUE(clean.ok()) << good << ": " << clean.error().text();
    EXPECT_EQ(*clean, good);
  }
}

TEST(UploadNames, NumbersAreComparedAsNumbers) {
  std::vector<std::string> names = {"piece_10.ply", "piece_2.ply", "b",     "piece_02.ply",
                                    "piece_1.ply",  "a10b2",       "a10b10"};
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return natural_less(a, b); });
  EXPECT_THAT(names, testing::ElementsAre("a10b2", "a10b10", "b", "piece_1.ply", "piece_02.ply",
                                          "piece_2.ply", "piece_10.ply"));
  for (const auto& a : names) EXPECT_FALSE(natural_less(a, a));
}

TEST(UploadNames, FoldersOfProjectsArePlain) {
  EXPECT_EQ(folder_name_for("Bowl 12, trench 4"), "Bowl_12_trench_4");
  for (const char* odd : {"../..", "/etc", "", ".", "-rf", "<b>", "\xc3\xa4"}) {
    const std::string folder = folder_name_for(odd);
    EXPECT_FALSE(folder.empty());
    EXPECT_THAT(folder, testing::MatchesRegex("[A-Za-z0-9_][A-Za-z0-9_-]*")) << odd;
  }
}

class Uploads : public AppTest {
 protected:
  /// Says that 5 GB come and sends them as long as somebody listens; how many bytes that was.
  std::uint64_t send_five_gigabytes(const std::string& id) const {
    const std::uint64_t all = 5'000'000'000;
    const int socket = raw_connection("PUT " + base_ + "api/fragment?project=" + id +
                                      "&name=endless.off HTTP/1.1\r\nHost: " + host_ + "\r\nOrigin: http://" +
                                      host_ + "\r\nContent-Length: " + std::to_string(all) + "\r\n\r\n");
    const timeval patience{30, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const std::string piece(1 << 16U, 'x');
    std::uint64_t sent = 0;
    while (sent < all) {
      const ssize_t put = ::send(socket, piece.data(), piece.size(), MSG_NOSIGNAL);
      if (put <= 0) break;
      sent += static_cast<std::uint64_t>(put);
    }
    ::close(socket);
    return sent;
  }
};

TEST_F(Uploads, AFileArrivesAndIsDescribed) {
  start();
  const std::string id = new_project();
  put(id, "scans/piece.off", small_mesh());
  put(id, "<img src=x onerror=alert(1)>.off", small_mesh());
  const Json project = wait_for(id, [](const Json& p) { return !p["waiting"]; });
  ASSERT_EQ(project["fragments"].size(), 2U);
  EXPECT_EQ(project["fragments"][0]["name"], "<img src=x onerror=alert(1)>.off");
  EXPECT_EQ(project["fragments"][1]["name"], "scans/piece.off");
  EXPECT_EQ(project["fragments"][1]["faces"], 4);
  EXPECT_EQ(project["fragments"][1]["number"], 2);
  EXPECT_TRUE(project["fragments"][1]["problems"].empty()) << project.dump(1);
  EXPECT_GT(project["estimate"].get<double>(), 1.0);
  const auto stored = read_file(root() / id / "fragments" / "scans" / "piece.off");
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(as_text(*stored), small_mesh());
  const auto picture =
      client().Get((base_ + "api/thumbnail?project=" + id + "&name=" + encoded("scans/piece.off")).c_str());
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->status, 200);
  EXPECT_EQ(picture->get_header_value("Content-Type"), "image/png");
  EXPECT_TRUE(picture->body.starts_with("\x89PNG"));
  EXPECT_TRUE(fs::is_empty(root() / id / "incoming"));
}

TEST_F(Uploads, BadNamesAreRefusedAndNothingIsWritten) {
  start();
  const std::string id = new_project();
  const auto before = everything(folder_.path());
  Json files = Json::array();
  for (const std::string& name : bad_names) {
    if (name == "\xff.ply") continue;  // no JSON
    files.push_back({{"name", name}, {"bytes", 10}});
  }
  const Json answers = post("api/announce?project=" + id, {{"files", files}});
  for (const Json& answer : answers["files"]) {
    EXPECT_FALSE(answer["ok"]) << answer.dump();
    EXPECT_FALSE(answer["message"].get<std::string>().empty());
  }
  for (const std::string& name : bad_names) put(id, name, small_mesh(), 422);
  EXPECT_EQ(everything(folder_.path()), before);
  // Nor does the name of a project lead anywhere.
  for (const std::string& other :
       std::vector<std::string>{"..", ".", "../projects/" + id, "/etc", "nothing", id + "/fragments"}) {
    put(other, "x.off", small_mesh(), 404);
    get("api/project?project=" + encoded(other), 404);
  }
  EXPECT_EQ(everything(folder_.path()), before);
}

TEST_F(Uploads, LinksAreNotFollowed) {
  start();
  const std::string id = new_project();
  fs::create_directory(folder_ / "outside");
  fs::create_directory_symlink(folder_ / "outside", root() / id / "fragments" / "way");
  put(id, "way/x.off", small_mesh(), 422);
  EXPECT_TRUE(fs::is_empty(folder_ / "outside"));
  fs::create_directory_symlink(root() / id, root() / "linked");
  get("api/project?project=linked", 404);
}

TEST_F(Uploads, OtherKindsAndEmptyFilesAreRefusedWithASentence) {
  start();
  const std::string id = new_project();
  const Json answers =
      post("api/announce?project=" + id, {{"files",
                                           {{{"name", "notes.docx"}, {"bytes", 10}},
                                            {{"name", "empty.ply"}, {"bytes", 0}},
                                            {{"name", "assembly.glb"}, {"bytes", 10}},
                                            {{"name", "good.ply"}, {"bytes", 10}}}}})["files"];
  EXPECT_THAT(answers[0]["message"].get<std::string>(), HasSubstr("no kind of file"));
  EXPECT_THAT(answers[1]["message"].get<std::string>(), HasSubstr("empty"));
  EXPECT_THAT(answers[2]["message"].get<std::string>(), HasSubstr("another name"));
  EXPECT_TRUE(answers[3]["ok"]);
}

TEST_F(Uploads, BadFilesGetASentenceAndTheOthersGoOn) {
  start();
  const std::string id = new_project();
  put(id, "a_broken.ply", "ply\nformat ascii 1.0\nelement vertex 1000000\n");
  put(id, "b_text.stl", "this is no mesh");
  put(id, "c_good.off", small_mesh());
  put(id, "d_point.off", "OFF\n3 1 0\n1 1 1\n1 1 1\n1 1 1\n3 0 1 2\n");
  put(id, "e_small.off", small_mesh(0.001));
  put(id, "f_good.off", small_mesh());
  put(id, "g_open.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  const Json project = wait_for(id, [](const Json& p) { return !p["waiting"]; });
  const Json& fragments = project["fragments"];
  ASSERT_EQ(fragments.size(), 7U);
  for (const int bad : {0, 1, 3}) {
    EXPECT_EQ(fragments[bad]["state"], "bad") << fragments[bad].dump();
    EXPECT_FALSE(fragments[bad]["message"].get<std::string>().empty());
    EXPECT_THAT(fragments[bad]["message"].get<std::string>(), Not(HasSubstr(folder_.path().string())));
  }
  for (const int good : {2, 4, 5, 6}) EXPECT_EQ(fragments[good]["state"], "good") << fragments[good].dump();
  EXPECT_EQ(fragments[2]["number"], 1);
  EXPECT_THAT(fragments[4]["problems"].dump(), HasSubstr("times smaller"));
  EXPECT_THAT(fragments[6]["problems"].dump(), HasSubstr("open"));
}

/// The kinds of tests/command/bad_input_test.cpp, as far as a file can be dropped that way.
TEST_F(Uploads, EveryKindOfBadFileGetsASentenceAndTheGoodOneTakesPart) {
  start();
  const std::string id = new_project();
  TriangleMesh sheet;
  for (std::uint32_t i = 0; i < 8; ++i)
    for (std::uint32_t j = 0; j < 8; ++j) sheet.vertices.emplace_back(i, j, 0.1 * (i * i + j));
  for (std::uint32_t i = 0; i + 1 < 8; ++i)
    for (std::uint32_t j = 0; j + 1 < 8; ++j)
      sheet.faces.push_back({8 * i + j, 8 * i + j + 1, 8 * i + j + 8});
  const auto text = [](const std::vector<std::byte>& bytes) { return std::string(as_text(bytes)); };
  const std::map<std::string, std::string> whole = {{".ply", text(format_ply(sheet))},
                                                    {".stl", text(format_stl(sheet))},
                                                    {".off", text(format_off(sheet))},
                                                    {".glb", text(format_glb(sheet))}};
  std::map<std::string, std::string> bad;
  for (const auto& [extension, content] : whole) {
    bad["cut" + extension] = content.substr(0, content.size() / 2);
    bad["letter" + extension] = "Dear reader,\nthis is a letter.\n";
    for (const auto& [other, foreign] : whole)
      if (other != extension) bad["really_" + other.substr(1) + extension] = foreign;
  }
  bad["letter.obj"] = "Dear reader,\nthis is a letter.\n";
  bad["cut.obj"] = "v 0 0 0\nv 1 0";  // one cut between two lines is a whole one
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
  for (const std::string format : {"ascii", "binary_little_endian", "binary_big_endian"})
    bad["billions_" + format + ".ply"] =
        "ply\nformat " + format + " 1.0\nelement vertex 1000000000\n" + xyz + "end_header\n0 0 0\n1 0 0\n";
  bad["billions.off"] = "OFF\n1 1000000000 0\n0 0 0\n3 0 0 0\n";
  bad["billions.stl"] = whole.at(".stl");
  bad["billions.stl"].replace(80, 4, "\x00\xca\x9a\x3b", 4);
  for (const std::string number : {"nan", "inf", "1e999"}) {
    bad[number + ".ply"] =
        "ply\nformat ascii 1.0\nelement vertex 1\n" + xyz + "end_header\n0 " + number + " 0\n";
    bad[number + ".obj"] = "v 0 0 0\nv 0 0 " + number + "\nv 1 1 1\nf 1 2 3\n";
    bad[number + ".off"] = "OFF\n3 1 0\n0 0 0\n" + number + " 0 0\n0 1 0\n3 0 1 2\n";
  }
  for (const auto& [name, content] : bad) put(id, name, content);
  for (const auto& [extension, content] : whole) put(id, "whole" + extension, content);
  // What is no scan at all is not taken in.
  for (const char* name :
       {"letter.txt", "letter", "scan.xyz", "scene.gltf", "weights.pth", "weights.safetensors"})
    put(id, name, "Dear reader", 422);
  for (const char* name : {"empty.ply", "empty.obj", "empty.stl", "empty.off", "empty.glb"})
    put(id, name, "", 422);
  const Json project = wait_for(id, [](const Json& p) { return !p["waiting"]; });
  ASSERT_EQ(project["fragments"].size(), bad.size() + whole.size());
  for (const Json& fragment : project["fragments"]) {
    const std::string name = fragment["name"];
    EXPECT_EQ(fragment["state"], bad.contains(name) ? "bad" : "good") << fragment.dump();
    if (!bad.contains(name)) continue;
    EXPECT_GT(fragment["message"].get<std::string>().size(), 8U) << name;
    EXPECT_THAT(fragment["message"].get<std::string>(), Not(HasSubstr(folder_.path().string())));
  }
  get("api/projects");  // the server is there
}

TEST_F(Uploads, AProjectTakesSoManyFiles) {
  start();
  const std::string id = new_project();
  Json files = Json::array();
  for (int i = 0; i < 10'000; ++i)
    files.push_back({{"name", "piece_" + std::to_string(i) + ".ply"}, {"bytes", 10}});
  const auto begin = std::chrono::steady_clock::now();
  const Json answers = post("api/announce?project=" + id, {{"files", files}})["files"];
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  ASSERT_EQ(answers.size(), 10'000U);
  const auto accepted =
      std::count_if(answers.begin(), answers.end(), [](const Json& a) { return a["ok"] == true; });
  EXPECT_EQ(accepted, 2'000);
  EXPECT_THAT(answers.back()["message"].get<std::string>(), HasSubstr("no more"));
  stop();
  // Whoever does not ask before is stopped as well.
  WorkbenchOptions options;
  options.uploads.files = 3;
  start(options);
  for (int i = 0; i < 3; ++i) put(id, std::to_string(i) + ".off", small_mesh());
  put(id, "3.off", small_mesh(), 507);
  put(id, "2.off", small_mesh(2.0));  // one that is there may be replaced
}

TEST_F(Uploads, WhatDoesNotArriveWholeLeavesNothing) {
  start();
  const std::string id = new_project();
  const int socket = raw_connection("PUT " + base_ + "api/fragment?project=" + id +
                                    "&name=x.off HTTP/1.1\r\nHost: " + host_ + "\r\nOrigin: http://" + host_ +
                                    "\r\nContent-Length: 1000\r\n\r\nOFF 3");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ::close(socket);
  for (int i = 0; i < 100 && !fs::exists(root() / id / "incoming"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (int i = 0; i < 100 && !fs::is_empty(root() / id / "incoming"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(fs::is_empty(root() / id / "incoming"));
  EXPECT_TRUE(fs::is_empty(root() / id / "fragments"));
  EXPECT_TRUE(get("api/project?project=" + id)["fragments"].empty());
}

TEST_F(Uploads, NoRoomIsSaidBeforeAnythingIsSent) {
  WorkbenchOptions options;
  options.uploads.spare_bytes = std::uint64_t{1} << 60U;
  start(options);
  const std::string id = new_project();
  const Json answers = post("api/announce?project=" + id,
                            {{"files", {{{"name", "a.ply"}, {"bytes", std::uint64_t{5} << 30U}}}}})["files"];
  EXPECT_THAT(answers[0]["message"].get<std::string>(), HasSubstr("not enough room"));
  put(id, "a.off", small_mesh(), 507);
  EXPECT_TRUE(fs::is_empty(root() / id / "fragments"));
}

/// Files may not grow beyond a limit while this exists, as if the disk were full.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &now), 0);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(Uploads, ADiskThatFillsUpMeanwhileLeavesNothing) {
  start();
  const std::string id = new_project();
  {
    const SmallFiles limit(100'000);
    const Json answer = put(id, "large.off", std::string(1'000'000, 'x'), 507);
    EXPECT_THAT(answer["message"].get<std::string>(), HasSubstr("disk is full"));
  }
  EXPECT_TRUE(fs::is_empty(root() / id / "incoming"));
  EXPECT_TRUE(fs::is_empty(root() / id / "fragments"));
  put(id, "small.off", small_mesh());
}

TEST_F(Uploads, FiveGigabytesForADiskThatFillsUpAreNotReadToTheEnd) {
  WorkbenchOptions options;
  options.uploads.spare_bytes = 0;
  start(options);
  const std::string id = new_project();
  {
    const SmallFiles limit(100'000);
    EXPECT_LT(send_five_gigabytes(id), 256'000'000U);
  }
  for (int i = 0; i < 200 && !fs::is_empty(root() / id / "incoming"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(fs::is_empty(root() / id / "incoming"));
  EXPECT_TRUE(fs::is_empty(root() / id / "fragments"));
  put(id, "small.off", small_mesh());
  EXPECT_EQ(get("api/project?project=" + id)["fragments"].size(), 1U);
}

TEST_F(Uploads, AFullDiskOfItsOwn) {
  fs::create_directories(root());
  if (::mount("pmtr-test", root().c_str(), "tmpfs", 0, "size=2m") != 0)
    GTEST_SKIP() << "no right to mount a small disk";
  WorkbenchOptions options;
  options.uploads.spare_bytes = 0;
  start(options);
  const std::string id = new_project();
  const Json answers = post("api/announce?project=" + id,
                            {{"files", {{{"name", "large.off"}, {"bytes", 5'000'000'000U}}}}})["files"];
  EXPECT_THAT(answers[0]["message"].get<std::string>(), HasSubstr("not enough room"));
  EXPECT_LT(send_five_gigabytes(id), 256'000'000U);
  put(id, "large.off", std::string(std::size_t{8} << 20U, 'x'), 507);
  put(id, "good.off", small_mesh());
  const Json project = wait_for(id, [](const Json& p) { return !p["waiting"]; });
  EXPECT_EQ(project["fragments"].size(), 1U);
  EXPECT_TRUE(fs::is_empty(root() / id / "incoming"));
  stop();
  ::umount2(root().c_str(), MNT_DETACH);
}

TEST_F(Uploads, FilesAreLookedAtWhenSomebodyWantsThem) {
  start();
  const std::string id = new_project();
  std::ofstream(root() / id / "fragments" / "a.off") << small_mesh();  // as a folder that was copied
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(get("api/project?study=0&project=" + id)["fragments"][0]["state"], "waiting");
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  wait_for(id, [](const Json& p) { return !p["waiting"]; });
  EXPECT_EQ(get("api/project?study=0&project=" + id)["fragments"][0]["state"], "good");
}

TEST_F(Uploads, RemovedFragmentsAreGone) {
  start();
  const std::string id = new_project();
  put(id, "a.off", small_mesh());
  const auto remove = [&](const std::string& name) {
    const auto answer =
        client().Delete((base_ + "api/fragment?project=" + id + "&name=" + encoded(name)).c_str(), ours());
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(remove("../project.json"), 404);
  EXPECT_EQ(remove("b.off"), 404);
  EXPECT_EQ(remove("a.off"), 200);
  EXPECT_TRUE(fs::is_empty(root() / id / "fragments"));
  EXPECT_TRUE(fs::exists(root() / id / "project.json"));
}

}  // namespace
}  // namespace pmtr::test
