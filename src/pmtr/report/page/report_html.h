// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "pmtr/core/listener.h"
#include "pmtr/core/threads.h"
#include "pmtr/report/page/assembly_pictures.h"
#include "pmtr/report/page/contact_pairs.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr {

struct ReportOptions {
  /// Triangles in the page, all fragments together; larger ones are thinned for display. A triangle costs
  /// about 15 bytes of the page, 60 at worst.
  std::size_t faces = 500'000;
  std::size_t texture_bytes = std::size_t{12}
                              << 20U;  ///< of pictures, all together; larger ones are left out
  ContactPairOptions pairs;

  static ReportOptions light();  ///< a page to send by mail: below 10 MB
};

/// report.html: one file with everything in it, for any browser, without a network. The tables, words and
/// pictures are there without JavaScript as well.
Result<std::string> report_html(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes,
                                const AssemblyPictures& pictures, const ReportOptions& options,
                                Threads& threads, const Listener& listener);

}  // namespace pmtr
