// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/train/study_tables.h"

namespace pmtr {
namespace {

using testing::HasSubstr;

constexpr std::string_view two_variants =
    "title = \"T\"\nupdates = 7\nseeds = [3, 4]\ncolumns = [\"recall_matches\", \"rmse_lgr\"]\n"
    "[[variant]]\nname = \"None, at all\"\n[variant.network]\ncoarse_matcher = \"none\"\n"
    "[[variant]]\nname = \"GeoTr\"\nnote = \"paper: 1\"\n[variant.network]\ncoarse_matcher = \"geotr\"\n"
    "[variant.losses]\nzero = 0.0\n";

Study study_of(std::string_view text) {
  auto study = parse_study(text, "studies/x.toml");
  EXPECT_TRUE(study.ok()) << study.error().text();
  return *std::move(study);
}

std::string study_error(const std::string& text) {
  const auto study = parse_study(text, "x.toml");
  EXPECT_FALSE(study.ok()) << text;
  return study.ok() ? "" : study.error().text();
}

TEST(Study, variants_are_the_configuration_with_their_changes) {
  const Study study = study_of(two_variants);
  EXPECT_EQ(study.title, "T");
  EXPECT_EQ(study.seeds, (std::vector<std::uint64_t>{3, 4}));
  ASSERT_EQ(study.variants.size(), 2U);
  EXPECT_EQ(study.variants[0].folder, "none_at_all");
  EXPECT_EQ(study.variants[0].config.train.steps, 7);
  EXPECT_EQ(study.variants[0].config.network.coarse_matcher, MatcherKind::none);
  EXPECT_EQ(study.variants[0].config.train.losses.zero, LossOptions{}.zero);
  EXPECT_EQ(study.variants[1].config.network.coarse_matcher, MatcherKind::geotr);
  EXPECT_EQ(study.variants[1].config.train.losses.zero, 0.0);
}

TEST(Study, what_is_changed_for_all_can_be_changed_again) {
  std::string text(two_variants);
  text.insert(text.find("[[variant]]"), "[all.losses]\nzero = 3.0\nfine = 0.25\n");
  const Study study = study_of(text);
  EXPECT_EQ(study.variants[0].config.train.losses.zero, 3.0);
  EXPECT_EQ(study.variants[1].config.train.losses.zero, 0.0);
  EXPECT_EQ(study.variants[1].config.train.losses.fine, 0.25);
}

TEST(Study, of_assemblies_has_systems_with_budgets_of_their_own) {
  const std::string head =
      "title = \"T\"\nevaluation = \"assembly\"\nevaluate = [\"--pairs\"]\ncolumns = [\"everyday.crd\"]\n"
      "[all.data]\nmax_parts = 2\n";
  const Study study = study_of(head +
                               "[[variant]]\nname = \"A\"\nsystem = \"dgl\"\nupdates = 9\n"
                               "[variant.train]\nbatch = 3\n"
                               "[[variant]]\nname = \"B\"\nevaluate = [\"--pose\", \"lgr\"]\n");
  EXPECT_EQ(study.kind, StudyKind::assembly);
  EXPECT_EQ(study.evaluate, std::vector<std::string>{"--pairs"});
  EXPECT_EQ(study.variants[0].system, "dgl");
  EXPECT_EQ(study.variants[0].updates, 9);
  EXPECT_EQ(study.variants[0].config.train.steps, 9);
  EXPECT_THAT(study.variants[0].changes, HasSubstr("batch = 3"));
  EXPECT_THAT(study.variants[0].changes, HasSubstr("max_parts = 2"));
  EXPECT_EQ(study.variants[1].updates, 0);
  EXPECT_EQ(study.variants[1].evaluate, (std::vector<std::string>{"--pose", "lgr"}));
  const StudyOutcomes outcomes{{{std::map<std::string, double>{{"everyday.crd", 0.125}}, "", {}}}, {{}}};
  const std::string table = study_markdown(study, outcomes);
  EXPECT_THAT(table, HasSubstr("everyday: CRD x 100"));
  EXPECT_THAT(table, HasSubstr("| A | 1 of 1 | 12.50 |"));
  EXPECT_THAT(table, HasSubstr("A 9, B none (released weights)"));
  EXPECT_THAT(study_error(head + "[[variant]]\nname = \"A\"\nsystem = \"dgl\"\n"),
              HasSubstr("'updates' or 'minutes'"));
  EXPECT_THAT(study_error("title = \"T\"\nupdates = 3\ncolumns = [\"x\"]\n[[variant]]\nname = \"A\"\n"
                          "system = \"dgl\"\n"),
              HasSubstr("assembly"));
}

TEST(Study, minutes_are_a_budget_of_systems_and_published_rows_a_table_of_their_own) {
  const std::string head = "title = \"T\"\nevaluation = \"assembly\"\ncolumns = [\"crd\"]\n";
  const std::string by_time = head +
                              "minutes = 80.0\npublished_columns = [\"CRD\"]\n"
                              "[[variant]]\nname = \"A\"\nsystem = \"dgl\"\n"
                              "[[variant]]\nname = \"B\"\nsystem = \"wu\"\nupdates = 7\n"
                              "[[variant]]\nname = \"C\"\n"
                              "[[published]]\nname = \"A\"\nvalues = [3.25]\n";
  const Study study = study_of(by_time);
  EXPECT_EQ(study.variants[0].minutes, 80.0);
  EXPECT_TRUE(study.variants[0].trained());
  EXPECT_EQ(study.variants[1].minutes, 0.0);
  EXPECT_EQ(study.variants[1].updates, 7);
  EXPECT_FALSE(study.variants[2].trained());
  const StudyOutcomes outcomes{
      {{std::map<std::string, double>{{"crd", 0.5}, {"updates", 41.0}}, "", {}}}, {{}}, {{}}};
  const std::string table = study_markdown(study, outcomes);
  EXPECT_THAT(table, HasSubstr("A 41 (80 minutes), B 7, C none (released weights)"));
  EXPECT_THAT(table, HasSubstr("Other data, other hours"));
  EXPECT_THAT(table, HasSubstr("| A | 3.25 |"));
  EXPECT_THAT(study_markdown(study, {{{}}, {{}}, {{}}}), HasSubstr("A not trained yet (80 minutes)"));
  EXPECT_THAT(study_error(by_time + "[[published]]\nname = \"B\"\nvalues = [1.0, 2.0]\n"),
              HasSubstr("one for each of the 1 published_columns"));
  EXPECT_THAT(study_error(head + "[[variant]]\nname = \"A\"\nsystem = \"dgl\"\nupdates = 2\nminutes = 1.0\n"),
              HasSubstr("not both"));
  EXPECT_THAT(study_error("title = \"T\"\nupdates = 3\nminutes = 2.0\ncolumns = [\"x\"]\n"),
              HasSubstr("'minutes' need evaluation"));
}

TEST(Study, every_file_of_the_papers_tables_reads) {
  for (const char* name : {"proxies", "losses", "fine_matchers", "coarse_matchers", "efficiency",
                           "what_pmt_adds", "table1", "table6"}) {
    const auto study =
        read_study(std::filesystem::path(PMTR_CONFIGS) / "../studies" / (std::string(name) + ".toml"));
    ASSERT_TRUE(study.ok()) << study.error().text();
    EXPECT_GE(study->variants.size(), 3U) << name;
    if (study->kind == StudyKind::training) {
      EXPECT_GE(study->variants[0].config.train.steps, 1500) << name;
      EXPECT_GE(study->seeds.size(), 2U) << name;
      EXPECT_EQ(study->variants[0].config.train.losses.fracture, 0.0) << name;
    }
  }
}

TEST(Study, what_is_wrong_is_named) {
  const std::string good(two_variants);
  EXPECT_THAT(study_error("updats = 3\n" + good), HasSubstr("unknown key 'updats'"));
  EXPECT_THAT(study_error("title = \"T\"\ncolumns = [\"hit\"]\nupdates = 5\n"), HasSubstr("[[variant]]s"));
  EXPECT_THAT(study_error(good + "[[variant]]\nname = \"geotr\"\n"),
              HasSubstr("two variants called 'geotr'"));
  EXPECT_THAT(study_error(good + "[[variant]]\nname = \"x\"\n[variant.network]\nprxies = \"none\"\n"),
              HasSubstr("variant 'x': unknown key 'network.prxies'"));
  EXPECT_THAT(study_error(good + "[[variant]]\nname = \"-\"\n"), HasSubstr("needs a letter"));
  EXPECT_THAT(study_error("seeds = [1, 1]\n" + good.substr(0, good.find("seeds")) +
                          good.substr(good.find("columns"))),
              HasSubstr("each once"));
  EXPECT_THAT(study_error("title = 3\n"), HasSubstr("'title' is of another type"));
  EXPECT_THAT(study_error("title = = 3\n"), HasSubstr("x.toml:1"));
}

StudyOutcome done(double recall, double rmse) {
  StudyOutcome outcome;
  outcome.values = {{"recall_matches", recall}, {"rmse_lgr", rmse}};
  outcome.validations = {{"validation", 5, {{"recall_matches", recall / 2.0}}},
                         {"validation", 7, {{"recall_matches", recall}}}};
  return outcome;
}

TEST(StudyTables, have_means_spreads_failures_and_what_is_missing) {
  const Study study = study_of(two_variants);
  StudyOutcome failed;
  failed.failure = "it needs 41 GB";
  const StudyOutcomes outcomes{{done(0.5, 20.0), done(0.7, 10.0)}, {failed, StudyOutcome{}}};
  const StudyCell cell = study_cell(outcomes[0], "recall_matches");
  EXPECT_EQ(cell.count, 2);
  EXPECT_NEAR(cell.mean, 0.6, 1e-12);
  EXPECT_NEAR(*cell.spread, std::sqrt(0.02), 1e-12);
  EXPECT_FALSE(study_cell({done(0.5, 1.0)}, "recall_matches").spread);
  EXPECT_EQ(study_cell(outcomes[1], "recall_matches").count, 0);

  const std::string markdown = study_markdown(study, outcomes);
  EXPECT_THAT(markdown, HasSubstr("| None, at all | 2 of 2 | 60.0 ± 14.1 | 15.0 ± 7.1 |"));
  EXPECT_THAT(markdown, HasSubstr("| GeoTr | 0 of 2 | - | - | paper: 1 |"));
  EXPECT_THAT(markdown, HasSubstr("- GeoTr: failed: it needs 41 GB"));
  EXPECT_THAT(study_latex(study, outcomes),
              HasSubstr("None, at all & $60.0 \\pm 14.1$ & $15.0 \\pm 7.1$ \\\\"));
  const std::string json = study_json(study, outcomes);
  EXPECT_THAT(json, HasSubstr("\"failure\": \"it needs 41 GB\""));
  EXPECT_THAT(json, HasSubstr("\"updates\": 5"));
  EXPECT_THAT(study_curves(study, outcomes), HasSubstr("<polyline"));
}

}  // namespace
}  // namespace pmtr
