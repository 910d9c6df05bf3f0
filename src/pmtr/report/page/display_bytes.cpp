// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/display_bytes.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <Eigen/Geometry>

#include "pmtr/formats/byte_order.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  store_bytes(bytes.data() + at, value, std::endian::little);
}

void fill_up(std::vector<std::byte>& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4); }

std::uint16_t step(double value, double low, double size) {
  if (!(size > 0.0)) return 0;
  return static_cast<std::uint16_t>(std::lround(65535.0 * std::clamp((value - low) / size, 0.0, 1.0)));
}

}  // namespace

DisplayBytes pack(const DisplayMesh& mesh, double gap_scale) {
  DisplayBytes out;
  const Eigen::AlignedBox3d box = bounding_box(mesh.positions);
  if (!box.isEmpty()) {
    out.low = box.min();
    out.size = box.sizes();
  }
  for (const Eigen::Vector3d& p : mesh.positions) {
    for (Eigen::Index c = 0; c < 3; ++c) append(out.bytes, step(p[c], out.low[c], out.size[c]));
  }
  fill_up(out.bytes);
  for (const Eigen::Vector3f& n : mesh.normals) {
    for (Eigen::Index c = 0; c < 3; ++c)
      append(out.bytes, static_cast<std::int8_t>(std::lround(127.0F * std::clamp(n[c], -1.0F, 1.0F))));
  }
  fill_up(out.bytes);
  for (const Rgb& colour : mesh.colours) {
    for (const std::uint8_t c : colour) append(out.bytes, c);
  }
  fill_up(out.bytes);
  if (!mesh.uvs.empty()) {
    Eigen::AlignedBox2f range;
    for (const Eigen::Vector2f& uv : mesh.uvs) range.extend(uv);
    out.uv_low = range.min();
    out.uv_size = range.sizes();
    for (const Eigen::Vector2f& uv : mesh.uvs) {
      for (Eigen::Index c = 0; c < 2; ++c)
        append(out.bytes, step(static_cast<double>(uv[c]), static_cast<double>(out.uv_low[c]),
                               static_cast<double>(out.uv_size[c])));
    }
  }
  fill_up(out.bytes);
  for (const float gap : mesh.gaps) {
    const double share = gap_scale > 0.0 ? std::clamp(static_cast<double>(gap) / gap_scale, 0.0, 1.0) : 0.0;
    append(out.bytes, gap < 0.0F ? std::uint8_t{255} : static_cast<std::uint8_t>(std::lround(254.0 * share)));
  }
  fill_up(out.bytes);
  out.index_bytes = mesh.positions.size() <= 65536 ? 2 : 4;
  for (const auto& face : mesh.faces) {
    for (const std::uint32_t v : face) {
      if (out.index_bytes == 2) {
        append(out.bytes, static_cast<std::uint16_t>(v));
      } else {
        append(out.bytes, v);
      }
    }
  }
  return out;
}

}  // namespace pmtr
