// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/result.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(ErrorText, NamesThePlace) {
  EXPECT_EQ((Error{Cause::malformed, "bad", {}}).text(), "bad");
  EXPECT_EQ((Error{Cause::malformed, "bad", {"a.ply", {}, {}}}).text(), "a.ply: bad");
  EXPECT_EQ((Error{Cause::malformed, "bad", {"a.ply", 12, {}}}).text(), "a.ply (byte 12): bad");
  EXPECT_EQ((Error{Cause::malformed, "bad", {"a.obj", {}, 3}}).text(), "a.obj:3: bad");
  EXPECT_EQ((Error{Cause::malformed, "bad", {"a.obj", 12, 3}}).text(), "a.obj:3: bad");
  EXPECT_EQ((Error{Cause::malformed, "bad", {"", {}, 3}}).text(), "input:3: bad");
  EXPECT_EQ((Error{Cause::malformed, "bad", {"", 0, {}}}).text(), "input (byte 0): bad");
}

Result<std::unique_ptr<int>> make(int value) {
  if (value < 0) return Error{Cause::invalid_option, "negative", {}};
  return std::make_unique<int>(value);
}

Result<int> sum(int a, int b) {
  PMTR_TRY(const auto first, make(a));
  PMTR_TRY(auto second, make(b));
  *second += *first;
  return *second;
}

Status both(int a, int b) {
  PMTR_TRY_STATUS(sum(a, a));
  PMTR_TRY_STATUS(sum(b, b));
  return {};
}

TEST(Try, PassesValuesAndErrors) {
  ASSERT_TRUE(sum(2, 3).ok());
  EXPECT_EQ(*sum(2, 3), 5);
  const Result<int> failed = sum(2, -3);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().cause, Cause::invalid_option);
  EXPECT_EQ(failed.error().message, "negative");
}

TEST(Try, Status) {
  EXPECT_TRUE(both(1, 2).ok());
  EXPECT_FALSE(both(1, -2).ok());
  EXPECT_EQ(both(-1, 2).error().message, "negative");
}

TEST(Result, HoldsMoveOnlyValues) {
  auto result = make(4);
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> value = *std::move(result);
  EXPECT_EQ(*value, 4);
}

TEST(Result, ArrowReachesTheValue) {
  Result<std::string> text = std::string("abc");
  EXPECT_EQ(text->size(), 3U);
  text->push_back('d');
  EXPECT_EQ(*text, "abcd");
}

TEST(ResultDeathTest, ValueOfAnErrorAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Result<int> failed = Error{Cause::malformed, "bad thing", {"a.ply", {}, {}}};
  EXPECT_DEATH((void)failed.value(), "internal error.*a.ply: bad thing");
}

TEST(ResultDeathTest, error_of_a_good_result_aborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Result<int> good = 1;
  const Status done;
  EXPECT_DEATH((void)good.error(), "internal error.*has no error");
  EXPECT_DEATH((void)done.error(), "internal error.*has no error");
}

TEST(Error, short_forms) {
  const Error at = error_at("a.ply", Cause::empty, "has no vertices");
  EXPECT_EQ(at.cause, Cause::empty);
  EXPECT_EQ(at.text(), "a.ply: has no vertices");
  const Error option = invalid_option("points is 0");
  EXPECT_EQ(option.cause, Cause::invalid_option);
  EXPECT_EQ(option.text(), "points is 0");
}

TEST(CheckDeathTest, SaysWhereAndWhat) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(PMTR_CHECK(1 > 2, "sizes differ"), "result_test.cpp:[0-9]+: 1 > 2: sizes differ");
  EXPECT_DEATH(PMTR_CHECK(1 > 2), "1 > 2");
}

TEST(Check, BuildsTheMessageOnlyOnFailure) {
  bool built = false;
  auto message = [&] {
    built = true;
    return std::string("text");
  };
  PMTR_CHECK(true, message());
  EXPECT_FALSE(built);
}

}  // namespace
}  // namespace pmtr
