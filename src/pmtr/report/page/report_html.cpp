// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/report_html.h"

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
#include "pmtr/render/png.h"
#include "pmtr/report/page/display_bytes.h"
#include "pmtr/report/page/gap_map.h"
#include "pmtr/report/page/report_tables.h"
#include "pmtr/report/page/web_bundle.h"
#include "pmtr/report/record/matrix_files.h"
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

/// The blobs of one part, and what the page must know to read them.
struct PartPayload {
  Json geometry;
  std::string elements;
};

PartPayload part_payload(std::size_t index, const TriangleMesh& mesh, const DisplayMesh& shown,
                         double gap_scale, std::size_t& texture_bytes_left) {
  const DisplayBytes packed = pack(shown, gap_scale);
  PartPayload out;
  out.elements = fmt::format("<script type=\"text/plain\" id=\"geometry-{}\">", index);
  append_base64(out.elements, packed.bytes);
  out.elements += "</script>\n";
  Json& json = out.geometry;
  json["vertices"] = shown.positions.size();
  json["faces"] = shown.faces.size();
  json["low"] = vector(packed.low);
  json["size"] = vector(packed.size);
  json["normals"] = !shown.normals.empty();
  json["colours"] = !shown.colours.empty();
  json["uvs"] = Json();
  if (!shown.uvs.empty())
    json["uvs"] = {packed.uv_low.x(), packed.uv_low.y(), packed.uv_size.x(), packed.uv_size.y()};
  json["gaps"] = !shown.gaps.empty();
  json["indexBytes"] = packed.index_bytes;
  json["groups"] = Json::array();
  json["textures"] = Json::object();
  std::set<int> written;
  for (const DisplayMesh::Group& group : shown.groups) {
    json["groups"].push_back({group.texture, group.begin, group.end});
    if (group.texture < 0 || !written.insert(group.texture).second) continue;
    const Texture& texture = mesh.textures[static_cast<std::size_t>(group.texture)];
    const std::string mime = texture.mime.empty() ? image_mime(texture.bytes, texture.name) : texture.mime;
    const bool shows = mime == "image/png" || mime == "image/jpeg" || mime == "image/webp";
    if (texture.bytes.empty() || !shows || texture.bytes.size() > texture_bytes_left) continue;
    texture_bytes_left -= texture.bytes.size();
    json["textures"][std::to_string(group.texture)] = mime;
    out.elements += fmt::format("<script type=\"text/plain\" id=\"texture-{}-{}\">", index, group.texture);
    append_base64(out.elements, texture.bytes);
    out.elements += "</script>\n";
  }
  return out;
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
          {"component", part.component},
          {"confidence", part.confidence},
          {"facts", facts_json(report_tables::part_facts(record, i))},
          {"pose", rows(layout.view_from_part[i])},
          {"explode", vector(layout.explode[i])},
          {"geometry", std::move(geometry)}};
}

Json joint_json(const AssemblyRecord& record, std::size_t j, int rank, const DisplayLayout& layout,
                const std::vector<ContactPair>& pairs) {
  const Joint& joint = record.assembly.joints[j];
  const auto a = static_cast<std::size_t>(joint.a);
  Json points = Json::array();
  for (const ContactPair& pair : pairs) {
    for (const Eigen::Vector3d& p : {pair.in_a, pair.in_b}) {
      // Seven digits are as many as the graphics card takes.
      for (Eigen::Index c = 0; c < 3; ++c) points.push_back(static_cast<float>(p[c]));
    }
  }
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
          {"other", rows(layout.view_from_part[a] * joint.a_from_b)},
          {"pairs", std::move(points)}};
}

Result<std::string> still_html(const AssemblyPictures& pictures) {
  std::string html;
  const std::array<std::pair<const std::optional<Image>*, const char*>, 2> all = {
      {{&pictures.assembled, "The assembled object"}, {&pictures.exploded, "The fragments pulled apart"}}};
  for (const auto& [image, words] : all) {
    if (!*image) continue;
    PMTR_TRY(const std::vector<std::byte> png, encode_png(**image));
    html += "<img alt=\"" + std::string(words) + "\" src=\"data:image/png;base64,";
    append_base64(html, png);
    html += "\">\n";
  }
  return html;
}

/// Every {{name}} of the page is replaced once; what is put in is not looked at again.
std::string filled(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::string out;
  while (true) {
    const std::size_t open = page.find("{{");
    if (open == std::string_view::npos) break;
    const std::size_t close = page.find("}}", open);
    PMTR_CHECK(close != std::string_view::npos, "a {{name}} of page.html has no end");
    const std::string_view name = page.substr(open + 2, close - open - 2);
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == name; });
    PMTR_CHECK(found != values.end(), "page.html asks for {{" + std::string(name) + "}}");
    out += page.substr(0, open);
    out += found->second;
    page.remove_prefix(close + 2);
  }
  out += page;
  return out;
}

}  // namespace

ReportOptions ReportOptions::light() {
  ReportOptions options;
  options.faces = 100'000;
  options.texture_bytes = std::size_t{2} << 20U;
  options.pairs.pairs = 20;
  options.pairs.joints = 100;
  return options;
}

Result<std::string> report_html(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes,
                                const AssemblyPictures& pictures, const ReportOptions& options,
                                Threads& threads, const Listener& listener) {
  PMTR_CHECK(meshes.size() == record.assembly.parts.size(), "a mesh for every part");
  constexpr int steps = 4;
  const DisplayLayout layout = lay_out(record, meshes);
  std::vector<DisplayMesh> shown = display_meshes(meshes, options.faces, threads);
  listener.advance("report", 1, steps);
  find_gaps(record, meshes, mating_distance(record), shown, threads);
  const double scale = gap_scale(shown);
  listener.advance("report", 2, steps);
  const auto pairs = find_contact_pairs(record, meshes, options.pairs, threads);
  listener.advance("report", 3, steps);

  Json json;
  json["summary"] = summary_sentence(record);
  json["units"] = record.context.units;
  json["gapScale"] = scale;
  json["parts"] = Json::array();
  std::string blobs;
  std::size_t texture_bytes = options.texture_bytes;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    PartPayload payload = part_payload(i, *meshes[i], shown[i], scale, texture_bytes);
    json["parts"].push_back(part_json(record, i, layout, std::move(payload.geometry)));
    blobs += payload.elements;
  }
  json["joints"] = Json::array();
  const std::vector<int> ranks = joint_ranks(record.assembly.joints);
  for (std::size_t j = 0; j < record.assembly.joints.size(); ++j) {
    json["joints"].push_back(joint_json(record, j, ranks[j], layout, pairs[j]));
  }
  const std::string data = "<script type=\"application/json\" id=\"report-data\">" +
                           script_safe(json.dump(-1, ' ', false, Json::error_handler_t::replace)) +
                           "</script>\n" + blobs;
  PMTR_TRY(const std::string still, still_html(pictures));
  const std::string title =
      fmt::format("Assembly of {} fragment{}", meshes.size(), meshes.size() == 1 ? "" : "s");
  const std::string summary = markup_escaped(summary_sentence(record));
  const std::string fragments = report_tables::fragment_table(record);
  const std::string joints = report_tables::joint_table(record);
  const std::string notes = report_tables::notes(record);
  listener.advance("report", steps, steps);
  return filled(web::page(), {{"title", title},
                              {"summary", summary},
                              {"style", web::style()},
                              {"fragments", fragments},
                              {"joints", joints},
                              {"still", still},
                              {"notes", notes},
                              {"data", data},
                              {"script", web::script()}});
}

}  // namespace pmtr
