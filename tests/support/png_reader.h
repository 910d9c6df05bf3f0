// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <zlib.h>

#include <bit>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>

#include "pmtr/core/file.h"
#include "pmtr/formats/byte_order.h"
#include "pmtr/render/image.h"

namespace pmtr::test {

/// Reads PNG files of 8 bits RGB without interlacing, checksums included. Throws for all others.
inline Image read_png(std::span<const std::byte> file) {
  const auto number = [&](std::size_t at) {
    return load_bytes<std::uint32_t>(file.subspan(at, 4).data(), std::endian::big);
  };
  if (as_text(file.first(8)) != std::string_view("\x89PNG\r\n\x1a\n", 8))
    throw std::runtime_error("signature");
  Image image;
  std::string packed;
  std::string last;
  for (std::size_t at = 8; at < file.size();) {
    const std::size_t size = number(at);
    last = std::string(as_text(file.subspan(at + 4, 4)));
    const auto* checked = reinterpret_cast<const Bytef*>(file.data() + at + 4);
    if (::crc32(0, checked, static_cast<uInt>(size + 4)) != number(at + 8 + size))
      throw std::runtime_error("crc");
    if (last == "IHDR") {
      image = Image(static_cast<int>(number(at + 8)), static_cast<int>(number(at + 12)));
      if (as_text(file.subspan(at + 16, 5)) != std::string_view("\x08\x02\0\0\0", 5))
        throw std::runtime_error("kind");
    }
    if (last == "IDAT") packed += as_text(file.subspan(at + 8, size));
    at += size + 12;
  }
  if (last != "IEND") throw std::runtime_error("end");
  const std::size_t row = 3 * static_cast<std::size_t>(image.width);
  std::string rows((row + 1) * static_cast<std::size_t>(image.height), '\0');
  uLongf size = rows.size();
  if (uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                 packed.size()) != Z_OK ||
      size != rows.size()) {
    throw std::runtime_error("content");
  }
  for (int y = 0; y < image.height; ++y) {
    const std::size_t from = static_cast<std::size_t>(y) * (row + 1);
    for (std::size_t i = 0; i < row; ++i) {
      const std::size_t to = image.offset(0, y) + i;
      const int a = i >= 3 ? image.rgb[to - 3] : 0;
      const int b = y > 0 ? image.rgb[to - row] : 0;
      const int c = y > 0 && i >= 3 ? image.rgb[to - row - 3] : 0;
      const int p = a + b - c;
      const int nearest = std::abs(p - a) <= std::abs(p - b) && std::abs(p - a) <= std::abs(p - c) ? a
                          : std::abs(p - b) <= std::abs(p - c)                                     ? b
                                                                                                   : c;
      const int guesses[] = {0, a, b, (a + b) / 2, nearest};
      const int kind = rows[from];
      if (kind < 0 || kind > 4) throw std::runtime_error("filter");
      image.rgb[to] =
          static_cast<std::uint8_t>(static_cast<unsigned char>(rows[from + 1 + i]) + guesses[kind]);
    }
  }
  return image;
}

}  // namespace pmtr::test
