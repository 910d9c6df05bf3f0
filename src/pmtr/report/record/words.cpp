// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/words.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "pmtr/assemble/witnesses.h"
#include "pmtr/report/record/units.h"

namespace pmtr {
namespace {

std::string count_words(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string number_words(double value) { return fmt::format("{:.3g}", value); }
std::string gap_words(double value) { return fmt::format("{:.2g}", value); }

std::string fate_label(const std::string& fate) {
  if (fate == "used") return "accepted";
  if (fate == "spare") return "agrees, spare";
  if (fate == "weak") return "too weak";
  if (fate == "contradicts") return "contradicts";
  if (fate == "unjoined") return "not joined";
  if (fate == "rejected") return "rejected by hand";
  if (fate == "dropped") return "fragment left out";
  return fate;
}

std::string fate_sentence(const AssemblyRecord& record, std::size_t joint) {
  const std::string fate = fate_word(record, joint);
  if (record.context.decision(joint) == Decision::lock && fate == "used")
    return "Locked by hand: the two fragments stand exactly like this.";
  if (fate == "used")
    return fmt::format("Accepted: it holds the assembly together. It is {}",
                       band_sentence(record.assembly.joints[joint]));
  if (fate == "spare")
    return "Agrees with the assembly, but another pose of the same two fragments has more evidence.";
  if (fate == "weak") return "Not used: less likely right than wrong, and no other joint agrees with it.";
  if (fate == "contradicts")
    return "Not used: likely by itself, but more evidence speaks for another place of these fragments.";
  if (fate == "unjoined")
    return "Not used: likely by itself, but its fragments could not be joined like this.";
  if (fate == "rejected") return "Not used: rejected by hand.";
  if (fate == "dropped") return "Not used: one of its fragments was left out by hand.";
  return "";
}

std::string summary_sentence(const AssemblyRecord& record) {
  const Assembly& assembly = record.assembly;
  std::set<int> components;
  std::size_t placed = 0;
  for (const PlacedPart& part : assembly.parts) {
    if (!part.placed) continue;
    ++placed;
    components.insert(part.component);
  }
  if (placed == 0) return "No two fragments could be joined.";
  const auto used = static_cast<std::size_t>(
      std::count_if(assembly.joints.begin(), assembly.joints.end(), [](const Joint& j) { return j.used; }));
  std::string text = fmt::format("{} of {} placed, held by {}", placed,
                                 count_words(assembly.parts.size(), "fragment", "fragments"),
                                 count_words(used, "joint", "joints"));
  if (components.size() > 1) text += fmt::format(", in {} groups that nothing connects", components.size());
  text += ".";
  std::array<std::size_t, 3> in_band{};
  for (const Joint& joint : assembly.joints) {
    if (joint.used) ++in_band[static_cast<std::size_t>(band_of(joint))];
  }
  text += fmt::format(" Of the joints {} confirmed and {} probable", in_band[0], in_band[1]);
  if (in_band[2] > 0) text += fmt::format("; {} less likely right than wrong", in_band[2]);
  text += ".";
  if (assembly.open_share)
    text += fmt::format(" {:.0f} % of their breaks are open.", 100.0 * *assembly.open_share);
  if (record.context.weights == "untrained") text += " The network was untrained: the poses mean nothing.";
  return text;
}

std::string certificate_sentence(const AssemblyRecord& record) {
  const auto& certificate = record.assembly.certificate;
  if (!certificate) {
    return "No certificate: there were not several joints to weigh against each other, so there was nothing "
           "to "
           "certify.";
  }
  if (certificate->optimal) {
    return fmt::format(
        "About the rotations, not about the joints: for the joints that were accepted, no other set of "
        "rotations fits them better (smallest eigenvalue {:.2g}). If an accepted joint is wrong, its "
        "fragments "
        "stand wrong, certificate or not. Whether a joint is right is what its band says.",
        certificate->min_eigenvalue);
  }
  return fmt::format(
      "The rotations are not certified: a set that fits the accepted joints better may exist (smallest "
      "eigenvalue {:.2g}). Treat the result as a suggestion.",
      certificate->min_eigenvalue);
}

std::string band_sentence(const Joint& joint) {
  return fmt::format("{}: {}.", band_name(band_of(joint)), band_reason(joint));
}

std::string units_sentence(const AssemblyRecord& record) {
  if (record.context.units.empty()) {
    return "Lengths and areas are in the units of the input files, which nobody named (--units). They are "
           "never "
           "guessed.";
  }
  return fmt::format("Lengths are in {0}, areas in {0}².", record.context.units);
}

}  // namespace pmtr
