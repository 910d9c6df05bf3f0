// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// pmtr assemble --work: killed in the middle, the same command goes on and comes to the same bytes.
#include <csignal>
#include <thread>

#include "project_runs.h"

namespace pmtr::test {
namespace {

using testing::HasSubstr;

class AssembleWork : public testing::Test {
 protected:
  static std::string bowl() {
    std::vector<std::string> files;
    for (int i = 0; i < 5; ++i) files.push_back(fmt::format(PMTR_EXAMPLES "/bowl/piece_{}.ply", i));
    return quoted(files);
  }
  /// `out` differs in each run: the records name files relative to it, so all are equally deep.
  std::string command(const std::string& out, const std::string& more = "") const {
    return fmt::format("assemble --no-report --threads 1 --out '{}' {} {}", (folder_ / out).string(), more,
                       bowl());
  }
  std::string keeping() const { return fmt::format("--work '{}'", (folder_ / "work").string()); }

  int encoded() const {
    int count = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_ / "work" / "fragments", ignored))
      count += entry.path().extension() == ".fragment" ? 1 : 0;
    return count;
  }
  std::uintmax_t searched() const {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(folder_ / "work" / "searches", error);
    return error ? 0 : size;
  }
  /// Starts a run and kills it as soon as `far_enough`.
  template <class FarEnough>
  void kill_when(const std::string& out, const FarEnough& far_enough) const {
    const fs::path number = folder_ / (out + ".pid");
    ASSERT_EQ(run_program(fmt::format("'" PMTR_PROGRAM "' {} >/dev/null 2>&1 & echo $! >'{}'",
                                      command(out, keeping()), number.string()))
                  .exit_code,
              0);
    const int process = std::stoi(content_of(number));
    for (int i = 0; i < 60'000 && !far_enough(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_TRUE(far_enough());
    ASSERT_EQ(::kill(process, SIGKILL), 0) << "it was over before it could be killed";
    EXPECT_FALSE(fs::exists(folder_ / out / "assembly.json"));
  }

  TemporaryFolder folder_;
};

TEST_F(AssembleWork, goes_on_where_it_was_killed_and_comes_to_the_same) {
  ASSERT_EQ(pmtr(command("plain")).exit_code, 0);

  kill_when("killed", [&] { return encoded() >= 2; });
  const int first = encoded();
  EXPECT_LT(first, 5);

  kill_when("killed", [&] { return encoded() == 5 && searched() > 0; });
  const ProgramResult rest = pmtr(command("killed", keeping()));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("going on with what was kept: 5 of 5 fragments are encoded"));
  EXPECT_THAT(rest.err, HasSubstr("work: 0 fragments encoded, 5 were kept; "));
  EXPECT_THAT(rest.err, testing::Not(HasSubstr(", 0 were kept")));
  expect_same_files(folder_ / "killed", folder_ / "plain");

  // All of it once more: nothing is left to be done.
  const ProgramResult again = pmtr(command("again", keeping()));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("work: 0 fragments encoded, 5 were kept; 0 searches made, "));
  expect_same_files(folder_ / "again", folder_ / "plain");

  // Of another size, nothing of it fits.
  const ProgramResult other = pmtr(command("other", keeping() + " --object-size 2"));
  EXPECT_THAT(other.err, HasSubstr("work: 5 fragments encoded, 0 were kept; "));
}

TEST_F(AssembleWork, is_refused_where_it_cannot_be_kept) {
  const ProgramResult file = pmtr(command("out", "--work '" PMTR_PROGRAM "'"));
  EXPECT_NE(file.exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

}  // namespace
}  // namespace pmtr::test
