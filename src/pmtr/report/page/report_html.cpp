// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/report_html.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/formats/base64.h"
#include "pmtr/render/png.h"
#include "pmtr/report/page/object_view.h"
#include "pmtr/report/page/report_tables.h"
#include "pmtr/report/page/web_bundle.h"
#include "pmtr/report/record/matrix_files.h"
#include "pmtr/report/record/words.h"

namespace pmtr {
namespace {

Status add_image(std::string& html, const std::optional<Image>& image, const char* words) {
  if (!image) return {};
  PMTR_TRY(const std::vector<std::byte> png, encode_png(*image));
  html += "<img alt=\"" + std::string(words) + "\" src=\"data:image/png;base64,";
  append_base64(html, png);
  html += "\">\n";
  return {};
}

/// For paper, and for who has no JavaScript: the numbers are those of the tables.
Result<std::string> still_html(const AssemblyPictures& pictures) {
  std::string html;
  PMTR_TRY_STATUS(add_image(html, pictures.assembled, "The assembled object"));
  if (!pictures.exploded) return html;
  html += "<div class=\"numbered\">";
  PMTR_TRY_STATUS(add_image(html, pictures.exploded, "The fragments pulled apart, with their numbers"));
  for (const PictureLabel& label : pictures.numbers)
    html += fmt::format("<span style=\"left:{:.1f}%;top:{:.1f}%\">{}</span>", 100.0 * label.x,
                        100.0 * label.y, label.part + 1);
  return html + "</div>\n";
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
  ObjectView view(meshes, record, options, threads);
  const nlohmann::ordered_json json = view.data(record, threads, listener);
  const std::string data = view.elements(json);
  PMTR_TRY(const std::string still, still_html(pictures));
  const std::string title =
      fmt::format("Assembly of {} fragment{}", meshes.size(), meshes.size() == 1 ? "" : "s");
  const std::string summary = markup_escaped(summary_sentence(record));
  const std::string fragments = report_tables::fragment_table(record);
  const std::string joints = report_tables::joint_table(record);
  const std::string notes = report_tables::notes(record);
  listener.advance("report", 4, 4);
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
