// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// Reads the bytes of an OFF file in text form (OFF, COFF, NOFF and their combinations), one vertex or face
/// per line. Face colours are skipped. `name` is only for messages. Counts are bounded by the bytes that are
/// there.
Result<TriangleMesh> parse_off(std::span<const std::byte> bytes, const std::string& name);

/// OFF, COFF, NOFF or CNOFF, as the mesh has colours and normals. UVs and materials are dropped.
std::vector<std::byte> format_off(const TriangleMesh& mesh);

/// The same bytes with the coordinates and normals moved. The bytes must be ones that parse_off accepts.
Result<std::vector<std::byte>> move_off(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name);

}  // namespace pmtr
