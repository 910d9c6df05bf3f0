// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// What was done is known again, bit for bit, and nothing else is; whatever a kill leaves is made again.
#include "pmtr/project/kept_work.h"

#include <fstream>

#include <gmock/gmock.h>

#include "pmtr/core/file.h"
#include "pmtr/project/project_test_values.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<KeptWork> open_work(const fs::path& folder, const std::string& maker = "1.0 weights") {
  auto work = KeptWork::open(folder, maker);
  EXPECT_TRUE(work.ok()) << work.error().text();
  return work.ok() ? *std::move(work) : nullptr;
}

std::vector<PoseCandidate> some_poses() { return test::some_candidates()[0].poses; }

/// Asks for a search and says whether it had to be made.
bool was_made(KeptWork& work, std::uint64_t a, std::uint64_t b, std::span<const Rigid3> hints = {},
              const PoseSearchOptions& options = {}) {
  bool made = false;
  const auto found = work.find(a, b, hints, options, [&] {
    made = true;
    return some_poses();
  });
  EXPECT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].a_from_b.rotation, some_poses()[0].a_from_b.rotation);
  EXPECT_EQ(found[0].evidence.border_step, some_poses()[0].evidence.border_step);
  return made;
}

TEST(KeptWork, knows_a_fragment_again_by_its_points) {
  const test::TemporaryFolder folder;
  const EncodedFragment fragment = test::some_fragment();
  auto work = open_work(folder / "work");
  EXPECT_FALSE(work->find_features(fragment.clouds));
  work->keep_features(fragment.clouds, fragment.features);
  work = nullptr;
  work = open_work(folder / "work");
  const auto features = work->find_features(fragment.clouds);
  ASSERT_TRUE(features);
  EXPECT_EQ(format_fragment({fragment.clouds, *features}), format_fragment(fragment));
  EXPECT_EQ(work->counts().fragments_found, 1);
  EXPECT_EQ(work->counts().fragments_made, 0);
  EncodedFragment other = fragment;
  other.clouds.unit += 1e-9;
  EXPECT_FALSE(work->find_features(other.clouds));
  work = nullptr;
  EXPECT_FALSE(open_work(folder / "work", "1.1 weights")->find_features(fragment.clouds));
  // A damaged file is as good as none.
  for (const auto& entry : fs::directory_iterator(folder / "work" / "fragments")) fs::resize_file(entry, 100);
  EXPECT_FALSE(open_work(folder / "work")->find_features(fragment.clouds));
}

TEST(KeptWork, knows_a_search_again_by_all_that_it_depends_on) {
  const test::TemporaryFolder folder;
  const std::vector<Rigid3> hints = {Rigid3::from_translation({0.1, 0.2, 0.3})};
  auto work = open_work(folder / "work");
  EXPECT_TRUE(was_made(*work, 1, 2, hints));
  EXPECT_FALSE(was_made(*work, 1, 2, hints));
  work = nullptr;
  work = open_work(folder / "work");
  EXPECT_FALSE(was_made(*work, 1, 2, hints));
  EXPECT_TRUE(was_made(*work, 2, 1, hints));
  EXPECT_TRUE(was_made(*work, 1, 3, hints));
  EXPECT_TRUE(was_made(*work, 1, 2));
  PoseSearchOptions options;
  options.seed = 1;
  EXPECT_TRUE(was_made(*work, 1, 2, hints, options));
  EXPECT_TRUE(was_made(*work, 1, 2, hints, PoseSearchOptions::brief()));
  EXPECT_TRUE(was_made(*work, 1, 2, hints, PoseSearchOptions{}.only_hints()));
  EXPECT_EQ(work->counts().searches_found, 1);  // since it was opened
  EXPECT_EQ(work->counts().searches_made, 6);
  work = nullptr;
  EXPECT_TRUE(was_made(*open_work(folder / "work", "1.1 weights"), 1, 2, hints));
}

TEST(KeptWork, cut_anywhere_still_takes_what_comes) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "work" / "searches";
  for (std::uint64_t a = 0; a < 3; ++a) was_made(*open_work(folder / "work"), a, 9);
  const auto whole = *read_file(file);
  for (std::size_t size = 0; size < whole.size(); size += 13) {
    ASSERT_TRUE(write_file(file, std::span(whole).first(size)).ok());
    int made = 0;
    for (std::uint64_t a = 0; a < 3; ++a) made += was_made(*open_work(folder / "work"), a, 9) ? 1 : 0;
    EXPECT_EQ(made, 3 - static_cast<int>(size / (whole.size() / 3))) << size;
    EXPECT_EQ(*read_file(file), whole) << size;
  }
  // A wrong bit in the first record: all behind it is made again. Zeros, as a power cut leaves them: the
  // same.
  auto damaged = whole;
  damaged[40] ^= std::byte{1};
  ASSERT_TRUE(write_file(file, damaged).ok());
  EXPECT_TRUE(was_made(*open_work(folder / "work"), 2, 9));
  ASSERT_TRUE(write_file(file, std::vector<std::byte>(4096)).ok());
  EXPECT_TRUE(was_made(*open_work(folder / "work"), 2, 9));
  EXPECT_FALSE(was_made(*open_work(folder / "work"), 2, 9));
}

TEST(KeptWork, is_for_one_process) {
  const test::TemporaryFolder folder;
  const auto work = open_work(folder / "work");
  const auto second = KeptWork::open(folder / "work", "1.0 weights");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().cause, Cause::mismatch);
  std::ofstream(folder / "file").put('x');
  EXPECT_FALSE(KeptWork::open(folder / "file", "").ok());
}

}  // namespace
}  // namespace pmtr
