// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <vector>

#include "pmtr/assemble/rematch_groups.h"

namespace pmtr {

struct RereadOptions {
  int most = 12;          ///< parts that are looked at again, the largest first; 0: none
  double largest = 0.12;  ///< share of the whole surface up to which a part is looked at again
  double settled = 0.9;   ///< a joint of this confidence holds its parts where they are
  /// From which score on the others count as broken, one look each. The scar of a splinter on a large
  /// fragment is seen, but seldom believed: its points stand out from all others of the fragment far below
  /// the score of other breaks.
  std::array<double, 3> broken_from = {0.5, 0.02, 0.001};
  double least_contact = 0.25;  ///< share of its surface that must lie against breaks
  /// Log odds that a place loses where none of its surface is read as the network read it.
  double agreement = 4.0;
  /// Log odds that every place loses: a break that was read by its partner always fits the partner.
  double doubt = 1.0;
  double sure =
      0.9;  ///< for the same reason, the most that its joints are believed before witnesses are asked

  Status validate() const;
};

struct Reread {
  Assembly assembly;
  std::vector<OrientedCloud> clouds;  ///< as they are read now
};

/// Breaks that were read wrongly, read again by what lies against them. A part that no sure joint holds is
/// laid against all that stands, with its breaks as the network sees them and as if all of its surface were
/// broken, and against more and more of the others' surface. Where it lies, what faces another part is broken
/// and the rest is not; the place that fits best when it is read so is taken. `clouds` are those of the
/// parts.
Reread reread_breaks(Assembly assembly, std::vector<OrientedCloud> clouds, std::span<const PartShape> shapes,
                     const PoseSearchOptions& search, const ChooseOptions& choose,
                     const OrientedCloudOptions& oriented, const RereadOptions& options, Threads& threads,
                     const Listener& listener);

}  // namespace pmtr
