// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// pmtr assemble from the outside: two files in, placed files and assembly.json out; bad input refused.
#include <array>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/LU>
#include <nlohmann/json.hpp>

#include "pmtr/mesh/io/mesh_file.h"
#include "support/run_program.h"

namespace pmtr::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Assemble : public testing::Test {
 protected:
  void SetUp() override {
#if !PMTR_HAS_NETWORK
    GTEST_SKIP() << "this build has no network";
#endif
  }

  ProgramResult assemble(const std::string& arguments) const {
    const bool named = arguments.find("--weights") != std::string::npos;
    return run_program("'" PMTR_PROGRAM "' assemble --threads 2 --out '" + out().string() + "' " +
                       (named ? "" : "--weights none ") + arguments);
  }
  fs::path out() const { return folder_ / "out"; }
  static std::string example(const std::string& name) { return "'" PMTR_EXAMPLES "/slab/" + name + "'"; }

  std::string put(const std::string& name, std::string_view text) const {
    EXPECT_TRUE(write_file(folder_ / name, text).ok());
    return "'" + (folder_ / name).string() + "'";
  }

  void expect_refused(const std::string& arguments, const std::string& message) const {
    const ProgramResult result = assemble(arguments);
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(fs::exists(out() / "assembly.json"));
  }

  nlohmann::json result_json() const {
    const auto bytes = read_file(out() / "assembly.json");
    EXPECT_TRUE(bytes.ok());
    return nlohmann::json::parse(as_text(*bytes));
  }

  TemporaryFolder folder_;
};

TEST_F(Assemble, writes_placed_fragments_and_their_poses) {
  // Untrained weights of a seed that finds some pose: it means nothing, but what is written must fit
  // together.
  const ProgramResult result =
      assemble("--seed 2 --units mm --object-size 120 " + example("left.ply") + " " + example("right.ply"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("untrained"));
  const nlohmann::json json = result_json();
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["units"], "mm");
  EXPECT_EQ(json["weights"], "untrained");
  ASSERT_EQ(json["parts"].size(), 2U);
  ASSERT_EQ(json["joints"].size(), 1U);
  EXPECT_EQ(json["joints"][0]["confidence"], 0.0);
  for (const std::size_t i : {0U, 1U}) {
    const nlohmann::json& part = json["parts"][i];
    EXPECT_TRUE(part["placed"].get<bool>());
    const fs::path original(part["file"].get<std::string>());
    const auto before = read_mesh_file(original);
    const auto after = read_mesh_file(out() / original.filename());
    ASSERT_TRUE(before.ok() && after.ok());
    ASSERT_EQ(before->mesh.vertices.size(), after->mesh.vertices.size());
    Eigen::Matrix4d m;
    for (int r = 0; r < 4; ++r) {
      for (int c = 0; c < 4; ++c) m(r, c) = part["world_from_part"][r][c].get<double>();
    }
    for (std::size_t v = 0; v < before->mesh.vertices.size(); v += 97) {
      const Eigen::Vector3d expected = (m * before->mesh.vertices[v].homogeneous()).head<3>();
      EXPECT_LT((expected - after->mesh.vertices[v]).norm(), 1e-4);  // millimetres, stored as float
    }
    EXPECT_EQ(before->mesh.colours, after->mesh.colours);
    EXPECT_EQ(before->mesh.faces, after->mesh.faces);
  }
}

/// The bowl, 0.3 units large, as a text file with every digit.
std::string obj_at(const TriangleMesh& mesh, double scale, const Eigen::Vector3d& place) {
  std::string text;
  for (const Eigen::Vector3d& v : mesh.vertices) {
    const Eigen::Vector3d p = scale * v + place;
    text += fmt::format("v {} {} {}\n", p.x(), p.y(), p.z());
  }
  for (const auto& f : mesh.faces) text += fmt::format("f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1);
  return text;
}

TEST_F(Assemble, in_survey_coordinates_poses_are_those_at_the_origin) {
  const Eigen::Vector3d place(4e6, 5e6, 200.0);
  std::array<nlohmann::json, 2> results;
  for (const std::size_t far : {0U, 1U}) {
    std::string files;
    for (int i = 0; i < 5; ++i) {
      const std::string name = "piece_" + std::to_string(i);
      const auto piece = read_mesh_file(PMTR_EXAMPLES "/bowl/" + name + ".ply");
      ASSERT_TRUE(piece.ok());
      files += " " + put(name + ".obj", obj_at(piece->mesh, 0.3,
                                               far == 1 ? place : Eigen::Vector3d(Eigen::Vector3d::Zero())));
    }
    const ProgramResult result =
        run_program("'" PMTR_PROGRAM "' assemble --threads 2 --object-size 0.3 --no-report --out '" +
                    out().string() + "'" + files);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    results[far] = result_json();
  }
  for (std::size_t i = 0; i < 5; ++i) {
    std::array<Eigen::Matrix4d, 2> pose;
    for (const std::size_t far : {0U, 1U}) {
      EXPECT_TRUE(results[far]["parts"][i]["placed"].get<bool>()) << far << " " << i;
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) pose[far](r, c) = results[far]["parts"][i]["world_from_part"][r][c];
    }
    Eigen::Matrix4d shift = Eigen::Matrix4d::Identity();
    shift.topRightCorner<3, 1>() = place;
    const Eigen::Matrix4d back = shift.inverse() * pose[1] * shift;
    const Eigen::Matrix4d off = back - pose[0];
    EXPECT_LT((off.topLeftCorner<3, 3>().norm()), 1e-6) << i;
    EXPECT_LT((off.topRightCorner<3, 1>().norm()), 1e-6 * 0.3) << i;
  }
}

TEST_F(Assemble, says_when_nothing_could_be_assembled) {
  // Points on a line determine no pose, whatever the network thinks of them.
  std::string line;
  for (int i = 0; i < 400; ++i) line += "v " + std::to_string(i) + " 0 0\n";
  const ProgramResult result = assemble(put("line.obj", line) + " " + put("copy.obj", line));
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no pose found"));
  EXPECT_FALSE(result_json()["parts"][0]["placed"].get<bool>());
}

TEST_F(Assemble, one_fragment_alone_stays_where_it_is) {
  const ProgramResult result = assemble(example("left.ply"));
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_THAT(result.err, HasSubstr("nothing to join"));
  const nlohmann::json json = result_json();
  ASSERT_EQ(json["parts"].size(), 1U);
  EXPECT_TRUE(json["parts"][0]["placed"].get<bool>());
  EXPECT_TRUE(json["joints"].empty());
  EXPECT_TRUE(fs::exists(out() / "left.ply"));
}

TEST_F(Assemble, the_same_call_gives_the_same_result) {
  const std::string arguments = "--seed 3 " + example("left.ply") + " " + example("right.ply");
  const ProgramResult first = assemble(arguments);
  nlohmann::json a = result_json();
  const ProgramResult second = assemble(arguments);
  nlohmann::json b = result_json();
  EXPECT_EQ(first.exit_code, second.exit_code);
  for (nlohmann::json* json : {&a, &b}) {
    json->erase("timing_ms");
    json->erase("peak_rss_mb");
  }
  EXPECT_EQ(a, b);
}

TEST_F(Assemble, refuses_bad_fragments) {
  expect_refused(example("left.ply") + " " + put("empty.ply", ""), "empty.ply");
  expect_refused(example("left.ply") + " '" + (folder_ / "missing.obj").string() + "'", "missing.obj");
  expect_refused(example("left.ply") + " " + put("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"), "area");
  expect_refused(example("left.ply") + " " + put("one.obj", "v 1 2 3\n"), "point");
  expect_refused(example("left.ply") + " " + put("nan.obj", "v 0 nan 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
                 "nan.obj");
}

TEST_F(Assemble, refuses_weights_that_do_not_fit) {
  const std::string fragments = " " + example("left.ply") + " " + example("right.ply");
  expect_refused("--weights " + put("text.safetensors", "hello") + fragments, "text.safetensors");
  const std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  file += header + std::string(4, '\0');
  expect_refused("--weights " + put("other.safetensors", file) + fragments, "missing");
}

TEST_F(Assemble, files_of_one_name_are_kept_apart_by_their_folders) {
  for (const char* side : {"left", "right"}) {
    fs::create_directories(folder_ / side);
    fs::copy_file(fs::path(PMTR_EXAMPLES) / "slab" / (side + std::string(".ply")),
                  folder_ / side / "scan.ply");
  }
  const auto path = [&](const char* side) { return " '" + (folder_ / side / "scan.ply").string() + "'"; };
  const ProgramResult result =
      assemble("--seed 2 --object-size 120 --no-report" + path("left") + path("right"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("left/scan.ply + right/scan.ply"));
  const nlohmann::json json = result_json();
  EXPECT_EQ(json["object_size_from"], "given");
  EXPECT_EQ(json["parts"][0]["placed_file"], "left/scan.ply");
  EXPECT_EQ(json["parts"][1]["placed_file"], "right/scan.ply");
  for (const char* file : {"left/scan.ply", "right/scan.ply", "matrices/left/scan.ply.txt"})
    EXPECT_TRUE(fs::exists(out() / file)) << file;
}

TEST_F(Assemble, points_without_normals_get_some_and_faults_are_named) {
  std::string files;
  for (const char* side : {"left.ply", "right.ply"}) {
    auto mesh = read_mesh_file(fs::path(PMTR_EXAMPLES) / "slab" / side);
    ASSERT_TRUE(mesh.ok());
    TriangleMesh changed = mesh->mesh;
    if (std::string(side) == "left.ply") {
      changed.faces.clear();
      changed.normals.clear();
    } else {
      for (auto& face : changed.faces) std::swap(face[1], face[2]);
    }
    ASSERT_TRUE(write_mesh(folder_ / side, changed).ok());
    files += " '" + (folder_ / side).string() + "'";
  }
  const ProgramResult result = assemble("--no-report" + files);
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.err;
  EXPECT_THAT(result.err, testing::ContainsRegex("left.ply: points without normals; they were estimated"));
  EXPECT_THAT(result.err, testing::ContainsRegex("right.ply: its surface is inside out"));
  EXPECT_EQ(result_json()["object_size_from"], "estimated");
}

TEST_F(Assemble, refuses_what_would_overwrite) {
  const std::string left = example("left.ply");
  expect_refused(left + " " + left, "given twice");
  const ProgramResult result = run_program("'" PMTR_PROGRAM "' assemble " + left + " " +
                                           example("right.ply") + " --out '" + put("file", "x").substr(1));
  EXPECT_EQ(result.exit_code, 3) << result.err;
}

TEST_F(Assemble, writes_what_people_look_at_unless_told_not_to) {
  const std::string fragments = example("left.ply") + " " + example("right.ply");
  ASSERT_EQ(assemble("--seed 2 --object-size 120 --no-report " + fragments).exit_code, 0);
  EXPECT_TRUE(fs::exists(out() / "assembly.glb"));
  EXPECT_FALSE(fs::exists(out() / "report.html"));
  const ProgramResult result = assemble("--seed 2 --object-size 120 --light " + fragments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("report.html"));
  for (const char* name : {"report.html", "assembly.png", "exploded.png", "joints.png"})
    EXPECT_TRUE(fs::exists(out() / name)) << name;
}

/// [4, 4] of JSON.
Eigen::Matrix4d matrix_of(const nlohmann::json& rows) {
  Eigen::Matrix4d m;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      m(i, j) = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
  return m;
}

TEST_F(Assemble, puts_the_bowl_together_with_the_weights_that_come_with_it) {
  std::string fragments;
  for (int i = 0; i < 5; ++i) fragments += " '" PMTR_EXAMPLES "/bowl/piece_" + std::to_string(i) + ".ply'";
  const ProgramResult result = run_program("'" PMTR_PROGRAM "' assemble --object-size 1 --no-report --out '" +
                                           out().string() + "'" + fragments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("input units"));
  const nlohmann::json json = result_json();
  EXPECT_NE(json["weights"], "untrained");
  const auto bytes = read_file(PMTR_EXAMPLES "/bowl/object.json");
  ASSERT_TRUE(bytes.ok());
  const auto truth = nlohmann::json::parse(as_text(*bytes));
  for (std::size_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(json["parts"][i]["placed"].get<bool>()) << i;
    // Relative to the first piece: where the whole bowl stands is free.
    const auto relative = [&](const nlohmann::json& parts) {
      return Eigen::Matrix4d(matrix_of(parts[0]["world_from_part"]).inverse() *
                             matrix_of(parts[i]["world_from_part"]));
    };
    const Eigen::Matrix4d off = relative(json["parts"]) - relative(truth["pieces"]);
    EXPECT_LT(off.cwiseAbs().maxCoeff(), 0.02) << "piece " << i;
  }
}

/// What the bundled weights say to fragments that are not one broken object.
class AssembleStrangers : public Assemble {
 protected:
  static std::string piece(const std::string& object, int number) {
    return PMTR_EXAMPLES "/" + object + "/piece_" + std::to_string(number) + ".ply";
  }
  std::string copied(const std::string& from, const std::string& name) const {
    fs::copy_file(from, folder_ / name);
    return " '" + (folder_ / name).string() + "'";
  }
  ProgramResult assembled(const std::string& fragments) const {
    return run_program("'" PMTR_PROGRAM "' assemble --object-size 1 --no-report --out '" + out().string() +
                       "'" + fragments);
  }
  void expect_nothing_placed(const ProgramResult& result) const {
    EXPECT_EQ(result.exit_code, 4) << result.err;
    EXPECT_THAT(result.err, HasSubstr("no pose found"));
    const auto json = result_json();
    for (const auto& part : json["parts"]) EXPECT_FALSE(part["placed"].get<bool>()) << part;
  }
};

TEST_F(AssembleStrangers, two_copies_of_one_fragment_do_not_fit) {
  expect_nothing_placed(assembled(copied(piece("bowl", 0), "a.ply") + copied(piece("bowl", 0), "b.ply")));
}

TEST_F(AssembleStrangers, a_mirror_image_does_not_fit) {
  auto file = read_mesh_file(piece("bowl", 1));
  ASSERT_TRUE(file.ok());
  TriangleMesh& mesh = file->mesh;
  for (auto& v : mesh.vertices) v.x() = -v.x();
  for (auto& face : mesh.faces) std::swap(face[0], face[1]);  // so that its surface still faces outwards
  const fs::path mirrored = folder_ / "mirrored.ply";
  ASSERT_TRUE(write_mesh(mirrored, mesh).ok());
  expect_nothing_placed(assembled(copied(piece("bowl", 0), "a.ply") + " '" + mirrored.string() + "'"));
}

TEST_F(AssembleStrangers, fragments_that_share_nothing_stay_apart) {
  expect_nothing_placed(assembled(copied(piece("bowl", 1), "a.ply") + copied(piece("vase", 1), "b.ply") +
                                  copied(piece("mug", 2), "c.ply")));
}

TEST_F(AssembleStrangers, a_foreign_fragment_is_named_and_left_out) {
  std::string fragments = copied(piece("mug", 0), "foreign.ply");
  for (int i = 0; i < 5; ++i) fragments += " '" + piece("bowl", i) + "'";
  const ProgramResult result = assembled(fragments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("foreign.ply: not placed"));
  const nlohmann::json json = result_json();
  EXPECT_FALSE(json["parts"][0]["placed"].get<bool>());
  for (std::size_t i = 1; i <= 5; ++i) EXPECT_TRUE(json["parts"][i]["placed"].get<bool>()) << i;
}

TEST_F(Assemble, replays_constraints) {
  const std::string fragments = example("left.ply") + " " + example("right.ply");
  const std::string drop = put("drop.json", R"({"version": 1, "joints": [], "drop": ["left.ply"]})");
  const ProgramResult result =
      assemble("--seed 2 --object-size 120 --no-report --constraints " + drop + " " + fragments);
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_TRUE(result_json()["parts"][0]["dropped"].get<bool>());
  EXPECT_TRUE(fs::exists(out() / "constraints.json"));
  fs::remove_all(out());
  expect_refused("--constraints " + put("other.json", R"({"version": 1, "joints": [], "drop": ["x.ply"]})") +
                     " " + fragments,
                 "x.ply");
  expect_refused("--constraints " + put("bad.json", "{}") + " " + fragments, "version");
}

TEST_F(Assemble, wrong_usage) {
  EXPECT_EQ(run_program("'" PMTR_PROGRAM "' assemble").exit_code, 2);
  EXPECT_EQ(run_program("'" PMTR_PROGRAM "' assemble a.ply b.ply").exit_code, 2);  // no --out
  EXPECT_EQ(assemble("--threads 0 a.ply b.ply").exit_code, 2);
  EXPECT_EQ(assemble("--units furlong a.ply b.ply").exit_code, 2);
}

}  // namespace
}  // namespace pmtr::test
