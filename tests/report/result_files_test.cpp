// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The files of an assembly, read back by other means than they were written with.
#include "pmtr/report/record/solve_again.h"

#include <charconv>
#include <map>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/index.h"
#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/glb/glb_container.h"
#include "pmtr/report/record/snap_fragment.h"
#include "support/example_assembly.h"
#include "support/temporary_folder.h"

namespace pmtr::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string content(const fs::path& path) {
  const auto bytes = read_file(path);
  EXPECT_TRUE(bytes.ok()) << path;
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string();
}

Eigen::Matrix4d matrix_in(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream stream(text);
  Eigen::Matrix4d m;
  for (int k = 0; k < 16; ++k) stream >> m(k / 4, k % 4);
  EXPECT_FALSE(stream.fail()) << text;
  return m;
}

/// The matrix takes the original's vertices to those of the placed file.
void expect_placed(const Eigen::Matrix4d& matrix, const TriangleMesh& original, const TriangleMesh& placed) {
  ASSERT_EQ(original.vertices.size(), placed.vertices.size());
  double worst = 0;
  for (std::size_t v = 0; v < original.vertices.size(); ++v) {
    const Eigen::Vector3d moved = (matrix * original.vertices[v].homogeneous()).head<3>();
    worst = std::max(worst, (moved - placed.vertices[v]).norm());
  }
  EXPECT_LT(worst, 1e-6);
}

class ResultFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    example_ = new ExampleAssembly(example_assembly(PMTR_EXAMPLES "/bowl"));
    const Status written =
        write_results(out(), example_->files, example_->record, {true, false}, Threads::none(), {});
    ASSERT_TRUE(written.ok()) << written.error().text();
  }
  static void TearDownTestSuite() {
    delete folder_;
    delete example_;
  }
  static fs::path out() { return *folder_ / "out"; }
  static TriangleMesh placed(std::size_t i) {
    return read_mesh_file(out() / example_->files[i].path.filename())->mesh;
  }

  static TemporaryFolder* folder_;
  static ExampleAssembly* example_;
};
TemporaryFolder* ResultFiles::folder_ = nullptr;
ExampleAssembly* ResultFiles::example_ = nullptr;

TEST_F(ResultFiles, all_are_there) {
  for (const char* name :
       {"assembly.json", "assembly.glb", "assembly.mlp", "matrices.csv", "report.html", "assembly.png",
        "exploded.png", "joints.png", "piece_0.ply", "matrices/piece_4.ply.txt"}) {
    EXPECT_GE(fs::file_size(out() / name), 32U) << name;
  }
  EXPECT_FALSE(fs::exists(out() / "constraints.json"));
  for (const PlacedPart& part : example_->record.assembly.parts) EXPECT_TRUE(part.placed);
}

TEST_F(ResultFiles, every_matrix_file_gives_the_placed_fragments) {
  std::istringstream csv(content(out() / "matrices.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_THAT(line, HasSubstr("file,placed,component,m00,m01"));
  const std::string mlp = content(out() / "assembly.mlp");
  const std::regex mesh_entry(
      "<MLMesh label=\"([^\"]*)\" filename=\"([^\"]*)\"[^>]*>\\s*<MLMatrix44>([^<]*)</MLMatrix44>");
  auto mesh_of_mlp = std::sregex_iterator(mlp.begin(), mlp.end(), mesh_entry);
  for (std::size_t i = 0; i < example_->files.size(); ++i) {
    SCOPED_TRACE(i);
    const MeshFile& file = example_->files[i];
    const std::string name = file.path.filename().string();
    ASSERT_TRUE(std::getline(csv, line));
    const std::string start = name + ",1,0,";
    ASSERT_EQ(line.substr(0, start.size()), start);
    expect_placed(matrix_in(line.substr(start.size())), file.mesh, placed(i));

    expect_placed(matrix_in(content(out() / "matrices" / (name + ".txt"))), file.mesh, placed(i));

    ASSERT_NE(mesh_of_mlp, std::sregex_iterator());
    EXPECT_EQ((*mesh_of_mlp)[1], name);
    // The project names the original, seen from its own folder.
    EXPECT_TRUE(fs::equivalent(out() / (*mesh_of_mlp)[2].str(), file.path));
    expect_placed(matrix_in((*mesh_of_mlp)[3]), file.mesh, placed(i));
    ++mesh_of_mlp;
  }
  EXPECT_EQ(mesh_of_mlp, std::sregex_iterator());
}

TEST_F(ResultFiles, the_glb_has_a_named_node_per_fragment) {
  const auto bytes = read_file(out() / "assembly.glb");
  ASSERT_TRUE(bytes.ok());
  const auto chunks = glb::split(*bytes, "assembly.glb");
  ASSERT_TRUE(chunks.ok());
  const nlohmann::json json = nlohmann::json::parse(chunks->json);
  std::map<std::string, nlohmann::json> nodes;
  for (const nlohmann::json& node : json["nodes"]) nodes[node["name"].get<std::string>()] = node;
  std::size_t first = 0;
  const auto all = parse_glb(*bytes, "assembly.glb");
  ASSERT_TRUE(all.ok()) << all.error().text();
  for (std::size_t i = 0; i < example_->files.size(); ++i) {
    const nlohmann::json& node = nodes.at(example_->files[i].path.filename().string());
    Eigen::Matrix4d matrix;  // column by column
    for (int k = 0; k < 16; ++k) matrix(k % 4, k / 4) = node["matrix"][static_cast<std::size_t>(k)];
    expect_placed(matrix, example_->files[i].mesh, placed(i));
    // The whole scene, read as one mesh, has the parts one after another.
    const TriangleMesh part = placed(i);
    for (std::size_t v = 0; v < part.vertices.size(); ++v)
      ASSERT_LT((all->vertices[first + v] - part.vertices[v]).norm(), 1e-6);
    first += part.vertices.size();
  }
  EXPECT_EQ(first, all->vertices.size());
  EXPECT_EQ(nodes.at("component 0")["children"].size(), example_->files.size());
}

TEST_F(ResultFiles, the_assembly_is_read_again_and_its_fragments_found) {
  const auto record = read_assembly(out());
  ASSERT_TRUE(record.ok()) << record.error().text();
  EXPECT_EQ(assembly_json(record->assembly, record->context), content(out() / "assembly.json"));
  const auto files = find_fragments(out(), *record, std::nullopt, false, {});
  ASSERT_TRUE(files.ok()) << files.error().text();
  EXPECT_EQ(files->size(), 5U);
  EXPECT_EQ((*files)[2].mesh.vertices, example_->files[2].mesh.vertices);
}

TEST_F(ResultFiles, placed_copies_do_where_the_originals_are_gone) {
  auto record = read_assembly(out());
  ASSERT_TRUE(record.ok());
  for (std::string& file : record->context.files) file = "gone/" + fs::path(file).filename().string();
  for (std::string& file : record->context.relative_files)
    file = "gone/" + fs::path(file).filename().string();
  const auto none = find_fragments(out(), *record, std::nullopt, false, {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().cause, Cause::unreadable);
  EXPECT_THAT(none.error().text(), HasSubstr("--fragments"));
  const auto copies = find_fragments(out(), *record, std::nullopt, true, {});
  ASSERT_TRUE(copies.ok()) << copies.error().text();
  for (std::size_t i = 0; i < 5; ++i)
    expect_placed(Eigen::Matrix4d::Identity(), example_->files[i].mesh, (*copies)[i].mesh);
  EXPECT_TRUE(find_fragments(out(), *record, fs::path(PMTR_EXAMPLES "/bowl"), false, {}).ok());
  const auto others = find_fragments(out(), *record, fs::path(PMTR_EXAMPLES "/mug"), false, {});
  ASSERT_FALSE(others.ok());
  EXPECT_EQ(others.error().cause, Cause::mismatch);
}

TEST(SolveAgain, a_rejected_joint_moves_the_fragment_and_is_remembered) {
  const TemporaryFolder folder;
  ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/bowl", 2);
  const fs::path out = folder / "out";
  ASSERT_TRUE(write_results(out, example.files, example.record, {false, false}, Threads::none(), {}).ok());
  const auto wrong = read_mesh_file(out / "piece_2.ply");

  const Constraints reject{{{"piece_1.ply", "piece_2.ply", 0, Decision::reject}}, {}};
  const auto solved = solve_again(out, example.files, reject, {false, false}, Threads::none(), {});
  ASSERT_TRUE(solved.ok()) << solved.error().text();
  const auto moved = read_mesh_file(out / "piece_2.ply");
  EXPECT_GT((moved->mesh.vertices[0] - wrong->mesh.vertices[0]).norm(), 0.01);
  const auto kept = parse_constraints(content(out / "constraints.json"), "c");
  ASSERT_TRUE(kept.ok());
  ASSERT_EQ(kept->joints.size(), 1U);
  EXPECT_EQ(kept->joints[0].decision, Decision::reject);
  const auto record = read_assembly(out);
  EXPECT_EQ(fate_word(*record, 4), "rejected");

  // Files of earlier versions do not say where the placed copies are.
  nlohmann::json json = nlohmann::json::parse(content(out / "assembly.json"));
  for (nlohmann::json& part : json["parts"]) part.erase("placed_file");
  ASSERT_TRUE(write_file(out / "assembly.json", json.dump()).ok());
  // Leaving the fragment out takes its files away; taking everything back restores the first result.
  ASSERT_TRUE(
      solve_again(out, example.files, {{}, {"piece_2.ply"}}, {false, false}, Threads::none(), {}).ok());
  EXPECT_FALSE(fs::exists(out / "piece_2.ply"));
  EXPECT_FALSE(fs::exists(out / "matrices" / "piece_2.ply.txt"));
  EXPECT_TRUE(fs::exists(PMTR_EXAMPLES "/bowl/piece_2.ply"));
  ASSERT_TRUE(solve_again(out, example.files, {}, {false, false}, Threads::none(), {}).ok());
  EXPECT_FALSE(fs::exists(out / "constraints.json"));
  EXPECT_LT((read_mesh_file(out / "piece_2.ply")->mesh.vertices[0] - wrong->mesh.vertices[0]).norm(), 1e-6);
}

TEST(SolveAgain, without_a_decision_and_with_a_lock_on_what_stands_nothing_moves) {
  const TemporaryFolder folder;
  ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/bowl");
  // Refined on the surfaces after averaging: no solver would find just these numbers again.
  for (PlacedPart& part : example.record.assembly.parts) {
    if (!part.anchor) part.world_from_part.translation += Eigen::Vector3d(1e-4, -2e-4, 3e-5);
  }
  ASSERT_TRUE(
      write_results(folder.path(), example.files, example.record, {false, false}, Threads::none(), {}).ok());
  const std::string before = content(folder / "assembly.json");
  ASSERT_TRUE(solve_again(folder.path(), example.files, {}, {false, false}, Threads::none(), {}).ok());
  EXPECT_EQ(content(folder / "assembly.json"), before);

  const auto plain = nlohmann::json::parse(before);
  for (std::size_t j = 0; j < plain["joints"].size(); ++j) {
    if (!plain["joints"][j]["used"].get<bool>()) continue;
    const auto name = [&](const char* key) {
      return "piece_" + std::to_string(plain["joints"][j][key].get<int>()) + ".ply";
    };
    const Constraints lock{{{name("a"), name("b"), plain["joints"][j]["rank"].get<int>(), Decision::lock}},
                           {}};
    ASSERT_TRUE(solve_again(folder.path(), example.files, lock, {false, false}, Threads::none(), {}).ok());
    const auto locked = nlohmann::json::parse(content(folder / "assembly.json"));
    for (std::size_t i = 0; i < plain["parts"].size(); ++i)
      EXPECT_EQ(plain["parts"][i]["world_from_part"], locked["parts"][i]["world_from_part"]) << j << " " << i;
  }
  // Taken back, the file is the first one again.
  ASSERT_TRUE(solve_again(folder.path(), example.files, {}, {false, false}, Threads::none(), {}).ok());
  EXPECT_EQ(content(folder / "assembly.json"), before);
}

/// The bowl with piece 2 misled, and what was seen of its breaks.
ExampleAssembly misled_bowl() {
  ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/bowl", 2);
  example.record.context.seen = std::make_shared<SeenBreaks>(test::true_breaks(example));
  example.record.context.shapes = example.shapes();
  return example;
}
/// How far piece 2 is from where it belongs, seen from piece 1.
PoseDifference off_truth(const ExampleAssembly& example, const Rigid3& one_from_two) {
  const std::vector<PartShape> shapes = example.shapes();
  return difference(centred(one_from_two, shapes[1], shapes[2]),
                    centred(example.truth[1].inverse() * example.truth[2], shapes[1], shapes[2]));
}
Rigid3 one_from_two(const AssemblyRecord& record) {
  return record.assembly.parts[1].world_from_part.inverse() * record.assembly.parts[2].world_from_part;
}

TEST(SolveAgain, with_the_breaks_at_hand_what_is_joined_anew_is_refined_on_them) {
  const TemporaryFolder folder;
  ExampleAssembly example = misled_bowl();
  ASSERT_TRUE(
      write_results(folder.path(), example.files, example.record, {false, false}, Threads::none(), {}).ok());
  const auto bytes = fs::file_size(folder / "breaks.bin");
  EXPECT_LT(bytes, 200000U);
  const Constraints reject{{{"piece_1.ply", "piece_2.ply", 0, Decision::reject}}, {}};
  const auto refined = solve_again(folder.path(), example.files, reject, {false, false}, Threads::none(), {});
  ASSERT_TRUE(refined.ok()) << refined.error().text();
  EXPECT_EQ(fs::file_size(folder / "breaks.bin"), bytes);
  AssemblyRecord blind = example.record;
  blind.context.seen = nullptr;
  const auto averaged = decide_again(blind, reject, {});
  ASSERT_TRUE(averaged.ok());
  // The candidate was up to 0.4 degrees off; the breaks bring it nearer.
  const double before = off_truth(example, one_from_two(*averaged)).angle_deg;
  const double after = off_truth(example, one_from_two(*refined)).angle_deg;
  EXPECT_LT(after, 0.75 * before) << before;
  // A locked pose is meant as it is.
  const Constraints lock{{{"piece_1.ply", "piece_2.ply", 1, Decision::lock}}, {}};
  const auto locked = decide_again(example.record, lock, {});
  ASSERT_TRUE(locked.ok()) << locked.error().text();
  EXPECT_NEAR(off_truth(example, one_from_two(*locked)).angle_deg, before, 1e-6);
  // Taken back, nothing is left of it.
  const auto back = decide_again(*refined, {}, {});
  ASSERT_TRUE(back.ok());
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(back->assembly.parts[i].world_from_part.matrix(),
              example.record.assembly.parts[i].world_from_part.matrix());
}

TEST(SolveAgain, a_fragment_put_by_hand_snaps_stays_and_is_remembered) {
  const TemporaryFolder folder;
  ExampleAssembly example = misled_bowl();
  const Rigid3 truth = example.truth[1].inverse() * example.truth[2];
  AppliedPlacement wish{2, 1, test::turned_in_place(example, truth, 2, 6.0), false};
  wish.on_from_part.translation += Eigen::Vector3d(0.015, -0.01, 0.01);
  const std::vector<OrientedCloud> clouds = orient_seen(*example.record.context.seen, Threads::none());
  const auto snapped = snap_fragment(example.record, clouds, wish);
  ASSERT_TRUE(snapped.ok()) << snapped.error().text();
  EXPECT_GT(snapped->turned_deg, 4.0);
  EXPECT_GT(snapped->evidence.contact_points, 20);
  const AppliedPlacement& there = snapped->placement;
  const Rigid3 one_from_on = example.truth[1].inverse() * example.truth[at(there.on)];
  const PoseDifference off = off_truth(example, one_from_on * there.on_from_part);
  EXPECT_LT(off.angle_deg, 1.0);
  EXPECT_LT(off.shift, 0.005);
  // Far from everything there is nothing to snap to.
  AppliedPlacement away = wish;
  away.on_from_part.translation += Eigen::Vector3d(3, 0, 0);
  EXPECT_FALSE(snap_fragment(example.record, clouds, away).ok());

  // Kept exactly where it was put, through files and back.
  ASSERT_TRUE(
      write_results(folder.path(), example.files, example.record, {false, false}, Threads::none(), {}).ok());
  const std::string before = content(folder / "assembly.json");
  const Constraints placed{{}, {}, {{"piece_2.ply", "piece_1.ply", wish.on_from_part, false}}};
  const auto solved = solve_again(folder.path(), example.files, placed, {false, false}, Threads::none(), {});
  ASSERT_TRUE(solved.ok()) << solved.error().text();
  EXPECT_LT((one_from_two(*solved).matrix() - wish.on_from_part.matrix()).norm(), 1e-9);
  EXPECT_EQ(solved->assembly.parts[2].component, solved->assembly.parts[1].component);
  const auto read = read_assembly(folder.path());
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_TRUE(read->context.decisions.is_placed(2));
  const auto kept = parse_constraints(content(folder / "constraints.json"), "c");
  ASSERT_TRUE(kept.ok()) << kept.error().text();
  ASSERT_EQ(kept->placed.size(), 1U);
  EXPECT_EQ(kept->placed[0].on, "piece_1.ply");
  EXPECT_LT((kept->placed[0].on_from_fragment.matrix() - wish.on_from_part.matrix()).norm(), 1e-12);
  // The others did not move, and without it all is as before.
  for (const std::size_t i : {0U, 1U, 3U, 4U})
    EXPECT_LT((solved->assembly.parts[i].world_from_part.matrix() -
               example.record.assembly.parts[i].world_from_part.matrix())
                  .norm(),
              1e-9);
  ASSERT_TRUE(solve_again(folder.path(), example.files, {}, {false, false}, Threads::none(), {}).ok());
  EXPECT_EQ(content(folder / "assembly.json"), before);
}

TEST(SolveAgain, hand_placements_that_make_no_sense_are_refused) {
  const ExampleAssembly example = misled_bowl();
  const auto refused = [&](const Constraints& constraints) {
    const auto solved = decide_again(example.record, constraints, {});
    return !solved.ok() && solved.error().cause == Cause::mismatch;
  };
  EXPECT_TRUE(refused({{}, {}, {{"piece_2.ply", "piece_2.ply", {}, false}}}));
  EXPECT_TRUE(refused({{}, {}, {{"piece_9.ply", "piece_2.ply", {}, false}}}));
  EXPECT_TRUE(refused({{}, {"piece_1.ply"}, {{"piece_2.ply", "piece_1.ply", {}, false}}}));
  EXPECT_TRUE(refused(
      {{}, {}, {{"piece_2.ply", "piece_1.ply", {}, false}, {"piece_2.ply", "piece_0.ply", {}, false}}}));
}

TEST(SolveAgain, constraints_that_fit_nothing_change_nothing) {
  const TemporaryFolder folder;
  ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/bowl");
  ASSERT_TRUE(
      write_results(folder.path(), example.files, example.record, {false, false}, Threads::none(), {}).ok());
  const std::string before = content(folder / "assembly.json");
  EXPECT_FALSE(
      solve_again(folder.path(), example.files, {{}, {"other.ply"}}, {false, false}, Threads::none(), {})
          .ok());
  EXPECT_EQ(content(folder / "assembly.json"), before);
}

TEST(WriteResults, a_fragment_with_the_name_of_a_result_is_refused) {
  const TemporaryFolder folder;
  ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/bowl");
  example.files[0].path = "assembly.glb";
  const Status written =
      write_results(folder / "out", example.files, example.record, {}, Threads::none(), {});
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().text(), HasSubstr("rename"));
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(WriteResults, inputs_are_never_overwritten) {
  const TemporaryFolder folder;
  for (const char* name :
       {"object.json", "piece_0.ply", "piece_1.ply", "piece_2.ply", "piece_3.ply", "piece_4.ply"})
    fs::copy_file(fs::path(PMTR_EXAMPLES "/bowl") / name, folder / name);
  ExampleAssembly example = example_assembly(folder.path());
  const Status written = write_results(folder.path(), example.files, example.record, {}, Threads::none(), {});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().cause, Cause::unwritable);
  EXPECT_FALSE(fs::exists(folder / "assembly.json"));
  EXPECT_EQ(content(folder / "piece_3.ply"), content(PMTR_EXAMPLES "/bowl/piece_3.ply"));
}

}  // namespace
}  // namespace pmtr::test
