// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/contact_sheet.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "pmtr/render/bitmap_font.h"

namespace pmtr {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (!text.empty() && start <= text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string fitted(std::string line, int width, int scale) {
  if (text_width(line, scale) <= width) return line;
  while (!line.empty() && text_width(line + "..", scale) > width) line.pop_back();
  return line + "..";
}

void paste(const Image& from, Image& to, int x, int y) {
  for (int row = 0; row < from.height; ++row) {
    std::copy_n(from.rgb.begin() + static_cast<std::ptrdiff_t>(from.offset(0, row)), 3 * from.width,
                to.rgb.begin() + static_cast<std::ptrdiff_t>(to.offset(x, y + row)));
  }
}

}  // namespace

Status ContactSheetOptions::validate() const {
  if (columns < 0 || columns > 10000) return invalid_option("columns is 0 to 10000");
  if (gap < 0 || gap > 1000) return invalid_option("gap is 0 to 1000");
  if (text_scale < 1 || text_scale > 100) return invalid_option("text_scale is 1 to 100");
  return {};
}

Result<Image> contact_sheet(std::span<const SheetCell> cells, const ContactSheetOptions& options) {
  PMTR_TRY_STATUS(options.validate());
  if (cells.empty()) return Error{Cause::empty, "a contact sheet without images", {}};
  int cell_width = 1;
  int image_height = 1;
  int caption_lines = 0;
  for (const SheetCell& cell : cells) {
    cell_width = std::max(cell_width, cell.image.width);
    image_height = std::max(image_height, cell.image.height);
    caption_lines = std::max(caption_lines, static_cast<int>(lines_of(cell.caption).size()));
  }
  const int count = static_cast<int>(cells.size());
  const int columns = std::min(
      count, options.columns > 0 ? options.columns
                                 : static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count)))));
  const int rows = (count + columns - 1) / columns;
  const int line_height = (BitmapFont::height + 3) * options.text_scale;
  const int title_height = options.title.empty() ? 0 : 2 * line_height + options.gap;
  const int cell_height = image_height + caption_lines * line_height;
  const std::int64_t width = options.gap + std::int64_t{columns} * (cell_width + options.gap);
  const std::int64_t height = options.gap + title_height + std::int64_t{rows} * (cell_height + options.gap);
  if (width > 65535 || height > 65535 || width * height > std::int64_t{1} << 28) {
    return Error{Cause::too_large, "the contact sheet would be over 2^28 pixels", {}};
  }

  Image sheet(static_cast<int>(width), static_cast<int>(height), options.background);
  if (!options.title.empty()) {
    draw_text(sheet, options.gap, options.gap,
              fitted(options.title, sheet.width - 2 * options.gap, 2 * options.text_scale), options.text,
              2 * options.text_scale);
  }
  for (int i = 0; i < count; ++i) {
    const SheetCell& cell = cells[static_cast<std::size_t>(i)];
    const int x = options.gap + i % columns * (cell_width + options.gap);
    const int y = options.gap + title_height + i / columns * (cell_height + options.gap);
    paste(cell.image, sheet, x + (cell_width - cell.image.width) / 2,
          y + (image_height - cell.image.height) / 2);
    int line_y = y + image_height + 2 * options.text_scale;
    for (const std::string& line : lines_of(cell.caption)) {
      const std::string text = fitted(line, cell_width, options.text_scale);
      draw_text(sheet, x + (cell_width - text_width(text, options.text_scale)) / 2, line_y, text,
                options.text, options.text_scale);
      line_y += line_height;
    }
  }
  return sheet;
}

}  // namespace pmtr
