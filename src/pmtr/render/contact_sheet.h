// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <string>

#include "pmtr/core/result.h"
#include "pmtr/render/image.h"

namespace pmtr {

struct SheetCell {
  Image image;
  std::string caption;  ///< lines separated by '\n'; a line that is too long is cut and ends in ".."
};

struct ContactSheetOptions {
  int columns = 0;     ///< 0: about as many as rows
  int gap = 8;         ///< pixels between cells and around them
  int text_scale = 2;  ///< pixels per dot of the font
  std::string title;   ///< above everything, twice as large; may be empty
  Rgb background = {255, 255, 255};
  Rgb text = {40, 44, 52};

  Status validate() const;
};

/// All images on one, row by row, each in the middle of its cell with its caption below. Images may differ in
/// size; a cell is as large as the largest.
Result<Image> contact_sheet(std::span<const SheetCell> cells, const ContactSheetOptions& options);

}  // namespace pmtr
