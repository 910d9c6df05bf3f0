// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/png.h"

#include <zlib.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "pmtr/core/file.h"
#include "pmtr/formats/byte_order.h"

namespace pmtr {
namespace {

void append_number(std::vector<std::byte>& file, std::uint32_t value) {
  file.resize(file.size() + 4);
  store_bytes(file.data() + file.size() - 4, value, std::endian::big);
}

void append_chunk(std::vector<std::byte>& file, std::string_view type, std::span<const std::byte> content) {
  append_number(file, static_cast<std::uint32_t>(content.size()));
  const std::size_t start = file.size();
  const auto name = as_bytes(type);
  file.insert(file.end(), name.begin(), name.end());
  file.insert(file.end(), content.begin(), content.end());
  const uLong checksum =  // of type and content
      crc32_z(0, reinterpret_cast<const Bytef*>(file.data() + start), file.size() - start);
  append_number(file, static_cast<std::uint32_t>(checksum));
}

int paeth(int left, int up, int corner) {
  const int guess = left + up - corner;
  const int by_left = std::abs(guess - left);
  const int by_up = std::abs(guess - up);
  const int by_corner = std::abs(guess - corner);
  if (by_left <= by_up && by_left <= by_corner) return left;
  return by_up <= by_corner ? up : corner;
}

/// One row after each of the filters 0 (none), 1 (left), 2 (up) and 4 (Paeth); the one with the smallest sum
/// of magnitudes is kept: small numbers compress well.
void append_filtered_row(const Image& image, int y, std::vector<std::uint8_t>& out) {
  const std::size_t bytes = 3 * static_cast<std::size_t>(image.width);
  const std::uint8_t* row = image.rgb.data() + image.offset(0, y);
  const std::uint8_t* above = y > 0 ? row - bytes : nullptr;
  std::vector<std::uint8_t> best;
  std::vector<std::uint8_t> filtered(bytes);
  long best_sum = std::numeric_limits<long>::max();
  std::uint8_t best_kind = 0;
  for (const std::uint8_t kind : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{4}}) {
    long sum = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      const int left = i >= 3 ? row[i - 3] : 0;
      const int up = above != nullptr ? above[i] : 0;
      const int corner = above != nullptr && i >= 3 ? above[i - 3] : 0;
      const int guess = kind == 0 ? 0 : kind == 1 ? left : kind == 2 ? up : paeth(left, up, corner);
      filtered[i] = static_cast<std::uint8_t>(row[i] - guess);
      sum += std::abs(static_cast<int>(static_cast<std::int8_t>(filtered[i])));
    }
    if (sum < best_sum) {
      best_sum = sum;
      best_kind = kind;
      best = filtered;
    }
  }
  out.push_back(best_kind);
  out.insert(out.end(), best.begin(), best.end());
}

}  // namespace

Result<std::vector<std::byte>> encode_png(const Image& image) {
  if (image.width == 0 || image.height == 0) return Error{Cause::empty, "an image without pixels", {}};
  PMTR_CHECK(image.rgb.size() == image.offset(0, image.height), "an image has three bytes for every pixel");

  std::vector<std::uint8_t> rows;
  rows.reserve(image.rgb.size() + static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y) append_filtered_row(image, y, rows);
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::vector<std::byte> packed(size);
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size, rows.data(),
                               static_cast<uLong>(rows.size()), Z_DEFAULT_COMPRESSION);
  PMTR_CHECK(status == Z_OK, "compress2 was given enough room");
  packed.resize(size);
  if (packed.size() > std::numeric_limits<std::int32_t>::max()) {
    return Error{Cause::too_large, "an image over 2 GB", {}};
  }

  std::vector<std::byte> file;
  const auto signature = as_bytes(std::string_view("\x89PNG\r\n\x1a\n", 8));
  file.insert(file.end(), signature.begin(), signature.end());
  std::vector<std::byte> header;
  append_number(header, static_cast<std::uint32_t>(image.width));
  append_number(header, static_cast<std::uint32_t>(image.height));
  // 8 bits, RGB, deflate, adaptive filters, not interlaced.
  for (const int byte : {8, 2, 0, 0, 0}) header.push_back(static_cast<std::byte>(byte));
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", packed);
  append_chunk(file, "IEND", {});
  return file;
}

Status write_png(const std::filesystem::path& path, const Image& image) {
  PMTR_TRY(const auto file, encode_png(image));
  return write_file(path, file);
}

}  // namespace pmtr
