// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cells_file.h"

#include <gtest/gtest.h>

#include "pmtr/formats/npy_array.h"
#include "pmtr/fracture/cells_test_file.h"
#include "pmtr/fracture/fracture_test_support.h"

namespace pmtr {
namespace {

using test::cells_bytes;
using test::CellsParts;
using test::npy_bytes;

TEST(CellsFile, ReadsWhatWasWritten) {
  const auto cells = parse_cells(cells_bytes(CellsParts{}), "two.npz");
  ASSERT_TRUE(cells.ok()) << cells.error().text();
  const CellComplex expected = test::two_boxes();
  EXPECT_EQ(cells->complex.surfaces.vertices, expected.surfaces.vertices);
  EXPECT_EQ(cells->complex.surfaces.faces, expected.surfaces.faces);
  EXPECT_EQ(cells->complex.owners, expected.owners);
  EXPECT_EQ(cells->complex.volumes, expected.volumes);
  EXPECT_EQ(cells->fracture_names, std::vector<std::string>{"mode_0"});
  ASSERT_EQ(cells->labels.size(), 1u);
  EXPECT_EQ(cells->labels[0], (std::vector<std::int32_t>{0, 1}));
}

TEST(CellsFile, EveryPrefixIsRefused) {
  const auto bytes = cells_bytes(CellsParts{});
  for (std::size_t n = 0; n < bytes.size(); n += 7)
    EXPECT_FALSE(parse_cells(std::span(bytes).first(n), "cut.npz").ok()) << n;
}

TEST(CellsFile, AWrongCellIsRefused) {
  CellsParts parts;
  parts.first_owner = 2;
  EXPECT_EQ(parse_cells(cells_bytes(parts), "x").error().cause, Cause::malformed);
  parts.first_owner = -1;
  EXPECT_EQ(parse_cells(cells_bytes(parts), "x").error().cause, Cause::malformed);
}

TEST(CellsFile, AnOpenCellIsRefused) {
  CellsParts parts;
  parts.first_owner = 1;
  const auto cells = parse_cells(cells_bytes(parts), "x");
  ASSERT_FALSE(cells.ok());
  EXPECT_NE(cells.error().message.find("open"), std::string::npos) << cells.error().text();
}

TEST(CellsFile, AMissingArrayIsNamed) {
  CellsParts parts;
  parts.leave_out = "AB";
  const auto cells = parse_cells(cells_bytes(parts), "x");
  ASSERT_FALSE(cells.ok());
  EXPECT_NE(cells.error().message.find("AB.npy"), std::string::npos) << cells.error().text();
}

TEST(NpyArray, TheShapeIsBoundedByTheBytes) {
  const auto good = npy_bytes("<f4", "(2, 1)", std::string(8, '\0'));
  ASSERT_TRUE(parse_npy(as_bytes(good), "x").ok());
  for (const char* shape :
       {"(3, 1)", "(4294967296, 4294967296)", "(18446744073709551616,)", "2", "(1,", "()"})
    EXPECT_FALSE(parse_npy(as_bytes(npy_bytes("<f4", shape, std::string(8, '\0'))), "x").ok()) << shape;
  for (const char* type : {">f4", "<f2", "<c8", "<i3", "O", "<U0", "<"})
    EXPECT_FALSE(parse_npy(as_bytes(npy_bytes(type, "(2, 1)", std::string(8, '\0'))), "x").ok()) << type;
}

TEST(NpyArray, NumbersOfEveryKind) {
  const std::string minus_one(8, '\xff');
  EXPECT_EQ(parse_npy(as_bytes(npy_bytes("<i2", "(4,)", minus_one)), "x")->number(3), -1);
  EXPECT_EQ(parse_npy(as_bytes(npy_bytes("<u2", "(4,)", minus_one)), "x")->number(3), 65535);
  EXPECT_EQ(parse_npy(as_bytes(npy_bytes("|i1", "(8,)", minus_one)), "x")->number(7), -1);
  EXPECT_EQ(parse_npy(as_bytes(npy_bytes("<i8", "(1,)", minus_one)), "x")->number(0), -1);
  EXPECT_EQ(parse_npy(as_bytes(npy_bytes("<u4", "(2,)", minus_one)), "x")->number(1), 4294967295.0);
  EXPECT_EQ(parse_npy(as_bytes(npy_bytes("<U2", "(1,)", std::string("a\0\0\0b\0\0\0", 8))), "x")->text(0),
            "ab");
}

}  // namespace
}  // namespace pmtr
