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

DisplayFrame frame_of(const DisplayMesh& mesh) {
  DisplayFrame out;
  const Eigen::AlignedBox3d box = bounding_box(mesh.positions);
  if (!box.isEmpty()) {
    out.low = box.min();
    out.size = box.sizes();
  }
  if (!mesh.uvs.empty()) {
    Eigen::AlignedBox2f range;
    for (const Eigen::Vector2f& uv : mesh.uvs) range.extend(uv);
    out.uv_low = range.min();
    out.uv_size = range.sizes();
  }
  out.index_bytes = mesh.positions.size() <= 65536 ? 2 : 4;
  return out;
}

std::vector<std::byte> pack_gaps(const DisplayMesh& mesh, double gap_scale) {
  std::vector<std::byte> bytes;
  for (const float gap : mesh.gaps) {
    const double share = gap_scale > 0.0 ? std::clamp(static_cast<double>(gap) / gap_scale, 0.0, 1.0) : 0.0;
    append(bytes, gap < 0.0F ? std::uint8_t{255} : static_cast<std::uint8_t>(std::lround(254.0 * share)));
  }
  return bytes;
}

std::vector<std::byte> pack(const DisplayMesh& mesh, double gap_scale) {
  const DisplayFrame frame = frame_of(mesh);
  std::vector<std::byte> bytes;
  for (const Eigen::Vector3d& p : mesh.positions) {
    for (Eigen::Index c = 0; c < 3; ++c) append(bytes, step(p[c], frame.low[c], frame.size[c]));
  }
  fill_up(bytes);
  for (const Eigen::Vector3f& n : mesh.normals) {
    for (Eigen::Index c = 0; c < 3; ++c)
      append(bytes, static_cast<std::int8_t>(std::lround(127.0F * std::clamp(n[c], -1.0F, 1.0F))));
  }
  fill_up(bytes);
  for (const Rgb& colour : mesh.colours) {
    for (const std::uint8_t c : colour) append(bytes, c);
  }
  fill_up(bytes);
  for (const Eigen::Vector2f& uv : mesh.uvs) {
    for (Eigen::Index c = 0; c < 2; ++c)
      append(bytes, step(static_cast<double>(uv[c]), static_cast<double>(frame.uv_low[c]),
                         static_cast<double>(frame.uv_size[c])));
  }
  fill_up(bytes);
  const std::vector<std::byte> gaps = pack_gaps(mesh, gap_scale);
  bytes.insert(bytes.end(), gaps.begin(), gaps.end());
  fill_up(bytes);
  for (const std::uint8_t broken : mesh.breaks) append(bytes, broken);
  fill_up(bytes);
  for (const auto& face : mesh.faces) {
    for (const std::uint32_t v : face) {
      if (frame.index_bytes == 2) {
        append(bytes, static_cast<std::uint16_t>(v));
      } else {
        append(bytes, v);
      }
    }
  }
  return bytes;
}

}  // namespace pmtr
