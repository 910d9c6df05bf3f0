// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/cached_object.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pmtr/core/check.h"
#include "pmtr/formats/byte_stream.h"

namespace pmtr {
namespace {

constexpr std::uint64_t magic = 0x316a626f72746d70;  // "pmtrobj1"
constexpr std::size_t bytes_per_face = 16;           // three corners, one partner

/// Catches a file that was cut or damaged; nobody is to be kept from forging it.
std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0x9e3779b97f4a7c15ULL ^ bytes.size();
  const auto mix = [&sum](std::uint64_t word) {
    sum = (sum ^ word) * 0xff51afd7ed558ccdULL;
    sum ^= sum >> 32U;
  };
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) mix(load_bytes<std::uint64_t>(&bytes[i], std::endian::little));
  for (; i < bytes.size(); ++i) mix(std::to_integer<std::uint64_t>(bytes[i]));
  return sum;
}

bool single_precision(const BrokenObject& object) {
  for (const TriangleMesh& piece : object.pieces) {
    for (const Eigen::Vector3d& v : piece.vertices) {
      if (v != v.cast<float>().cast<double>()) return false;
    }
  }
  return true;
}

void put_stamp(ByteWriter& out, const ObjectStamp& stamp) {
  out.put(static_cast<std::uint8_t>(stamp.method));
  out.put(static_cast<std::uint8_t>(stamp.remove_walls));
  out.put(stamp.tolerance);
  out.put(stamp.least_normal_angle);
  out.put(stamp.least_share);
  out.put(static_cast<std::uint32_t>(stamp.files.size()));
  for (const ObjectStamp::File& file : stamp.files) {
    out.put_text(file.path);
    out.put(file.size);
    out.put(file.changed);
  }
}

bool get_flag(ByteReader& in) {
  const auto value = in.get<std::uint8_t>();
  if (value > 1) in.fail();
  return value == 1;
}

/// NaN would never equal itself, so such a file could never be fresh.
double get_finite(ByteReader& in) {
  const auto value = in.get<double>();
  if (!std::isfinite(value)) in.fail();
  return value;
}

ObjectStamp get_stamp(ByteReader& in) {
  ObjectStamp stamp;
  const auto method = in.get<std::uint8_t>();
  if (method > static_cast<std::uint8_t>(MatingMethod::distance)) in.fail();
  stamp.method = static_cast<MatingMethod>(in.good() ? method : 0);
  stamp.remove_walls = get_flag(in);
  stamp.tolerance = get_finite(in);
  stamp.least_normal_angle = get_finite(in);
  stamp.least_share = get_finite(in);
  const auto files = in.get<std::uint32_t>();
  if (!in.fits(files, 20)) return stamp;
  for (std::uint32_t i = 0; i < files && in.good(); ++i) {
    ObjectStamp::File file;
    file.path = in.get_text();
    file.size = in.get<std::uint64_t>();
    file.changed = in.get<std::int64_t>();
    stamp.files.push_back(std::move(file));
  }
  return stamp;
}

void put_pairs(ByteWriter& out, const std::vector<MatingPair>& pairs) {
  out.put(static_cast<std::uint32_t>(pairs.size()));
  for (const MatingPair& pair : pairs) {
    out.put(pair.a);
    out.put(pair.b);
    out.put(pair.area);
    out.put(pair.share_of_a);
    out.put(pair.share_of_b);
  }
}

std::vector<MatingPair> get_pairs(ByteReader& in, std::size_t pieces) {
  std::vector<MatingPair> pairs;
  const auto count = in.get<std::uint32_t>();
  if (!in.fits(count, 32)) return pairs;
  for (std::uint32_t i = 0; i < count && in.good(); ++i) {
    MatingPair pair;
    pair.a = in.get<std::int32_t>();
    pair.b = in.get<std::int32_t>();
    pair.area = get_finite(in);
    pair.share_of_a = get_finite(in);
    pair.share_of_b = get_finite(in);
    if (pair.a < 0 || pair.a >= pair.b || std::cmp_greater_equal(pair.b, pieces)) in.fail();
    pairs.push_back(pair);
  }
  return pairs;
}

template <class Float>
void put_piece(ByteWriter& out, const TriangleMesh& piece, const std::vector<std::int32_t>& partner) {
  for (const Eigen::Vector3d& v : piece.vertices)
    for (int i = 0; i < 3; ++i) out.put(static_cast<Float>(v[i]));
  for (const auto& face : piece.faces)
    for (const std::uint32_t v : face) out.put(v);
  for (const std::int32_t p : partner) out.put(p);
}

template <class Float>
void get_piece(ByteReader& in, std::uint32_t vertices, std::uint32_t faces, std::int64_t pieces,
               TriangleMesh& piece, std::vector<std::int32_t>& partner) {
  if (!in.fits(vertices, 3 * sizeof(Float))) return;
  piece.vertices.resize(vertices);
  for (Eigen::Vector3d& v : piece.vertices) {
    for (int i = 0; i < 3; ++i) v[i] = static_cast<double>(in.get<Float>());
    if (!v.allFinite()) in.fail();
  }
  if (!in.fits(faces, bytes_per_face)) return;
  piece.faces.resize(faces);
  std::uint32_t largest = 0;
  for (auto& face : piece.faces) {
    for (std::uint32_t& v : face) {
      v = in.get<std::uint32_t>();
      largest = std::max(largest, v);
    }
  }
  partner.resize(faces);
  for (std::int32_t& p : partner) {
    p = in.get<std::int32_t>();
    if (p < -1 || p >= pieces) in.fail();
  }
  if (faces > 0 && largest >= vertices) in.fail();
}

}  // namespace

std::vector<std::byte> format_cached_object(const BrokenObject& object, const ObjectStamp& stamp) {
  const std::size_t count = object.pieces.size();
  PMTR_CHECK(object.piece_names.size() == count && object.volumes.size() == count &&
                 object.mating.partner.size() == count && object.mating.piece_areas.size() == count,
             "a broken object that is complete");
  ByteWriter out;
  out.put(magic);
  out.put(std::uint64_t{0});
  put_stamp(out, stamp);
  out.put_text(object.object);
  out.put_text(object.fracture);
  out.put_text(object.category);
  out.put(object.wall_triangles);
  out.put(static_cast<std::uint8_t>(object.mating.exact));
  const bool single = single_precision(object);
  out.put(static_cast<std::uint8_t>(single));
  out.put(static_cast<std::uint32_t>(count));
  std::size_t bytes = 0;
  for (std::size_t p = 0; p < count; ++p) {
    out.put_text(object.piece_names[p]);
    out.put(object.volumes[p]);
    out.put(object.mating.piece_areas[p]);
    out.put(static_cast<std::uint32_t>(object.pieces[p].vertices.size()));
    out.put(static_cast<std::uint32_t>(object.pieces[p].faces.size()));
    bytes += 24 * object.pieces[p].vertices.size() + bytes_per_face * object.pieces[p].faces.size();
  }
  put_pairs(out, object.mating.pairs);
  out.reserve(bytes);
  for (std::size_t p = 0; p < count; ++p) {
    if (single) {
      put_piece<float>(out, object.pieces[p], object.mating.partner[p]);
    } else {
      put_piece<double>(out, object.pieces[p], object.mating.partner[p]);
    }
  }
  std::vector<std::byte> result = out.take();
  store_bytes(result.data() + 8, checksum(std::span(result).subspan(cached_object_head)),
              std::endian::little);
  return result;
}

Result<CachedObject> parse_cached_object(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader in(bytes);
  if (in.get<std::uint64_t>() != magic)
    return error_at(name, Cause::unknown_format, "is not a cached object");
  const auto sum = in.get<std::uint64_t>();
  if (!in.good()) return error_at(name, Cause::truncated, "ends in its head");
  if (sum != checksum(bytes.subspan(cached_object_head)))
    return error_at(name, Cause::malformed, "is damaged: its checksum is wrong");
  return parse_cached_body(bytes.subspan(cached_object_head), name);
}

Result<CachedObject> parse_cached_body(std::span<const std::byte> body, const std::string& name) {
  ByteReader in(body);
  const auto broken = [&](std::string message) {
    return Error{Cause::malformed, std::move(message), {name, cached_object_head + in.place(), {}}};
  };
  CachedObject cached;
  cached.stamp = get_stamp(in);
  BrokenObject& object = cached.object;
  object.object = in.get_text();
  object.fracture = in.get_text();
  object.category = in.get_text();
  object.wall_triangles = in.get<std::int64_t>();
  object.mating.exact = get_flag(in);
  const bool single = get_flag(in);
  const auto count = in.get<std::uint32_t>();
  if (!in.fits(count, 28)) return broken("has more pieces than bytes");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes;
  for (std::uint32_t p = 0; p < count && in.good(); ++p) {
    object.piece_names.push_back(in.get_text());
    object.volumes.push_back(get_finite(in));
    object.mating.piece_areas.push_back(get_finite(in));
    const auto vertices = in.get<std::uint32_t>();
    sizes.emplace_back(vertices, in.get<std::uint32_t>());
  }
  object.mating.pairs = get_pairs(in, count);
  if (!in.good()) return broken("has a bad description of its pieces");
  object.pieces.resize(count);
  object.mating.partner.resize(count);
  for (std::uint32_t p = 0; p < count; ++p) {
    const auto [vertices, faces] = sizes[p];
    if (single) {
      get_piece<float>(in, vertices, faces, count, object.pieces[p], object.mating.partner[p]);
    } else {
      get_piece<double>(in, vertices, faces, count, object.pieces[p], object.mating.partner[p]);
    }
    if (!in.good()) return broken("has a bad piece");
  }
  if (in.left() != 0) return broken("goes on after its end");
  return cached;
}

}  // namespace pmtr
