// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/matrix_files.h"

#include <fmt/format.h>

#include "pmtr/formats/number_text.h"

namespace pmtr {
namespace {

/// Quoted where a comma, a quote or a line end would break the table.
std::string csv_word(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

void append_rows(std::string& text, const Rigid3& pose, const char* line_end) {
  const Eigen::Matrix4d m = pose.matrix();
  for (Eigen::Index r = 0; r < 4; ++r) {
    for (Eigen::Index c = 0; c < 4; ++c) {
      if (c > 0) text += ' ';
      append_number(text, m(r, c));
    }
    text += line_end;
  }
}

}  // namespace

std::string matrices_csv(const AssemblyRecord& record) {
  std::string text = "file,placed,component";
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) text += fmt::format(",m{}{}", r, c);
  }
  text += '\n';
  const std::vector<std::string> names = record.context.names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const PlacedPart& part = record.assembly.parts[i];
    text += fmt::format("{},{},{}", csv_word(names[i]), part.placed ? 1 : 0, part.component);
    const Eigen::Matrix4d m = part.world_from_part.matrix();
    for (Eigen::Index k = 0; k < 16; ++k) {
      text += ',';
      append_number(text, m(k / 4, k % 4));
    }
    text += '\n';
  }
  return text;
}

std::string cloudcompare_matrix(const Rigid3& world_from_part) {
  std::string text;
  append_rows(text, world_from_part, "\n");
  return text;
}

std::string markup_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
  }
  return out;
}

std::string meshlab_project(const AssemblyRecord& record) {
  std::string text = "<!DOCTYPE MeshLabDocument>\n<MeshLabProject>\n <MeshGroup>\n";
  const std::vector<std::string> names = record.context.names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const PlacedPart& part = record.assembly.parts[i];
    if (!part.placed) continue;
    const std::string& file =
        record.context.relative_files.empty() ? record.context.files[i] : record.context.relative_files[i];
    text += fmt::format("  <MLMesh label=\"{}\" filename=\"{}\" visible=\"1\">\n   <MLMatrix44>\n",
                        markup_escaped(names[i]), markup_escaped(file));
    append_rows(text, part.world_from_part, " \n");
    text += "</MLMatrix44>\n  </MLMesh>\n";
  }
  return text + " </MeshGroup>\n <RasterGroup/>\n</MeshLabProject>\n";
}

}  // namespace pmtr
