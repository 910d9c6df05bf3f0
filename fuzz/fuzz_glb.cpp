// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Any bytes as a GLB: what is accepted must be a sound mesh, can be moved, and stays the same mesh. Input
// that starts with '{' is JSON, then a zero byte, then binary data; it is packed here, for a mutation that
// changes a length would seldom get past the container.
#include <algorithm>
#include <cmath>

#include "pmtr/core/check.h"
#include "pmtr/core/file.h"
#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/glb/glb_container.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace pmtr;
  const auto all = std::as_bytes(std::span(data, size));
  std::vector<std::byte> file(all.begin(), all.end());
  if (!all.empty() && all[0] == std::byte{'{'}) {
    const auto zero = static_cast<std::size_t>(std::find(all.begin(), all.end(), std::byte{0}) - all.begin());
    const auto binary = glb::binary_chunk(all.subspan(std::min(zero + 1, all.size())));
    file = *glb::join(as_text(all.first(zero)), binary, "fuzz.glb");
  }
  const auto reading = read_glb_with_warnings(file, "fuzz.glb");
  if (!reading.ok()) return 0;
  const TriangleMesh& mesh = reading->mesh;
  PMTR_CHECK(check_mesh(mesh).ok(), check_mesh(mesh).error().text());

  Rigid3 pose;
  pose.rotation << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  pose.translation << 1, 2, 3;
  const auto moved = move_glb(file, pose, "fuzz.glb");
  PMTR_CHECK(moved.ok(), moved.error().text());
  const auto before = glb::split(file, "");
  const auto after = glb::split(*moved, "");
  PMTR_CHECK(std::ranges::equal(after->after_json, before->after_json), "the binary chunk must stay");
  const auto again = parse_glb(*moved, "fuzz.glb");
  if (!again.ok() && again.error().cause == Cause::not_finite) return 0;  // scales near the end of the range
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(again->faces == mesh.faces && again->vertices.size() == mesh.vertices.size());

  const auto written = parse_glb(format_glb(mesh), "fuzz.glb");
  PMTR_CHECK(written.ok(), written.error().text());
  PMTR_CHECK(written->faces.size() == mesh.faces.size() && written->vertices.size() >= mesh.vertices.size());
  return 0;
}
