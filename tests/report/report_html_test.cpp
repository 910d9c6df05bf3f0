// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/report_html.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/report/page/gap_map.h"
#include "pmtr/report/record/result_files.h"
#include "pmtr/report/record/words.h"
#include "support/example_assembly.h"

namespace pmtr::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of(const ExampleAssembly& example, const ReportOptions& options = {}) {
  const auto html = report_html(example.record, meshes_of(example.files), {}, options, Threads::none(), {});
  EXPECT_TRUE(html.ok());
  return html.ok() ? *html : "";
}

TEST(ReportHtml, is_one_file_that_asks_for_no_other) {
  const std::string html = page_of(example_assembly(PMTR_EXAMPLES "/bowl"));
  const std::regex outside("(src|href)\\s*=\\s*\"(?!data:|#)[^\"]*\"", std::regex::icase);
  // The script is a program, not markup: look at what comes before it.
  const std::string markup = html.substr(0, html.find("<script>"));
  std::smatch found;
  EXPECT_FALSE(std::regex_search(markup, found, outside)) << found.str();
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("{{")));
  EXPECT_THAT(html, HasSubstr("three.js"));  // whose licence asks to be named
}

TEST(ReportHtml, says_in_words_and_tables_what_there_is) {
  ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/bowl");
  example.record.context.units = "mm";
  const std::string html = page_of(example);
  EXPECT_THAT(html, HasSubstr("5 of 5 fragments placed"));
  EXPECT_THAT(html, HasSubstr("About the rotations, not about the joints"));
  EXPECT_THAT(html, HasSubstr("Gap mean (mm)"));
  EXPECT_THAT(html, HasSubstr("piece_3.ply"));
  EXPECT_THAT(html, HasSubstr("as in its file"));
  EXPECT_THAT(html, HasSubstr("accepted"));
  EXPECT_THAT(html, HasSubstr("too weak"));
  example.record.context.units.clear();
  EXPECT_THAT(page_of(example), HasSubstr("never guessed"));
}

TEST(ReportHtml, hostile_file_names_stay_text) {
  ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/bowl");
  example.record.context.files[0] = "</script><script>alert(1)<img src=x onerror=alert(1)>\"'&.ply";
  const std::string html = page_of(example);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, Not(HasSubstr("<img src=x")));
  EXPECT_THAT(html, HasSubstr("\\u003cscript>alert"));
}

TEST(ReportHtml, light_is_small) {
  const ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/vase");
  ReportOptions small;
  small.faces = 2000;
  EXPECT_LT(page_of(example, small).size() + 100'000, page_of(example).size());
}

TEST(ReportHtml, nothing_placed_is_a_report_as_well) {
  ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/bowl");
  example.record.assembly.joints.clear();
  example.solve();
  EXPECT_THAT(page_of(example), HasSubstr("No two fragments could be joined."));
}

TEST(GapMap, gaps_are_those_between_the_surfaces) {
  // Two slabs of 1 x 1 x 0.2 with a gap of 0.01 between them.
  const auto slab = [] {
    TriangleMesh mesh;
    for (int i = 0; i < 8; ++i) mesh.vertices.emplace_back(i & 1, i >> 1 & 1, 0.2 * (i >> 2));
    mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                  {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return mesh;
  }();
  AssemblyRecord record;
  record.context.object_size = 1.0;
  record.assembly.parts.resize(2);
  for (PlacedPart& part : record.assembly.parts) {
    part.placed = true;
    part.component = 0;
  }
  record.assembly.parts[1].world_from_part.translation.z() = 0.21;
  const std::vector<const TriangleMesh*> meshes = {&slab, &slab};
  std::vector<DisplayMesh> shown = {display_mesh(slab), display_mesh(slab)};
  EXPECT_DOUBLE_EQ(mating_distance(record), 0.004);
  find_gaps(record, meshes, 0.02, shown, Threads::none());
  int mating = 0;
  for (std::size_t v = 0; v < shown[0].positions.size(); ++v) {
    const bool top = shown[0].normals[v].z() > 0.9F;
    EXPECT_NEAR(shown[0].gaps[v], top ? 0.01F : -1.0F, 1e-6F);
    mating += top ? 1 : 0;
  }
  EXPECT_EQ(mating, 4);
  EXPECT_NEAR(gap_scale(shown), 0.01, 1e-12);
  record.assembly.parts[1].component = 1;  // another frame: no gap between them
  find_gaps(record, meshes, 0.02, shown, Threads::none());
  EXPECT_EQ(gap_scale(shown), 0.0);
}

TEST(ContactPairs, joined_points_coincide_in_the_joints_pose) {
  const ExampleAssembly example = example_assembly(PMTR_EXAMPLES "/bowl");
  const ContactPairOptions options;
  const auto pairs = find_contact_pairs(example.record, meshes_of(example.files), options, Threads::none());
  ASSERT_EQ(pairs.size(), example.record.assembly.joints.size());
  std::size_t used = 0;
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    const Joint& joint = example.record.assembly.joints[j];
    EXPECT_LE(pairs[j].size(), static_cast<std::size_t>(options.pairs));
    if (joint.used) used += pairs[j].empty() ? 0 : 1;
    for (const ContactPair& pair : pairs[j])
      EXPECT_LT((joint.a_from_b * pair.in_b - pair.in_a).norm(), options.tolerance);
  }
  EXPECT_GE(used, 6U);
}

}  // namespace
}  // namespace pmtr::test
