// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "pmtr/core/listener.h"
#include "pmtr/report/page/display_layout.h"
#include "pmtr/report/page/gap_map.h"
#include "pmtr/report/page/report_html.h"

namespace pmtr {

/// What the 3D view of the report shows, made once for the fragments of an assembly and asked again after
/// every decision: only what stands otherwise than before is looked at anew. The meshes must outlive it.
class ObjectView {
 public:
  ObjectView(std::span<const TriangleMesh* const> meshes, const AssemblyRecord& record,
             const ReportOptions& options, Threads& threads);

  /// Finds gaps and contact points of the assembly as it stands, and says all that the page must know of it.
  /// Without `points` the joints do not name theirs, which are always the same and most of it.
  nlohmann::ordered_json data(const AssemblyRecord& record, Threads& threads, const Listener& listener,
                              bool points = true);

  /// What data() said and the surfaces, as elements of a page.
  std::string elements(const nlohmann::ordered_json& data) const;
  /// After data(): the gaps alone, one text in base64 per part; empty where a part has none.
  std::vector<std::string> gaps() const;

 private:
  std::vector<const TriangleMesh*> meshes_;
  ReportOptions options_;
  std::vector<DisplayMesh> shown_;
  GapFinder gap_finder_;
  double scale_ = 0.0;                                     ///< of the gaps
  std::map<std::size_t, std::vector<ContactPair>> pairs_;  ///< by joint
};

}  // namespace pmtr
