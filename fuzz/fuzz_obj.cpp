// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Any bytes as an OBJ: what is accepted must be a sound mesh, can be moved, and stays the same mesh. A zero
// byte separates the OBJ from the MTL that stands beside it.
#include <algorithm>

#include "pmtr/core/check.h"
#include "pmtr/core/file.h"
#include "pmtr/mesh/io/companion_files.h"
#include "pmtr/mesh/io/obj/mtl.h"
#include "pmtr/mesh/io/obj/obj.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace pmtr;
  const auto all = std::as_bytes(std::span(data, size));
  const auto zero = static_cast<std::size_t>(std::find(all.begin(), all.end(), std::byte{0}) - all.begin());
  const auto bytes = all.first(zero);
  const auto beside = all.subspan(std::min(zero + 1, all.size()));

  auto reading = read_obj_with_companions(
      bytes, "fuzz.obj", [&](const std::string& name) -> Result<std::vector<std::byte>> {
        PMTR_CHECK(clean_companion_name(name) == name, "a companion's name must be clean");
        return std::vector<std::byte>(beside.begin(), beside.end());
      });
  const auto alone = parse_obj(bytes, "fuzz.obj");
  PMTR_CHECK(reading.ok() == alone.ok(), "companions must not change what is accepted");
  if (!reading.ok()) return 0;
  const TriangleMesh& mesh = reading->mesh;
  PMTR_CHECK(check_mesh(mesh).ok(), check_mesh(mesh).error().text());
  PMTR_CHECK(check_mesh(*alone).ok(), check_mesh(*alone).error().text());

  Rigid3 pose;
  pose.rotation << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  pose.translation << 1, 2, 3;
  const auto moved = move_obj(bytes, pose, "fuzz.obj");
  PMTR_CHECK(moved.ok(), moved.error().text());
  const auto again = parse_obj(*moved, "fuzz.obj");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(again->faces == mesh.faces && again->vertices.size() == mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    PMTR_CHECK(again->vertices[i] == pose * mesh.vertices[i]);

  const auto written = parse_obj(format_obj(mesh), "fuzz.obj");
  PMTR_CHECK(written.ok(), written.error().text());
  PMTR_CHECK(written->vertices == mesh.vertices && written->faces == mesh.faces);
  for (const auto& texture : format_mtl(mesh).textures) {
    const std::string name = texture.relative_path.string();
    PMTR_CHECK(clean_companion_name(name) == name && name.find('/') == std::string::npos);
  }
  return 0;
}
