// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "assembly_summary.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "console.h"
#include "pmtr/assemble/witnesses.h"
#include "pmtr/report/record/units.h"
#include "pmtr/report/record/words.h"

namespace pmtr::command {
namespace {

void tell_joints(const AssemblyRecord& record) {
  const Assembly& assembly = record.assembly;
  const std::vector<std::string> names = record.context.names();
  const std::string unit = fmt::format(" {}", unit_words(record.context.units));
  for (const Joint& joint : assembly.joints) {
    if (!joint.used) continue;
    const auto name = [&](int i) -> const std::string& { return names[static_cast<std::size_t>(i)]; };
    std::string text = fmt::format("{} + {}: {}, confidence {:.2f}, {} matches agree", name(joint.a),
                                   name(joint.b), band_name(band_of(joint)), joint.confidence, joint.matches);
    if (joint.evidence && joint.evidence->contact_points > 0) {
      text += fmt::format(", contact area {:.4g}{}, mean gap {:.3g}{}", joint.evidence->contact_area,
                          unit + (record.context.units.empty() ? " squared" : "^2"), joint.evidence->gap_mean,
                          unit);
    } else if (joint.evidence) {
      text += ", but the surfaces do not touch";
    }
    if (band_of(joint) != Band::confirmed) text += "; " + band_reason(joint);
    say(text);
  }
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    if (!assembly.parts[i].placed) say(fmt::format("{}: not placed, nothing it surely belongs to", names[i]));
  }
}

}  // namespace

int tell_assembly(const AssemblyRecord& record, const std::filesystem::path& out, bool has_report,
                  const std::string& system) {
  tell_joints(record);
  const auto used = std::count_if(record.assembly.joints.begin(), record.assembly.joints.end(),
                                  [](const Joint& joint) { return joint.used; });
  if (used == 0 && system.empty()) {
    warn(record.assembly.parts.size() == 1 ? "one fragment alone: nothing to join"
                                           : "no pose found: the fragments do not seem to match");
    return exit_code::nothing_assembled;
  }
  say(system.empty()
          ? summary_sentence(record)
          : fmt::format("{} fragments placed by the system {}, which says nothing of how sure it is",
                        record.assembly.parts.size(), system));
  say(fmt::format("written to {}", out.string()));
  if (has_report) {
    say(fmt::format("to look at it: {}", (out / "report.html").string()));
    say(fmt::format("to change it: pmtr view {}", out.string()));
  }
  return exit_code::done;
}

}  // namespace pmtr::command
