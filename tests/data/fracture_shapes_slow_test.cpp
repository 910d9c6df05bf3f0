// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include "pmtr/fracture/broken_test_objects.h"
#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/fracture_properties_test_support.h"

namespace pmtr {
namespace {

class FractureOfTwentyShapes : public ::testing::TestWithParam<int> {};

TEST_P(FractureOfTwentyShapes, HasAllRequiredProperties) {
  for (std::size_t i = 0; i < 20; ++i) {
    FractureOptions options;
    options.pieces = GetParam();
    options.seed = i;
    const TriangleMesh whole = test::object_to_break(i);
    const auto object = fracture_mesh(whole, options);
    ASSERT_TRUE(object.ok()) << i << ": " << object.error().text();
    SCOPED_TRACE("shape " + std::to_string(i));
    test::expect_whole_fracture(whole, *object, options);
    if (i % 5 == 0) test::expect_same(*object, *fracture_mesh(whole, options));
  }
}

INSTANTIATE_TEST_SUITE_P(Pieces, FractureOfTwentyShapes, ::testing::Values(2, 4, 8, 20, 50));

}  // namespace
}  // namespace pmtr
