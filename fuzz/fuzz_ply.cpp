// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "mesh_round.h"
#include "pmtr/mesh/io/ply/ply.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pmtr::fuzz::read_move_read(data, size, pmtr::parse_ply, pmtr::move_ply);
  return 0;
}
