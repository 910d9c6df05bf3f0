// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/pose_graph_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "pmtr/core/file.h"
#include "pmtr/formats/number_text.h"

namespace pmtr {
namespace {

/// The kinds of lines: how many numbers a pose has, and how many its information.
struct Kind {
  std::string_view tag;
  bool edge;
  std::size_t pose;
  std::size_t information;
};
constexpr Kind kinds[] = {
    {"EDGE_SE3:QUAT", true, 7, 21}, {"EDGE3", true, 6, 21},           {"EDGE_SE2", true, 3, 6},
    {"EDGE2", true, 3, 6},          {"VERTEX_SE3:QUAT", false, 7, 0}, {"VERTEX3", false, 6, 0},
    {"VERTEX_SE2", false, 3, 0},    {"VERTEX2", false, 3, 0},
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view space = " \t\r\v\f";
  for (std::size_t at = line.find_first_not_of(space); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(space, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(space, end);
  }
  return words;
}

std::optional<std::int64_t> parse_id(std::string_view word) {
  std::int64_t id = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (status != std::errc() || end != word.data() + word.size() || id < 0) return std::nullopt;
  return id;
}

/// None where the numbers are no rotation.
std::optional<Rigid3> pose_of(std::span<const double> v) {
  using Eigen::AngleAxisd;
  using Eigen::Vector3d;
  Rigid3 pose;
  if (v.size() == 3) {
    pose.translation = {v[0], v[1], 0};
    pose.rotation = AngleAxisd(v[2], Vector3d::UnitZ()).toRotationMatrix();
    return pose;
  }
  pose.translation = {v[0], v[1], v[2]};
  if (v.size() == 6) {
    pose.rotation = (AngleAxisd(v[5], Vector3d::UnitZ()) * AngleAxisd(v[4], Vector3d::UnitY()) *
                     AngleAxisd(v[3], Vector3d::UnitX()))
                        .toRotationMatrix();
    return pose;
  }
  const Eigen::Vector4d xyzw(v[3], v[4], v[5], v[6]);
  const double norm = xyzw.stableNorm();
  if (!(norm > 1e-6) || !std::isfinite(norm)) return std::nullopt;
  const Eigen::Vector4d unit = xyzw / norm;
  pose.rotation = Eigen::Quaterniond(unit[3], unit[0], unit[1], unit[2]).toRotationMatrix();
  return pose;
}

/// One number for a symmetric information matrix: exact where all axes are alike.
struct Weight {
  double value = 0.0;
  bool isotropic = true;
};
Weight weight_of(const Eigen::Matrix3d& information) {
  const double mean = information.trace() / 3;
  Weight weight{mean, information.isApprox(mean * Eigen::Matrix3d::Identity(), 1e-6)};
  if (!weight.isotropic) weight.value = 3.0 / information.inverse().trace();
  return weight;
}

/// False if the information is not that of a measurement.
bool set_weights(std::string_view tag, std::span<const double> v, PoseEdge& edge, bool& isotropic) {
  if (v.empty()) return true;
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d shift = Eigen::Matrix3d::Identity();
  if (v.size() == 21) {  // the upper triangle row by row, translation first
    shift << v[0], v[1], v[2], v[1], v[6], v[7], v[2], v[7], v[11];
    turn << v[15], v[16], v[17], v[16], v[18], v[19], v[17], v[19], v[20];
  } else {
    // g2o goes row by row; TORO has xx xy yy tt xt yt.
    const bool toro = tag == "EDGE2";
    turn *= toro ? v[3] : v[5];
    const double yy = toro ? v[2] : v[3];
    shift << v[0], v[1], 0, v[1], yy, 0, 0, 0, (v[0] + yy) / 2;
  }
  const Weight rotation = weight_of(turn);
  const Weight translation = weight_of(shift);
  edge.rotation_weight = rotation.value;
  edge.translation_weight = translation.value;
  isotropic = rotation.isotropic && translation.isotropic;
  return std::isfinite(rotation.value) && std::isfinite(translation.value) && rotation.value > 0 &&
         translation.value > 0;
}

/// Between two nodes as the file numbers them.
struct RawEdge {
  std::int64_t a;
  std::int64_t b;
  PoseEdge edge;
};

/// Takes the file line by line; nodes are numbered in the end.
class PoseGraphParser {
 public:
  explicit PoseGraphParser(const std::string& name) : name_(name) {}

  Status add_line(std::string_view line);
  Result<PoseGraphFile> finish() &&;

 private:
  Error error(Cause cause, std::string message) const {
    return {cause, std::move(message), {name_, {}, line_number_}};
  }
  Result<std::vector<double>> numbers(std::span<const std::string_view> words) const;
  Status add_edge(const Kind& kind, std::span<const std::int64_t> ends, std::span<const double> information,
                  const Rigid3& a_from_b);

  const std::string& name_;
  std::uint64_t line_number_ = 0;
  PoseGraphFile out_;
  std::vector<RawEdge> edges_;
};

Status PoseGraphParser::add_line(std::string_view line) {
  ++line_number_;
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty() || words[0].starts_with('#')) return {};
  const Kind* kind =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return k.tag == words[0]; });
  if (kind == std::end(kinds)) {
    ++out_.ignored_lines;
    return {};
  }
  const std::size_t ids = kind->edge ? 2 : 1;
  const std::size_t short_line = 1 + ids + kind->pose;
  if (words.size() != short_line && words.size() != short_line + kind->information) {
    return error(words.size() < short_line ? Cause::truncated : Cause::malformed,
                 fmt::format("{} has {} words, not {} or {}", kind->tag, words.size(), short_line,
                             short_line + kind->information));
  }
  for (std::size_t k = 0; k < ids; ++k) {
    const auto id = parse_id(words[1 + k]);
    if (!id) return error(Cause::malformed, "a node's number is not a whole number from 0 on");
    out_.ids.push_back(*id);
  }
  PMTR_TRY(const std::vector<double> values, numbers(std::span(words).subspan(1 + ids)));
  const auto pose = pose_of(std::span(values).first(kind->pose));
  if (!pose) return error(Cause::malformed, "the quaternion has no length");
  if (!kind->edge) return {};
  return add_edge(*kind, std::span(out_.ids).last(2), std::span(values).subspan(kind->pose), *pose);
}

Result<std::vector<double>> PoseGraphParser::numbers(std::span<const std::string_view> words) const {
  std::vector<double> values;
  for (const std::string_view word : words) {
    const auto number = parse_number(word);
    if (!number) return error(Cause::malformed, "this is not a number");
    if (!std::isfinite(*number)) return error(Cause::not_finite, "a number that is not finite");
    values.push_back(*number);
  }
  return values;
}

Status PoseGraphParser::add_edge(const Kind& kind, std::span<const std::int64_t> ends,
                                 std::span<const double> information, const Rigid3& a_from_b) {
  if (ends[0] == ends[1]) return error(Cause::malformed, "an edge of a node with itself");
  RawEdge raw{ends[0], ends[1], {}};
  raw.edge.a_from_b = a_from_b;
  bool isotropic = true;
  if (!set_weights(kind.tag, information, raw.edge, isotropic))
    return error(Cause::malformed, "the information matrix is not positive");
  out_.anisotropic_edges += isotropic ? 0 : 1;
  edges_.push_back(raw);
  return {};
}

Result<PoseGraphFile> PoseGraphParser::finish() && {
  std::vector<std::int64_t>& ids = out_.ids;
  if (ids.empty()) return error_at(name_, Cause::empty, "no poses and no edges");
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  out_.graph.nodes = static_cast<int>(ids.size());
  const auto index_of = [&](std::int64_t id) {
    return static_cast<int>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  };
  for (RawEdge& raw : edges_) {
    raw.edge.a = index_of(raw.a);
    raw.edge.b = index_of(raw.b);
    out_.graph.edges.push_back(raw.edge);
  }
  return std::move(out_);
}

}  // namespace

Result<PoseGraphFile> parse_pose_graph(std::string_view text, const std::string& name) {
  PoseGraphParser parser(name);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    PMTR_TRY_STATUS(parser.add_line(text.substr(at, end - at)));
    at = end + 1;
  }
  return std::move(parser).finish();
}

Result<PoseGraphFile> read_pose_graph(const std::filesystem::path& path) {
  // Node numbers are ints; no graph that fits in memory comes near this size.
  PMTR_TRY(const auto bytes, read_file(path, std::uint64_t{1} << 31));
  return parse_pose_graph(as_text(bytes), path.string());
}

}  // namespace pmtr
