// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/strided_copy.h"

#include <cstring>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/random.h"
#include "pmtr/formats/utf8.h"

namespace pmtr {
namespace {

std::vector<std::int32_t> copied(const StridedView& view, const std::vector<std::int32_t>& storage) {
  const auto bytes = copy_contiguous(view, std::as_bytes(std::span(storage)));
  std::vector<std::int32_t> values(bytes.size() / 4);
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(StridedCopy, EqualsIndexingElementByElement) {
  Random random(7);
  std::vector<std::int32_t> storage(4096);
  std::iota(storage.begin(), storage.end(), 0);
  int tried = 0;
  while (tried < 300) {
    StridedView view;
    view.element_size = 4;
    for (std::uint64_t rank = random.below(5), d = 0; d < rank; ++d) {
      view.shape.push_back(static_cast<std::int64_t>(random.below(6)));
      view.strides.push_back(static_cast<std::int64_t>(random.below(40)));
    }
    // Half of them with contiguous innermost dimensions, to meet the block copy.
    if (random.below(2) == 0) {
      std::int64_t stride = 1;
      for (std::size_t d = view.shape.size(); d-- > view.shape.size() / 2;) {
        view.strides[d] = stride;
        stride *= std::max<std::int64_t>(view.shape[d], 1);
      }
    }
    view.offset = static_cast<std::int64_t>(random.below(2000));
    ASSERT_TRUE(fits(view, storage.size()));
    std::vector<std::int32_t> expected;
    std::vector<std::int64_t> index(view.shape.size(), 0);
    const std::int64_t count =
        std::accumulate(view.shape.begin(), view.shape.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t flat = 0; flat < count; ++flat) {
      std::int64_t rest = flat;
      std::int64_t source = view.offset;
      for (std::size_t d = view.shape.size(); d-- > 0;) {
        source += (rest % view.shape[d]) * view.strides[d];
        rest /= view.shape[d];
      }
      expected.push_back(storage[static_cast<std::size_t>(source)]);
    }
    ASSERT_EQ(copied(view, storage), expected);
    ++tried;
  }
}

TEST(StridedCopy, FitsCountsTheLastElement) {
  EXPECT_TRUE(fits({{2, 3}, {3, 1}, 0, 4}, 6));
  EXPECT_FALSE(fits({{2, 3}, {3, 1}, 0, 4}, 5));
  EXPECT_FALSE(fits({{2, 3}, {3, 1}, 1, 4}, 6));
  EXPECT_TRUE(fits({{3, 2}, {1, 3}, 0, 4}, 6));  // transposed
  EXPECT_TRUE(fits({{}, {}, 0, 4}, 1));
  EXPECT_FALSE(fits({{}, {}, 1, 4}, 1));
  EXPECT_FALSE(fits({{}, {}, 0, 4}, 0));
  EXPECT_TRUE(fits({{0, 5}, {5, 1}, 0, 4}, 0));
}

TEST(StridedCopy, FitsRefusesNegativeAndOverflowingViews) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(fits({{2}, {-1}, 1, 4}, 6));
  EXPECT_FALSE(fits({{-2}, {1}, 0, 4}, 6));
  EXPECT_FALSE(fits({{2}, {1}, -1, 4}, 6));
  EXPECT_FALSE(fits({{huge, huge}, {huge, huge}, huge, 4}, 6));
  EXPECT_FALSE(fits({{3, 3}, {huge, huge}, 2, 4}, 6));  // wraps to a small number in 64 bits
}

TEST(Utf8, AcceptsTextAndRefusesBrokenForms) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("backbone.0 \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x8F\xBA"));
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // long form
  EXPECT_FALSE(is_utf8("\xE0\x80\xAF"));      // long form
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // beyond U+10FFFF
  EXPECT_FALSE(is_utf8("\xE2\x82"));          // cut off
  EXPECT_FALSE(is_utf8("\x80"));
}

}  // namespace
}  // namespace pmtr
