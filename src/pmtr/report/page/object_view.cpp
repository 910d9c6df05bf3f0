// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/object_view.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/assemble/witnesses.h"
#include "pmtr/formats/base64.h"
#include "pmtr/formats/pose_json.h"
#include "pmtr/mesh/io/mesh_appearance.h"
#include "pmtr/render/part_colours.h"
#include "pmtr/report/page/break_map.h"
#include "pmtr/report/page/display_bytes.h"
#include "pmtr/report/page/report_tables.h"
#include "pmtr/report/record/words.h"

namespace pmtr {
namespace {

using Json = nlohmann::ordered_json;

/// The rows one after another, as the viewer takes them.
Json rows(const Rigid3& pose) {
  Json list = Json::array();
  for (const Json& row : pose_rows(pose)) list.insert(list.end(), row.begin(), row.end());
  return list;
}

Json vector(const Eigen::VectorXd& v) { return std::vector<double>(v.data(), v.data() + v.size()); }

/// Scans stored corner by corner have three vertices a face; as one surface they need half of one.
const TriangleMesh& joined(const TriangleMesh& mesh, TriangleMesh& storage) {
  if (mesh.faces.empty() || mesh.vertices.size() < 2 * mesh.faces.size() || !mesh.colours.empty())
    return mesh;
  storage = merge_duplicate_vertices(mesh);
  return storage;
}

std::vector<DisplayMesh> display_meshes(std::span<const TriangleMesh* const> meshes, std::size_t budget,
                                        Threads& threads) {
  std::size_t total = 0;
  const auto size_of = [](const TriangleMesh& m) {
    return m.faces.empty() ? m.vertices.size() : m.faces.size();
  };
  for (const TriangleMesh* mesh : meshes) total += size_of(*mesh);
  std::vector<DisplayMesh> shown(meshes.size());
  threads.parallel_for(
      static_cast<std::int64_t>(meshes.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          TriangleMesh storage;
          DisplayMesh whole = display_mesh(joined(*meshes[i], storage));
          const double share =
              static_cast<double>(size_of(*meshes[i])) / static_cast<double>(std::max<std::size_t>(total, 1));
          shown[i] =
              total <= budget
                  ? std::move(whole)
                  : thinned(whole, std::max<std::size_t>(
                                       200, static_cast<std::size_t>(share * static_cast<double>(budget))));
        }
      });
  return shown;
}

/// Pictures that fit into the page: part and number of each.
std::set<std::pair<std::size_t, int>> shown_textures(std::span<const TriangleMesh* const> meshes,
                                                     std::span<const DisplayMesh> shown,
                                                     std::size_t bytes_left) {
  std::set<std::pair<std::size_t, int>> fitting;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    for (const DisplayMesh::Group& group : shown[i].groups) {
      if (group.texture < 0 || fitting.contains({i, group.texture})) continue;
      const Texture& texture = meshes[i]->textures[static_cast<std::size_t>(group.texture)];
      const std::string mime = texture.mime.empty() ? image_mime(texture.bytes, texture.name) : texture.mime;
      const bool shows = mime == "image/png" || mime == "image/jpeg" || mime == "image/webp";
      if (texture.bytes.empty() || !shows || texture.bytes.size() > bytes_left) continue;
      bytes_left -= texture.bytes.size();
      fitting.insert({i, group.texture});
    }
  }
  return fitting;
}

/// Inside a script element nothing may look like its end.
std::string script_safe(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

/// What the page must know to read the bytes of a part.
Json geometry_json(std::size_t index, const TriangleMesh& mesh, const DisplayMesh& shown,
                   const std::set<std::pair<std::size_t, int>>& textures) {
  const DisplayFrame frame = frame_of(shown);
  Json json;
  json["vertices"] = shown.positions.size();
  json["faces"] = shown.faces.size();
  json["low"] = vector(frame.low);
  json["size"] = vector(frame.size);
  json["normals"] = !shown.normals.empty();
  json["colours"] = !shown.colours.empty();
  json["uvs"] = Json();
  if (!shown.uvs.empty())
    json["uvs"] = {frame.uv_low.x(), frame.uv_low.y(), frame.uv_size.x(), frame.uv_size.y()};
  json["gaps"] = !shown.gaps.empty();
  json["breaks"] = !shown.breaks.empty();
  json["indexBytes"] = frame.index_bytes;
  json["groups"] = Json::array();
  json["textures"] = Json::object();
  for (const DisplayMesh::Group& group : shown.groups) {
    json["groups"].push_back({group.texture, group.begin, group.end});
    if (!textures.contains({index, group.texture})) continue;
    const Texture& texture = mesh.textures[static_cast<std::size_t>(group.texture)];
    json["textures"][std::to_string(group.texture)] =
        texture.mime.empty() ? image_mime(texture.bytes, texture.name) : texture.mime;
  }
  return json;
}

Json facts_json(const report_tables::Facts& facts) {
  Json list = Json::array();
  for (const auto& [name, value] : facts) list.push_back({name, value});
  return list;
}

Json part_json(const AssemblyRecord& record, std::size_t i, const DisplayLayout& layout, Json geometry) {
  const PlacedPart& part = record.assembly.parts[i];
  return {{"name", record.context.names()[i]},
          {"colour", report_tables::css_colour(part_colour(i))},
          {"placed", part.placed},
          {"dropped", record.context.dropped(i)},
          {"byHand", record.context.decisions.is_placed(static_cast<int>(i))},
          {"component", part.component},
          {"confidence", part.confidence},
          {"facts", facts_json(report_tables::part_facts(record, i))},
          {"pose", rows(layout.view_from_part[i])},
          {"explode", vector(layout.explode[i])},
          {"geometry", std::move(geometry)}};
}

/// Six numbers for every two points. Seven digits are as many as the graphics card takes.
template <class Pairs, class ToFloat>
Json points_json(const Pairs& pairs, const ToFloat& to_float) {
  Json list = Json::array();
  for (const auto& pair : pairs) {
    for (const auto& p : {pair.in_a, pair.in_b}) {
      const Eigen::Vector3f point = to_float(p);
      for (Eigen::Index c = 0; c < 3; ++c) list.push_back(point[c]);
    }
  }
  return list;
}

Json joint_json(const AssemblyRecord& record, std::size_t j, int rank, const DisplayLayout& layout) {
  const Joint& joint = record.assembly.joints[j];
  const auto a = static_cast<std::size_t>(joint.a);
  return {{"a", joint.a},
          {"b", joint.b},
          {"rank", rank},
          {"used", joint.used},
          {"fate", fate_word(record, j)},
          {"sentence", fate_sentence(record, j)},
          {"confidence", joint.confidence},
          {"band", band_name(band_of(joint))},
          {"reason", band_reason(joint)},
          {"decision", decision_name(record.context.decision(j))},
          {"facts", facts_json(report_tables::joint_facts(record, j))},
          {"other", rows(layout.view_from_part[a] * joint.a_from_b)}};
}

/// What the network matched between the two of a joint, in the joint's own order; once per pair of fragments.
std::vector<std::vector<SeenMatch>> matches_of(const AssemblyRecord& record, std::span<const int> ranks) {
  std::map<std::pair<int, int>, const SeenPair*> known;
  if (record.context.seen)
    for (const SeenPair& pair : record.context.seen->pairs) known[{pair.a, pair.b}] = &pair;
  std::vector<std::vector<SeenMatch>> out(record.assembly.joints.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Joint& joint = record.assembly.joints[j];
    if (ranks[j] != 0) continue;
    if (const auto found = known.find({joint.a, joint.b}); found != known.end()) {
      out[j] = found->second->matches;
    } else if (const auto turned = known.find({joint.b, joint.a}); turned != known.end()) {
      for (const SeenMatch& match : turned->second->matches) out[j].push_back({match.in_b, match.in_a});
    }
  }
  return out;
}

}  // namespace

ObjectView::ObjectView(std::span<const TriangleMesh* const> meshes, const AssemblyRecord& record,
                       const ReportOptions& options, Threads& threads)
    : meshes_(meshes.begin(), meshes.end()),
      options_(options),
      shown_(display_meshes(meshes, options.faces, threads)),
      gap_finder_(meshes) {
  if (record.context.seen) find_breaks(*record.context.seen, shown_, threads);
}

Json ObjectView::data(const AssemblyRecord& record, Threads& threads, const Listener& listener, bool points) {
  constexpr int steps = 4;
  const DisplayLayout layout = lay_out(record, meshes_);
  listener.advance("report", 1, steps);
  gap_finder_.fill(record, mating_distance(record), shown_, threads);
  scale_ = gap_scale(shown_);
  listener.advance("report", 2, steps);
  add_contact_pairs(record, meshes_, options_.pairs, threads, pairs_);
  listener.advance("report", 3, steps);

  Json json;
  json["summary"] = summary_sentence(record);
  json["units"] = record.context.units;
  json["gapScale"] = scale_;
  json["objectSize"] = record.context.object_size;
  json["canSnap"] = record.context.seen != nullptr;
  json["parts"] = Json::array();
  const auto textures = shown_textures(meshes_, shown_, options_.texture_bytes);
  for (std::size_t i = 0; i < meshes_.size(); ++i)
    json["parts"].push_back(part_json(record, i, layout, geometry_json(i, *meshes_[i], shown_[i], textures)));
  json["joints"] = Json::array();
  const std::vector<int> ranks = joint_ranks(record.assembly.joints);
  const auto matches = matches_of(record, ranks);
  for (std::size_t j = 0; j < record.assembly.joints.size(); ++j) {
    Json joint = joint_json(record, j, ranks[j], layout);
    if (points) {
      joint["pairs"] =
          points_json(pairs_[j], [](const Eigen::Vector3d& p) { return p.cast<float>().eval(); });
      joint["matches"] = points_json(matches[j], [](const Eigen::Vector3f& p) { return p; });
    }
    json["joints"].push_back(std::move(joint));
  }
  json["placed"] = Json::array();
  const std::vector<std::string> names = record.context.names();
  for (const AppliedPlacement& placed : record.context.decisions.placed) {
    json["placed"].push_back({{"fragment", names[static_cast<std::size_t>(placed.part)]},
                              {"on", names[static_cast<std::size_t>(placed.on)]},
                              {"on_from_fragment", pose_rows(placed.on_from_part)},
                              {"group", placed.group}});
  }
  return json;
}

std::string ObjectView::elements(const Json& data) const {
  std::string elements = "<script type=\"application/json\" id=\"report-data\">" +
                         script_safe(data.dump(-1, ' ', false, Json::error_handler_t::replace)) +
                         "</script>\n";
  const auto textures = shown_textures(meshes_, shown_, options_.texture_bytes);
  for (std::size_t i = 0; i < meshes_.size(); ++i) {
    elements += fmt::format("<script type=\"text/plain\" id=\"geometry-{}\">", i);
    append_base64(elements, pack(shown_[i], scale_));
    elements += "</script>\n";
  }
  for (const auto& [part, number] : textures) {
    elements += fmt::format("<script type=\"text/plain\" id=\"texture-{}-{}\">", part, number);
    append_base64(elements, meshes_[part]->textures[static_cast<std::size_t>(number)].bytes);
    elements += "</script>\n";
  }
  return elements;
}

std::vector<std::string> ObjectView::gaps() const {
  std::vector<std::string> out;
  for (const DisplayMesh& mesh : shown_) {
    out.emplace_back();
    append_base64(out.back(), pack_gaps(mesh, scale_));
  }
  return out;
}

}  // namespace pmtr
