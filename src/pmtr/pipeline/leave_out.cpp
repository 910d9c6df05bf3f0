// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/leave_out.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "pmtr/pipeline/assemble_fragments.h"

namespace pmtr {
namespace {

struct Step {
  const char* name;
  void (*leave_out)(AssembleOptions&);
};

constexpr Step steps[] = {
    {"density", [](AssembleOptions& o) { o.densify.break_points = 0; }},
    {"scars", [](AssembleOptions& o) { o.densify.scar_points = 0; }},
    {"smoothing", [](AssembleOptions& o) { o.oriented.smoothing_radius = 0.0; }},
    {"tries", [](AssembleOptions& o) { o.solve.choose.patience = 0; }},
    {"agreement", [](AssembleOptions& o) { o.solve.choose.agreement_bonus = 0.0; }},
    {"penetration", [](AssembleOptions& o) { o.check_penetration = false; }},
    {"rematch", [](AssembleOptions& o) { o.rematch.rounds = 0; }},
    {"reread", [](AssembleOptions& o) { o.reread.most = 0; }},
    {"whole", [](AssembleOptions& o) { o.whole.sweeps = 0; }},
    {"refinement", [](AssembleOptions& o) { o.refinement.sweeps = 0; }},
};

}  // namespace

Status leave_out(const std::string& step, AssembleOptions& options) {
  const auto* const found =
      std::find_if(std::begin(steps), std::end(steps), [&](const Step& known) { return step == known.name; });
  if (found == std::end(steps))
    return invalid_option(fmt::format("--without {}: must be {}", step, steps_to_leave_out));
  found->leave_out(options);
  return options.validate();
}

}  // namespace pmtr
