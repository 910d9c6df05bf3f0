// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/seen_breaks.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "pmtr/core/check.h"
#include "pmtr/core/file.h"
#include "pmtr/core/stable_hash.h"
#include "pmtr/formats/byte_stream.h"

namespace pmtr {
namespace {

constexpr std::uint64_t magic = 0x6b61657262746d70;  // "pmtbreak"
constexpr std::uint32_t breaks_version = 1;
constexpr std::size_t point_bytes = 13;
constexpr std::size_t match_bytes = 24;
constexpr float farthest = 1e6F;  // objects are about 1 long

void put_vector(ByteWriter& out, const Eigen::Vector3d& v) {
  for (Eigen::Index c = 0; c < 3; ++c) out.put(v[c]);
}
void put_vector(ByteWriter& out, const Eigen::Vector3f& v) {
  for (Eigen::Index c = 0; c < 3; ++c) out.put(v[c]);
}

template <class Scalar>
Eigen::Matrix<Scalar, 3, 1> get_vector(ByteReader& in) {
  Eigen::Matrix<Scalar, 3, 1> v;
  for (Eigen::Index c = 0; c < 3; ++c) v[c] = in.get<Scalar>();
  if (!v.allFinite()) in.fail();
  return v;
}

void put_surface(ByteWriter& out, const SeenSurface& surface) {
  const std::size_t count = surface.cloud.points.size();
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& p : surface.cloud.points) box.extend(p);
  const Eigen::Vector3f low = count > 0 ? box.min() : Eigen::Vector3f::Zero();
  const Eigen::Vector3f size = count > 0 ? Eigen::Vector3f(box.sizes()) : Eigen::Vector3f::Zero();
  out.put(static_cast<std::uint32_t>(count));
  out.put(surface.area);
  put_vector(out, surface.centre);
  put_vector(out, low);
  put_vector(out, size);
  for (std::size_t i = 0; i < count; ++i) {
    for (Eigen::Index c = 0; c < 3; ++c) {
      const float share = size[c] > 0.0F ? (surface.cloud.points[i][c] - low[c]) / size[c] : 0.0F;
      out.put(static_cast<std::uint16_t>(std::lround(65535.0F * std::clamp(share, 0.0F, 1.0F))));
    }
    for (Eigen::Index c = 0; c < 3; ++c)
      out.put(static_cast<std::int16_t>(
          std::lround(32767.0F * std::clamp(surface.cloud.normals[i][c], -1.0F, 1.0F))));
    out.put(static_cast<std::uint8_t>(std::lround(255.0F * std::clamp(surface.broken[i], 0.0F, 1.0F))));
  }
}

SeenSurface get_surface(ByteReader& in) {
  SeenSurface surface;
  const auto count = in.get<std::uint32_t>();
  surface.area = in.get<double>();
  surface.centre = get_vector<double>(in);
  const auto low = get_vector<float>(in);
  const auto size = get_vector<float>(in);
  if (!std::isfinite(surface.area) || surface.area < 0.0 || (size.array() < 0.0F).any() ||
      low.cwiseAbs().maxCoeff() > farthest || size.maxCoeff() > farthest)
    in.fail();
  if (!in.fits(count, point_bytes)) return surface;
  for (std::uint32_t i = 0; i < count; ++i) {
    Eigen::Vector3f point;
    Eigen::Vector3f normal;
    for (Eigen::Index c = 0; c < 3; ++c)
      point[c] = low[c] + size[c] * (static_cast<float>(in.get<std::uint16_t>()) / 65535.0F);
    for (Eigen::Index c = 0; c < 3; ++c) normal[c] = static_cast<float>(in.get<std::int16_t>()) / 32767.0F;
    if (!(normal.norm() > 0.5F)) in.fail();
    surface.cloud.points.push_back(point);
    surface.cloud.normals.push_back(normal.normalized());
    surface.broken.push_back(static_cast<float>(in.get<std::uint8_t>()) / 255.0F);
  }
  return surface;
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
  StableHash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace

FragmentClouds SeenBreaks::frame(std::size_t fragment) const {
  FragmentClouds clouds;
  clouds.centre = surfaces[fragment].centre;
  clouds.unit = unit;
  return clouds;
}

std::vector<std::byte> format_seen_breaks(const SeenBreaks& seen) {
  ByteWriter body;
  body.put(seen.unit);
  body.put(static_cast<std::uint32_t>(seen.surfaces.size()));
  for (const SeenSurface& surface : seen.surfaces) {
    PMTR_CHECK(surface.cloud.normals.size() == surface.cloud.points.size() &&
                   surface.broken.size() == surface.cloud.points.size(),
               "a normal and a score for every point");
    put_surface(body, surface);
  }
  body.put(static_cast<std::uint32_t>(seen.pairs.size()));
  for (const SeenPair& pair : seen.pairs) {
    body.put(static_cast<std::int32_t>(pair.a));
    body.put(static_cast<std::int32_t>(pair.b));
    body.put(static_cast<std::uint32_t>(pair.matches.size()));
    for (const SeenMatch& match : pair.matches) {
      put_vector(body, match.in_a);
      put_vector(body, match.in_b);
    }
  }
  const std::vector<std::byte> content = body.take();
  ByteWriter head;
  head.put(magic);
  head.put(breaks_version);
  head.put(checksum(content));
  std::vector<std::byte> bytes = head.take();
  bytes.insert(bytes.end(), content.begin(), content.end());
  return bytes;
}

Result<SeenBreaks> parse_seen_breaks(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader in(bytes);
  if (in.get<std::uint64_t>() != magic)
    return error_at(name, Cause::unknown_format, "is no file of breaks that pmtr wrote");
  if (const auto version = in.get<std::uint32_t>(); version != breaks_version)
    return error_at(name, Cause::mismatch, fmt::format("is of version {}, not {}", version, breaks_version));
  const auto sum = in.get<std::uint64_t>();
  if (!in.good() || sum != checksum(bytes.subspan(in.place())))
    return error_at(name, Cause::truncated, "is damaged: the checksum is another");
  SeenBreaks seen;
  seen.unit = in.get<double>();
  if (!(std::isfinite(seen.unit) && seen.unit > 0.0)) in.fail();
  const auto surfaces = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < surfaces && in.good(); ++i) seen.surfaces.push_back(get_surface(in));
  const auto pairs = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < pairs && in.good(); ++i) {
    SeenPair pair;
    pair.a = in.get<std::int32_t>();
    pair.b = in.get<std::int32_t>();
    const auto known = [&](int k) { return k >= 0 && static_cast<std::size_t>(k) < seen.surfaces.size(); };
    if (!known(pair.a) || !known(pair.b) || pair.a == pair.b) in.fail();
    const auto matches = in.get<std::uint32_t>();
    if (!in.fits(matches, match_bytes)) break;
    for (std::uint32_t k = 0; k < matches; ++k) {
      SeenMatch match;
      match.in_a = get_vector<float>(in);
      match.in_b = get_vector<float>(in);
      pair.matches.push_back(match);
    }
    seen.pairs.push_back(std::move(pair));
  }
  if (!in.good()) return Error{Cause::malformed, "is no list of breaks", {name, in.place(), {}}};
  if (in.left() > 0) return error_at(name, Cause::malformed, "goes on after its end");
  return seen;
}

Result<std::shared_ptr<const SeenBreaks>> read_seen_breaks(const std::filesystem::path& folder,
                                                           std::size_t fragments) {
  const std::filesystem::path file = folder / "breaks.bin";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::shared_ptr<const SeenBreaks>();
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(file, std::uint64_t{4} << 30U));
  PMTR_TRY(SeenBreaks seen, parse_seen_breaks(bytes, file.string()));
  if (seen.surfaces.size() != fragments)
    return error_at(file, Cause::mismatch,
                    fmt::format("has {} fragments, and assembly.json {}", seen.surfaces.size(), fragments));
  return std::shared_ptr<const SeenBreaks>(std::make_shared<SeenBreaks>(std::move(seen)));
}

std::vector<OrientedCloud> orient_seen(const SeenBreaks& seen, Threads& threads) {
  std::vector<OrientedCloud> clouds;
  clouds.reserve(seen.surfaces.size());
  for (const SeenSurface& surface : seen.surfaces)
    clouds.push_back(orient_cloud(surface.cloud, surface.broken, surface.area, {}, threads));
  return clouds;
}

}  // namespace pmtr
