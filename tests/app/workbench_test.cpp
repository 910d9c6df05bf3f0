// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Runs, results and decisions. The assembly itself is a script here; tests/browser runs the real one.
#include "app_fixture.h"
#include "pmtr/formats/zip_reader.h"
#include "pmtr/report/record/solve_again.h"
#include "support/example_assembly.h"

namespace pmtr::test {
namespace {

namespace fs = std::filesystem;
using namespace command;
using testing::HasSubstr;

std::string text_of(const fs::path& path) {
  const auto bytes = read_file(path);
  EXPECT_TRUE(bytes.ok()) << path;
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string();
}

class WorkbenchTest : public AppTest {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TemporaryFolder;
    ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/bowl");
    example.record.context.seen = std::make_shared<SeenBreaks>(true_breaks(example));
    const Status written =
        write_results(*shared_ / "made", example.files, example.record, {false, false}, Threads::none(), {});
    ASSERT_TRUE(written.ok()) << written.error().text();
  }
  static void TearDownTestSuite() { delete shared_; }

  /// In the place of `pmtr`: gets `assemble FILES... --out FOLDER ...`.
  WorkbenchOptions with_program(const std::string& body) const {
    const fs::path script = folder_ / "program";
    std::ofstream(script) << "#!/bin/sh\nwhile [ \"$1\" != --out ]; do shift; done\nout=$2\n" << body << "\n";
    fs::permissions(script, fs::perms::owner_all);
    WorkbenchOptions options;
    options.program = script;
    return options;
  }
  static std::string good_run() { return "cp -r '" + (*shared_ / "made").string() + "' \"$out\""; }

  std::string ready_project() const {
    const std::string id = new_project();
    for (int i = 0; i < 5; ++i) {
      const std::string name = "piece_" + std::to_string(i) + ".ply";
      put(id, name, text_of(fs::path(PMTR_EXAMPLES) / "bowl" / name));
    }
    return id;
  }
  Json run_to_end(const std::string& id) const {
    post("api/run?project=" + id, Json::object());
    return wait_for(id, [](const Json& p) {
      const std::string state = p["run"]["state"];
      return state != "queued" && state != "running" && state != "stopping";
    });
  }

  static TemporaryFolder* shared_;
};
TemporaryFolder* WorkbenchTest::shared_ = nullptr;

TEST_F(WorkbenchTest, ARunShowsItsStagesAndEndsInAResult) {
  const fs::path go = folder_ / "go";
  start(with_program(
      "echo 'pmtr: progress 5 5 read' >&2; echo 'pmtr: warning: dusty' >&2; "
      "echo 'pmtr: groups 1 1 -1 0 0' >&2; echo 'pmtr: progress 1 4 full search' >&2\nwhile [ ! -e '" +
      go.string() + "' ]; do sleep 0.05; done\n" + good_run()));
  const std::string id = ready_project();
  post("api/run?project=" + id, Json::object());
  const Json during = wait_for(
      id, [](const Json& p) { return p["run"].contains("stages") && p["run"]["stages"].size() == 2; });
  EXPECT_EQ(during["run"]["state"], "running");
  EXPECT_EQ(during["run"]["stages"][1]["stage"], "full search");
  EXPECT_EQ(during["run"]["stages"][1]["done"], 1);
  EXPECT_EQ(during["run"]["stages"][1]["total"], 4);
  EXPECT_EQ(during["run"]["notes"][0], "warning: dusty");
  EXPECT_EQ(during["run"]["groups"],
            Json::parse(R"([["piece_3.ply", "piece_4.ply"], ["piece_0.ply", "piece_1.ply"]])"));
  EXPECT_FALSE(during["result"]);
  post("api/run?project=" + id, Json::object(), 422);  // once at a time
  get("api/zip?project=" + id, 404);
  post("api/look?project=" + id, Json::object(), 404);
  std::ofstream(go).put('x');
  const Json after = wait_for(id, [](const Json& p) { return p["run"]["state"] == "done"; });
  EXPECT_TRUE(after["result"]);
  EXPECT_FALSE(after["outdated"]);
  EXPECT_THAT(after["run"]["message"].get<std::string>(), HasSubstr("5 of 5 fragments"));
  EXPECT_THAT(text_of(root() / id / "log.txt"), HasSubstr("dusty"));
  // A fragment more, and the result is not of today.
  put(id, "piece_9.off", small_mesh());
  EXPECT_TRUE(wait_for(id, [](const Json& p) { return !p["waiting"]; })["outdated"]);
}

TEST_F(WorkbenchTest, ARunGetsTheFilesThatTakePartAndTheSizeThatWasSaid) {
  start(with_program("exit 3"));
  std::ofstream(folder_ / "program") << "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" << (folder_ / "words").string()
                                     << "'\nexit 1\n";
  const std::string id = ready_project();
  put(id, "-rf.off", small_mesh());
  put(id, "broken.ply", "ply\n");
  post("api/project?project=" + id, {{"object_size", 2.5}, {"units", "mm"}, {"left_out", {"piece_1.ply"}}});
  post("api/project?project=" + id, {{"object_size", -1}}, 422);
  post("api/project?project=" + id, {{"units", "; rm -rf /"}}, 422);
  post("api/project?project=" + id, {{"run", "done"}}, 422);
  run_to_end(id);
  std::istringstream words{text_of(folder_ / "words")};
  std::vector<std::string> list;
  for (std::string word; std::getline(words, word);) list.push_back(word);
  const std::string fragments = (fs::canonical(root()) / id / "fragments").string() + "/";
  EXPECT_THAT(list, testing::ElementsAre("assemble", fragments + "-rf.off", fragments + "piece_0.ply",
                                         fragments + "piece_2.ply", fragments + "piece_3.ply",
                                         fragments + "piece_4.ply", "--out", testing::EndsWith("result.new"),
                                         "--work", testing::EndsWith("/work"), "--progress", "lines",
                                         "--threads", "1", "--object-size", "2.5", "--units", "mm"));
}

TEST_F(WorkbenchTest, AProgramThatFailsOrCrashesIsASentence) {
  start(with_program("echo 'pmtr: error: a.ply: too small' >&2; exit 3"));
  const std::string id = ready_project();
  Json project = run_to_end(id);
  EXPECT_EQ(project["run"]["state"], "failed");
  EXPECT_EQ(project["run"]["message"], "a.ply: too small");
  EXPECT_FALSE(project["result"]);
  std::ofstream(folder_ / "program") << "#!/bin/sh\nkill -SEGV $$\n";
  project = run_to_end(id);
  EXPECT_EQ(project["run"]["state"], "failed");
  EXPECT_THAT(project["run"]["message"].get<std::string>(), HasSubstr("signal 11"));
  std::ofstream(folder_ / "program") << "#!/bin/sh\nexit 0\n";  // without a result
  EXPECT_EQ(run_to_end(id)["run"]["state"], "failed");
}

TEST_F(WorkbenchTest, ACancelledRunKeepsTheResultThatWasThere) {
  start(with_program(good_run()));
  const std::string id = ready_project();
  ASSERT_EQ(run_to_end(id)["run"]["state"], "done");
  std::ofstream(folder_ / "program") << "#!/bin/sh\necho 'pmtr: progress 0 0 long' >&2\nexec sleep 60\n";
  post("api/run?project=" + id, Json::object());
  wait_for(id, [](const Json& p) { return p["run"].contains("stages") && !p["run"]["stages"].empty(); });
  post("api/cancel?project=" + id, Json::object());
  const Json project = wait_for(id, [](const Json& p) { return p["run"]["state"] == "cancelled"; });
  EXPECT_TRUE(project["result"]);
  EXPECT_FALSE(fs::exists(root() / id / "result.new"));
  post("api/cancel?project=" + id, Json::object(), 422);
}

TEST_F(WorkbenchTest, WhatWasInterruptedGoesOnAtTheNextStart) {
  // What the program keeps of its work is there the next time, and thrown away at the end.
  start(
      with_program("mkdir -p \"$4\"; echo half >\"$4/kept\"; echo 'pmtr: progress 0 0 long' >&2\n"
                   "mkdir \"$out\"\nexec sleep 60\n"));
  const std::string id = ready_project();
  post("api/run?project=" + id, Json::object());
  wait_for(id, [](const Json& p) { return p["run"].contains("stages") && !p["run"]["stages"].empty(); });
  stop();
  EXPECT_TRUE(fs::exists(root() / id / "work" / "kept"));
  start(with_program("grep -q half \"$4/kept\" || exit 9\n" + good_run()));
  const Json list = get("api/projects");
  ASSERT_EQ(list["projects"].size(), 1U);
  EXPECT_EQ(list["projects"][0]["name"], "Bowl");
  const Json project = wait_for(id, [](const Json& p) { return p["run"]["state"] == "done"; });
  EXPECT_TRUE(project["result"]);
  EXPECT_FALSE(fs::exists(root() / id / "work"));
}

TEST_F(WorkbenchTest, AFolderBelongsToOneProgram) {
  start();
  WorkbenchOptions options;
  options.root = root();
  Workbench second(options, Threads::none(), {});
  const Status opened = second.open();
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().text(), HasSubstr("another pmtr app"));
}

TEST_F(WorkbenchTest, OtherFoldersAreNoProjectsAndBrokenOnesAreNamed) {
  fs::create_directories(root() / "photos");
  fs::create_directories(root() / "broken");
  std::ofstream(root() / "broken" / "project.json") << "{}";
  start();
  const Json list = get("api/projects");
  ASSERT_EQ(list["projects"].size(), 1U);
  EXPECT_EQ(list["projects"][0]["run"], "failed");
  get("api/project?project=broken", 422);
}

TEST_F(WorkbenchTest, TheZipHoldsTheResultAndNothingElse) {
  start(with_program(good_run()));
  const std::string id = ready_project();
  ASSERT_EQ(run_to_end(id)["run"]["state"], "done");
  fs::create_symlink("/etc/passwd", root() / id / "result" / "link.ply");
  // On Windows this name would lead out of the folder.
  std::ofstream(root() / id / "result" / "..\\..\\out.ply") << "ply\n";
  const Json files = get("api/files?project=" + id)["files"];
  const auto zip = client().Get((base_ + "api/zip?project=" + id).c_str());
  ASSERT_TRUE(zip);
  EXPECT_EQ(zip->get_header_value("Content-Disposition"), "attachment; filename*=UTF-8''Bowl.zip");
  const auto reader = ZipReader::open(as_bytes(zip->body), "zip");
  ASSERT_TRUE(reader.ok()) << reader.error().text();
  EXPECT_EQ(reader->entries().size(), files.size());
  for (const Json& file : files) {
    const std::string name = file["name"];
    EXPECT_NE(name, "link.ply");
    EXPECT_FALSE(name.starts_with("/") || name.find("..") != std::string::npos) << name;
    const ZipEntry* entry = reader->find(id + "/" + name);
    ASSERT_NE(entry, nullptr) << name;
    const auto content = reader->read(*entry);
    ASSERT_TRUE(content.ok()) << content.error().text();
    EXPECT_TRUE(as_text(*content) == text_of(root() / id / "result" / name)) << name;
    const auto single = client().Get((base_ + "api/file?project=" + id + "&name=" + encoded(name)).c_str());
    ASSERT_TRUE(single);
    EXPECT_TRUE(single->body == as_text(*content)) << name;
  }
  ASSERT_NE(reader->find(id + "/assembly.json"), nullptr);
  for (const std::string& other : std::vector<std::string>{"../project.json", "/etc/passwd", "link.ply",
                                                           "..\\..\\out.ply", "nothing", ""})
    get("api/file?project=" + id + "&name=" + encoded(other), 404);
}

TEST_F(WorkbenchTest, DecisionsMoveFragmentsAndTakenBackTheyLeaveNoTrace) {
  start(with_program(good_run()));
  const std::string id = ready_project();
  ASSERT_EQ(run_to_end(id)["run"]["state"], "done");
  const auto poses = [&] {
    const Json json = Json::parse(text_of(root() / id / "result" / "assembly.json"));
    Json list = Json::array();
    for (const Json& part : json["parts"]) list.push_back(part["world_from_part"]);
    return list;
  };
  const Json before = poses();
  const Json none = {{"version", 1}, {"joints", Json::array()}, {"drop", Json::array()}};
  Json drop = none;
  drop["drop"] = {"piece_0.ply"};
  const Json answer = post("api/solve?project=" + id, drop);
  EXPECT_THAT(answer["message"].get<std::string>(), HasSubstr("4 of 5"));
  EXPECT_EQ(answer["data"]["parts"].size(), 5U);
  EXPECT_FALSE(answer["data"]["parts"][0]["placed"].get<bool>());
  EXPECT_EQ(answer["gaps"].size(), 5U);
  EXPECT_TRUE(fs::exists(root() / id / "result" / "constraints.json"));
  // The other files follow; who asks for them waits.
  EXPECT_TRUE(fs::exists(root() / id / "unwritten"));
  get("api/files?project=" + id);
  EXPECT_FALSE(fs::exists(root() / id / "unwritten"));
  EXPECT_TRUE(fs::exists(root() / id / "result" / "report.html"));
  EXPECT_FALSE(fs::exists(root() / id / "result" / "piece_0.ply"));
  // Whoever looks sees it either way, from the report or from memory.
  for (int i = 0; i < 2; ++i) {
    const auto object = client().Get((base_ + "api/object?project=" + id).c_str());
    ASSERT_TRUE(object);
    EXPECT_THAT(object->body, HasSubstr("id=\"report-data\""));
    EXPECT_THAT(object->body, HasSubstr("id=\"geometry-4\""));
    post("api/solve?project=" + id, none);
  }
  EXPECT_EQ(poses(), before);
  drop["drop"] = {"../x"};
  post("api/solve?project=" + id, drop, 422);
  post("api/solve?project=" + id, Json::object(), 422);
  post("api/solve?project=nothing", none, 404);
  post("api/look?project=" + id, Json::object());
  post("api/look?project=nothing", Json::object(), 404);
  EXPECT_EQ(poses(), before);
  // The report runs as a page of no origin.
  const auto report = client().Get((base_ + "api/report?project=" + id).c_str());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->get_header_value_count("Content-Security-Policy"), 1U);
  EXPECT_THAT(report->get_header_value("Content-Security-Policy"), HasSubstr("sandbox allow-scripts"));
  EXPECT_THAT(report->get_header_value("Content-Security-Policy"),
              testing::Not(HasSubstr("allow-same-origin")));
}

TEST_F(WorkbenchTest, AKilledProgramWritesTheFilesOfItsLastDecisionAtTheNextStart) {
  start(with_program(good_run()));
  const std::string id = ready_project();
  ASSERT_EQ(run_to_end(id)["run"]["state"], "done");
  post("api/solve?project=" + id, {{"version", 1}, {"joints", Json::array()}, {"drop", {"piece_0.ply"}}});
  ASSERT_TRUE(fs::exists(root() / id / "unwritten"));
  stop();  // what is not written yet is given up, as by a kill
  EXPECT_TRUE(fs::exists(root() / id / "unwritten"));
  start(with_program(good_run()));
  for (int i = 0; i < 1200 && fs::exists(root() / id / "unwritten"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(fs::exists(root() / id / "unwritten"));
  EXPECT_TRUE(fs::exists(root() / id / "result" / "report.html"));
  EXPECT_FALSE(fs::exists(root() / id / "result" / "piece_0.ply"));
  // A new run starts afresh.
  ASSERT_EQ(run_to_end(id)["run"]["state"], "done");
  EXPECT_FALSE(fs::exists(root() / id / "result" / "constraints.json"));
  const Json again =
      post("api/solve?project=" + id, {{"version", 1}, {"joints", Json::array()}, {"drop", Json::array()}});
  EXPECT_THAT(again["message"].get<std::string>(), HasSubstr("5 of 5"));
}

TEST_F(WorkbenchTest, AFragmentPutAboutWhereItBelongsSnaps) {
  start(with_program(good_run()));
  const std::string id = ready_project();
  ASSERT_EQ(run_to_end(id)["run"]["state"], "done");
  const Json record = Json::parse(text_of(root() / id / "result" / "assembly.json"));
  // Piece 0 stands on piece 1 as the record says; a little beside it.
  const auto pose = [&](int part) {
    Eigen::Matrix4d m;
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c)
        m(r, c) = record["parts"][static_cast<std::size_t>(part)]["world_from_part"]
                        [static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
    return m;
  };
  const Eigen::Matrix4d right = pose(1).inverse() * pose(0);
  Eigen::Matrix4d off = right;
  off.block<3, 1>(0, 3) += Eigen::Vector3d(0.012, 0.0, -0.01);
  const auto rows = [](const Eigen::Matrix4d& m) {
    Json list = Json::array();
    for (int r = 0; r < 4; ++r) list.push_back({m(r, 0), m(r, 1), m(r, 2), m(r, 3)});
    return list;
  };
  Json wish = {
      {"fragment", "piece_0.ply"}, {"on", "piece_1.ply"}, {"on_from_fragment", rows(off)}, {"group", false}};
  const Json found = post("api/snap?project=" + id, wish);
  EXPECT_GT(found["shifted"].get<double>(), 0.005);
  EXPECT_GT(found["contact"].get<double>(), 0.0);
  // What it says can be pinned, and is then where it was found.
  const Json solved = post(
      "api/solve?project=" + id,
      {{"version", 1}, {"joints", Json::array()}, {"drop", Json::array()}, {"placed", {found["placement"]}}});
  EXPECT_TRUE(solved["data"]["parts"][0]["byHand"].get<bool>());
  EXPECT_EQ(solved["data"]["placed"][0], found["placement"]);
  // Nonsense is refused.
  wish["on"] = "../x";
  post("api/snap?project=" + id, wish, 422);
  wish["on"] = "piece_0.ply";
  post("api/snap?project=" + id, wish, 422);
  post("api/snap?project=" + id, Json::object(), 422);
  post("api/snap?project=" + id, Json::array(), 422);
  post("api/snap?project=nothing", wish, 404);
  off(0, 3) += 50;
  wish["on"] = "piece_1.ply";
  wish["on_from_fragment"] = rows(off);
  EXPECT_THAT(post("api/snap?project=" + id, wish, 422)["message"].get<std::string>(),
              HasSubstr("near enough"));
}

}  // namespace
}  // namespace pmtr::test
