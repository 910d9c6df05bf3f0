// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The built program as a user meets it.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "network_program.h"
#include "support/run_program.h"

namespace pmtr::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ProgramResult pmtr(const std::string& arguments) { return run_program("'" PMTR_PROGRAM "' " + arguments); }

TEST(Command, HelpListsEveryCommand) {
  const auto result = pmtr("--help");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, IsEmpty());
  for (const char* name : {"assemble", "import", "info", "doctor"}) EXPECT_THAT(result.out, HasSubstr(name));
}

TEST(Command, HelpOfEachCommand) {
  for (const std::string name : {"assemble", "import", "info", "doctor"}) {
    const auto result = pmtr(name + " --help");
    EXPECT_EQ(result.exit_code, 0) << name;
    EXPECT_THAT(result.out, HasSubstr("Usage: pmtr " + name));
  }
}

TEST(Command, VersionGoesToStandardOutput) {
  const auto result = pmtr("--version");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "pmtr " PMTR_VERSION "\n");
}

TEST(Command, NoArgumentsIsUsage) {
  const auto result = pmtr("");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("Usage: pmtr"));
}

struct Misuse {
  const char* arguments;
  const char* message;
};

TEST(Command, MisuseSaysWhatIsWrong) {
  const Misuse cases[] = {
      {"frobnicate", "there is no command 'frobnicate'"},
      {"--frobnicate", "--frobnicate"},
      {"doctor --frobnicate", "--frobnicate"},
      {"info", "file is required"},
      {"info a b", "not expected: b"},
      {"import a", "--out is required"},
      {"assemble", "required"},
      {"assemble a.ply", "--out is required"},
      {"assemble a.ply --out x --seed -1", "--seed: -1 is not"},
      {"assemble a.ply --out x --seed 18446744073709551616", "--seed: 18446744073709551616 is not"},
      {"assemble a.ply --out x --threads 0", "--threads: 0 is not"},
      {"assemble a.ply --out x --points 2.5", "--points: 2.5 is not"},
      {"assemble a.ply --out x --object-size nan", "--object-size: nan is not"},
      {"assemble a.ply --out x --object-size -3", "--object-size: -3 is not"},
  };
  for (const Misuse& misuse : cases) {
    const auto result = pmtr(misuse.arguments);
    EXPECT_EQ(result.exit_code, 2) << misuse.arguments;
    EXPECT_THAT(result.out, IsEmpty()) << misuse.arguments;
    EXPECT_THAT(result.err, HasSubstr(misuse.message)) << misuse.arguments;
    EXPECT_TRUE(result.err.starts_with("pmtr: error: ")) << result.err;
  }
}

TEST(Command, MissingFileIsNamed) {
  for (const std::string arguments : {"info /nonexistent/part.ply", "info /nonexistent/part.safetensors",
                                      "import /nonexistent/part.ckpt -o /nonexistent/out"}) {
    const auto result = pmtr(arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr("pmtr: error: /nonexistent/part."));
    EXPECT_THAT(result.err, HasSubstr("No such file"));
  }
}

TEST(Command, ImportRefusesToReplaceItsInput) {
  const TemporaryFolder folder;
  const std::string file = (folder / "weights").string();
  ASSERT_TRUE(write_file(file, std::string_view("precious")).ok());
  const auto result = pmtr("import " + file + " -o " + file);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(as_text(*read_file(file)), "precious");
}

TEST(Command, DoctorPrintsJson) {
  const auto result = pmtr("doctor --json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["version"], PMTR_VERSION);
  EXPECT_GE(report["cpu"]["cores"].get<int>(), 1);
  EXPECT_GE(report["cpu"]["threads"].get<int>(), 1);
  EXPECT_GT(report["memory"]["total_mb"].get<int>(), 0);
  EXPECT_EQ(report["network"]["present"].get<bool>(), PMTR_HAS_NETWORK != 0);
  if (PMTR_HAS_NETWORK) {
    EXPECT_FALSE(report["network"].contains("error")) << report["network"];
    EXPECT_THAT(report["network"].value("torch", ""), Not(IsEmpty()));
  }
}

TEST(Command, DoctorPrintsText) {
  const auto result = pmtr("doctor");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("pmtr      " PMTR_VERSION));
}

TEST(Command, ReaderThatGoesAwayIsNoError) {
  const auto result = run_program("( '" PMTR_PROGRAM "' doctor; echo $? >&2 ) | true");
  EXPECT_EQ(result.err, "0\n");
}

TEST(Command, FullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const auto result = pmtr("doctor >/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot write to standard output"));
}

// Torch must not be loaded by what needs no network.
TEST(Command, IsNotLinkedWithTorch) {
  const auto result = run_program("ldd '" PMTR_PROGRAM "'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("torch")));
  EXPECT_THAT(result.out, HasSubstr("libc.so"));
}

TEST(Command, AssembleWithoutNetworkSaysSo) {
  // A copy elsewhere has no pmtr-network beside it.
  const TemporaryFolder folder;
  const std::filesystem::path copy = folder / "pmtr";
  std::filesystem::copy_file(PMTR_PROGRAM, copy);
  const auto result = run_program(copy.string() + " assemble a.ply b.ply --out " + (folder / "out").string());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr(PMTR_HAS_NETWORK ? "pmtr-network is missing" : "has no network"));
}

TEST(Command, AssembleContinuesInTheNetworkProgram) {
  // A stand-in that prints its arguments, found beside the program and in libexec.
  for (const std::string place : {".", PMTR_LIBEXEC_FROM_BIN}) {
    const TemporaryFolder folder;
    const std::filesystem::path copy = folder.path() / "usr" / "bin" / "pmtr";
    const auto network = (copy.parent_path() / place / "pmtr-network").lexically_normal();
    std::filesystem::create_directories(copy.parent_path());
    std::filesystem::create_directories(network.parent_path());
    std::filesystem::copy_file(PMTR_PROGRAM, copy);
    ASSERT_TRUE(write_file(network, std::string_view("#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 4\n")).ok());
    std::filesystem::permissions(network, std::filesystem::perms::owner_all);
    const auto result = run_program(copy.string() + " assemble 'a b.ply' c.ply --out o --seed 7");
    EXPECT_EQ(result.exit_code, 4) << result.err;
    EXPECT_EQ(result.out, "<assemble><a b.ply><c.ply><--out><o><--seed><7>");
  }
}

TEST(NetworkProgram, ThatDoesNotAnswerIsReported) {
  const TemporaryFolder folder;
  const std::filesystem::path broken = folder / "broken";
  ASSERT_TRUE(write_file(broken, std::string_view("#!/bin/sh\necho nonsense\n")).ok());
  std::filesystem::permissions(broken, std::filesystem::perms::owner_all);
  EXPECT_EQ(command::ask_network_versions(broken)["error"], "pmtr-network gave no sensible answer");
  EXPECT_EQ(command::ask_network_versions("/bin/false")["error"], "/bin/false: returned 1");
  EXPECT_TRUE(command::ask_network_versions(folder / "missing").contains("error"));
}

}  // namespace
}  // namespace pmtr::test
