// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/report_tables.h"

#include <algorithm>

#include <fmt/format.h>

#include "pmtr/assemble/witnesses.h"
#include "pmtr/render/part_colours.h"
#include "pmtr/report/record/matrix_files.h"
#include "pmtr/report/record/units.h"
#include "pmtr/report/record/words.h"

namespace pmtr::report_tables {
namespace {

std::string part_label(const AssemblyRecord& record, int part) {
  const auto i = static_cast<std::size_t>(part);
  return fmt::format(
      "<span class=\"part\"><span class=\"swatch\" style=\"background:{}\"></span><span "
      "class=\"number\">{}</span>{}</span>",
      css_colour(part_colour(i)), i + 1, markup_escaped(record.context.names()[i]));
}

const char* place_label(Band band) {
  return band == Band::confirmed  ? "yes, confirmed"
         : band == Band::probable ? "yes, probable"
                                  : "yes, unlikely";
}

/// What is used says how far it may be believed.
std::string band_label(Band band) {
  return band == Band::rejected ? "accepted, unlikely" : fmt::format("accepted, {}", band_name(band));
}

bool touching(const Joint& joint) { return joint.evidence && joint.evidence->contact_points > 0; }

std::string joint_row(const AssemblyRecord& record, std::size_t j) {
  const Joint& joint = record.assembly.joints[j];
  const std::string fate = fate_word(record, j);
  const bool locked = record.context.decision(j) == Decision::lock && joint.used;
  const auto cell = [](bool known, double value) {
    return fmt::format("<td class=\"n\">{}</td>", known ? gap_words(value) : "–");
  };
  std::string row = fmt::format(
      "<tr data-joint=\"{}\" aria-selected=\"false\"{}><td class=\"names\">{} <span class=\"plus\">+</span> "
      "{}</td>",
      j, joint.used ? "" : " class=\"off\"", part_label(record, joint.a), part_label(record, joint.b));
  row += fmt::format("<td class=\"result {}\">{}</td>",
                     joint.used && band_of(joint) == Band::confirmed ? "good"
                     : joint.used || fate != "contradicts"           ? ""
                                                                     : "bad",
                     locked       ? "locked by hand"
                     : joint.used ? band_label(band_of(joint))
                                  : fate_label(fate));
  row += fmt::format("<td class=\"n\">{:.2f}</td>", joint.confidence);
  row += cell(joint.evidence.has_value(), joint.evidence ? joint.evidence->contact_area : 0.0);
  row += cell(touching(joint), touching(joint) ? joint.evidence->gap_mean : 0.0);
  row += cell(touching(joint), touching(joint) ? joint.evidence->gap_p95 : 0.0);
  row += cell(touching(joint), touching(joint) ? joint.evidence->penetration_depth : 0.0);
  row += "</tr>\n";
  return row;
}

}  // namespace

std::string css_colour(Rgb colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]);
}

std::string fragment_table(const AssemblyRecord& record) {
  std::string html =
      "<table id=\"fragment-table\" role=\"grid\" "
      "aria-label=\"Fragments\"><thead><tr><th>Fragment</th><th>Placed</th>"
      "<th class=\"n\">Confidence</th><th class=\"n\">Open breaks</th><th "
      "class=\"n\">Group</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < record.assembly.parts.size(); ++i) {
    const PlacedPart& part = record.assembly.parts[i];
    const char* state = record.context.dropped(i)                                 ? "left out by hand"
                        : record.context.decisions.is_placed(static_cast<int>(i)) ? "yes, put there by hand"
                        : part.anchor                                             ? "yes, as in its file"
                        : part.placed                                             ? place_label(band_of(part))
                                                                                  : "no";
    html += fmt::format(
        "<tr data-part=\"{}\" aria-selected=\"false\"{}><td class=\"names\">{}</td><td class=\"{}\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        i, part.placed ? "" : " class=\"off\"", part_label(record, static_cast<int>(i)),
        part.placed ? "good" : "bad", state, part.placed ? fmt::format("{:.2f}", part.confidence) : "–",
        part.open_share ? fmt::format("{:.0f} %", 100.0 * *part.open_share) : "–",
        part.placed ? fmt::format("{}", part.component + 1) : "–");
  }
  return html + "</tbody></table>";
}

std::string joint_table(const AssemblyRecord& record) {
  const std::vector<Joint>& joints = record.assembly.joints;
  const std::string unit = record.context.units.empty() ? "" : " (" + record.context.units + ")";
  const std::string square = record.context.units.empty() ? "" : " (" + record.context.units + "²)";
  std::string html = fmt::format(
      "<table id=\"joint-table\" role=\"grid\" "
      "aria-label=\"Joints\"><thead><tr><th>Fragments</th><th>Result</th>"
      "<th class=\"n\">Confi&shy;dence</th><th class=\"n\">Contact area{1}</th><th class=\"n\">Gap "
      "mean{0}</th>"
      "<th class=\"n\">Gap 95&nbsp;%{0}</th><th "
      "class=\"n\">Pene&shy;tration{0}</th></tr></thead>\n",
      unit, square);
  for (const bool used : {true, false}) {
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].used == used) order.push_back(j);
    }
    if (order.empty()) continue;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
      return joints[x].confidence > joints[y].confidence;
    });
    html += used ? "<tbody>\n" : "<tbody class=\"unused\">\n";
    for (const std::size_t j : order) html += joint_row(record, j);
    html += "</tbody>\n";
  }
  return html + "</table>";
}

Facts part_facts(const AssemblyRecord& record, std::size_t i) {
  const PlacedPart& part = record.assembly.parts[i];
  Facts facts;
  if (part.placed) {
    facts.emplace_back("Confidence", fmt::format("{:.2f}", part.confidence));
    if (part.open_share) facts.emplace_back("Open breaks", fmt::format("{:.0f} %", 100.0 * *part.open_share));
    facts.emplace_back("Group", fmt::format("{}", part.component + 1));
    if (part.anchor) facts.emplace_back("Position", "as in its file; the others move to it");
  }
  const auto joints = std::count_if(
      record.assembly.joints.begin(), record.assembly.joints.end(),
      [&](const Joint& j) { return j.used && (j.a == static_cast<int>(i) || j.b == static_cast<int>(i)); });
  facts.emplace_back("Joints", fmt::format("{}", joints));
  if (!record.context.shapes.empty() && record.context.shapes[i].area > 0) {
    const std::string& unit = record.context.units;
    facts.emplace_back("Surface", fmt::format("{}{}", number_words(record.context.shapes[i].area),
                                              unit.empty() ? "" : " " + unit + "²"));
  }
  return facts;
}

Facts joint_facts(const AssemblyRecord& record, std::size_t j) {
  const Joint& joint = record.assembly.joints[j];
  const std::string& unit = record.context.units;
  Facts facts;
  facts.emplace_back("Confidence", fmt::format("{:.2f}", joint.confidence));
  if (touching(joint)) {
    facts.emplace_back("Contact area",
                       number_words(joint.evidence->contact_area) + (unit.empty() ? "" : " " + unit + "²"));
    facts.emplace_back("Mean gap", gap_words(joint.evidence->gap_mean) + unit_suffix(unit));
    facts.emplace_back("Gap 95 %", gap_words(joint.evidence->gap_p95) + unit_suffix(unit));
    facts.emplace_back("Penetration", gap_words(joint.evidence->penetration_depth) + unit_suffix(unit));
  } else {
    facts.emplace_back("Contact", joint.evidence ? "the surfaces do not touch" : "not measured");
  }
  if (!record.assembly.verdicts.empty() && record.assembly.verdicts[j].residual_deg) {
    const JointVerdict& verdict = record.assembly.verdicts[j];
    // Rounding leaves traces that mean nothing.
    const double shift = verdict.residual_shift.value_or(0.0);
    facts.emplace_back(
        "Off the assembly",
        fmt::format("{:.1f}°, {}{}", *verdict.residual_deg,
                    gap_words(shift < 1e-6 * record.context.object_size ? 0.0 : shift), unit_suffix(unit)));
  }
  return facts;
}

std::string notes(const AssemblyRecord& record) {
  std::string html;
  const auto add = [&](const char* term, const std::string& text) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, text);
  };
  add("Certificate", markup_escaped(certificate_sentence(record)));
  add("Confidence",
      "From 0 to 1: how likely the joint is right, by how well the two surfaces fit and by what else speaks "
      "for "
      "it: no other pose is nearly as good, matches agree, a third fragment agrees, both breaks are covered, "
      "the "
      "contact leaves no motion free. A fragment’s is that of the surest chain of joints to the fragment "
      "that "
      "stays.");
  add("Bands",
      "Confirmed: the surfaces fit, and nearly everything else speaks for it as well. Probable: more likely "
      "right than wrong, look at it. Joints below that are not used, unless every fragment was to be "
      "placed.");
  add("Open breaks",
      "How much of a fragment’s breaks no other fragment covers. A lost piece leaves its neighbours open; "
      "where "
      "none is lost, open breaks say that something stands wrong or is missing here.");
  add("Gaps",
      fmt::format(
          "Distances between the two surfaces where they face each other: their mean, and what 95 % of "
          "them lie under. Penetration is how deep the surfaces reach into each other. {}",
          markup_escaped(units_sentence(record))));
  add("Contact points",
      "The lines join points that a joint brings together, found on the surfaces in the joint’s own pose. "
      "Pull the "
      "fragments apart to see them.");
  add("Groups",
      "Fragments that are joined, directly or through others. Nothing connects one group with another, so "
      "they stand "
      "side by side. Everything is turned upright for display; the files keep their own coordinates.");
  add("How it was made",
      fmt::format("Weights {}, seed {}, longest side of the whole object taken as {}{}{}.",
                  markup_escaped(record.context.weights), record.context.seed,
                  number_words(record.context.object_size), unit_suffix(record.context.units),
                  !record.context.size_is_given   ? ""
                  : *record.context.size_is_given ? " (given)"
                                                  : " (estimated from the fragments)"));
  return "<dl>\n" + html + "</dl>";
}

}  // namespace pmtr::report_tables
