// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// Fragments of one broken object in, a pose for each out:
//   01_assemble share/pmtr/models/pmtr-2b.safetensors examples/bowl/piece_*.ply
#include <cstdio>
#include <vector>

#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/pipeline/assemble_fragments.h"

namespace {

// The library does not print and does not throw for bad input: a Result holds a value or says why there is
// none.
pmtr::Status assemble(const char* weights_path, const std::vector<const char*>& paths) {
  std::vector<pmtr::TriangleMesh> fragments;
  for (const char* path : paths) {
    PMTR_TRY(pmtr::MeshFile file, pmtr::read_mesh_file(path));
    fragments.push_back(std::move(file.mesh));
  }
  PMTR_TRY(const pmtr::WeightFile weights, pmtr::read_weights(weights_path));
  PMTR_TRY(const pmtr::FragmentEncoder network, pmtr::FragmentEncoder::load(weights, weights_path));

  pmtr::Threads threads(2);
  const pmtr::AssembleOptions options;  // every default is where the option is declared
  const pmtr::Listener listener;        // progress and warnings go here; this one is silent
  PMTR_TRY(const pmtr::AssembleResult result,
           pmtr::assemble_fragments(pmtr::pointers_to(fragments), network, options, threads, listener));

  for (std::size_t i = 0; i < paths.size(); ++i) {
    const pmtr::PlacedPart& part = result.assembly.parts[i];
    if (!part.placed) {
      std::printf("%s: no place found\n", paths[i]);
      continue;
    }
    std::printf("%s: placed, confidence %.2f, world_from_part =\n", paths[i], part.confidence);
    const Eigen::Matrix4d m = part.world_from_part.matrix();
    for (int r = 0; r < 4; ++r)
      std::printf("  %9.5f %9.5f %9.5f %9.5f\n", m(r, 0), m(r, 1), m(r, 2), m(r, 3));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s WEIGHTS FRAGMENT...\n", argv[0]);
    return 2;
  }
  const pmtr::Status status = assemble(argv[1], {argv + 2, argv + argc});
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.error().text().c_str());
  return status.ok() ? 0 : 1;
}
