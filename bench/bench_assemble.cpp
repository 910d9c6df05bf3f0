// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// Whole objects from real fractures: bench_assemble surfaces|matches DATA [options].
// `surfaces`: the labels of the fractures, true or as a network would give them, to an assembly.
// `matches`: true point matches, a share of them replaced by random ones, to an assembly.
#include <cstdio>
#include <cstring>
#include <map>

#include "pmtr/pipeline/assemble_fragments.h"
#include "pose_pairs.h"
#include "support/scattered_object.h"

namespace pmtr::bench {
namespace {

struct ObjectSettings {
  Settings common;
  int objects = 40;
  int min_parts = 2;
  int max_parts = 8;
  double wrong = 0.0;
  AssembleOptions assembly;
};

struct Score {
  int objects = 0, complete = 0, complete_large = 0, parts = 0, right = 0;
};

void print(const char* name, const Score& s) {
  if (s.objects == 0) return;
  std::printf(
      "%s: objects %d complete %.1f %% complete but for pieces below 1 %% of the area %.1f %% parts right "
      "%.1f %%\n",
      name, s.objects, 100.0 * s.complete / s.objects, 100.0 * s.complete_large / s.objects,
      100.0 * s.right / s.parts);
}

void add(const test::BrokenThing& thing, const Assembly& assembly, Score& score) {
  const auto right = thing.right(assembly);
  bool all = true;
  bool large = true;
  for (std::size_t i = 0; i < right.size(); ++i) {
    ++score.parts;
    score.right += right[i] ? 1 : 0;
    all = all && right[i];
    if (thing.pieces[i].area >= 0.01 * thing.total_area) large = large && right[i];
  }
  ++score.objects;
  score.complete += all ? 1 : 0;
  score.complete_large += large ? 1 : 0;
}

void measure(const ObjectSettings& settings) {
  Threads threads(2);
  std::map<int, Score> by_parts;
  Score all;
  double seconds = 0.0;
  double cpu_seconds = 0.0;
  const auto objects = chosen_objects(settings.common);
  const auto body = [&](const test::BrokenThing& thing, std::size_t number) {
    const double start = now();
    const double cpu_start = cpu();
    Assembly assembly;
    if (settings.common.task == "matches") {
      const auto joints = test::joints_by_matches(thing, settings.wrong, settings.common.seed + number);
      assembly = *solve_joints(thing.shapes(), joints, 1.0, settings.assembly.solve);
    } else {
      std::vector<OrientedCloud> clouds;
      for (std::size_t i = 0; i < thing.pieces.size(); ++i)
        clouds.push_back(prepare(thing.pieces[i], settings.common, 100 * number + i, threads));
      assembly = *assemble_surfaces(clouds, settings.assembly, threads, {});
    }
    seconds += now() - start;
    cpu_seconds += cpu() - cpu_start;
    Score one;
    add(thing, assembly, one);
    add(thing, assembly, all);
    add(thing, assembly, by_parts[static_cast<int>(thing.pieces.size())]);
    if (!settings.common.quiet && one.complete == 0)
      std::printf("%s: %d of %d right\n", thing.name.c_str(), one.right, one.parts);
    std::fflush(stdout);
  };
  test::for_broken_things(objects, settings.objects, settings.min_parts, settings.max_parts,
                          settings.common.points, settings.common.seed, body);
  for (const auto& [parts, score] : by_parts) print((std::to_string(parts) + " parts").c_str(), score);
  print("all", all);
  std::printf("%.2f s per object, processor %.2f s\n", seconds / all.objects, cpu_seconds / all.objects);
}

}  // namespace
}  // namespace pmtr::bench

int main(int argc, char** argv) {
  pmtr::bench::ObjectSettings settings;
  // Options of this program are taken out, the rest is read as in the other ones.
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    const auto number = [&](const char* name, auto& value) {
      if (std::strcmp(argv[i], name) != 0 || i + 1 >= argc) return false;
      value = static_cast<std::remove_reference_t<decltype(value)>>(std::atof(argv[++i]));
      return true;
    };
    if (number("--objects", settings.objects) || number("--min-parts", settings.min_parts) ||
        number("--max-parts", settings.max_parts) || number("--wrong", settings.wrong) ||
        number("--merge", settings.assembly.rematch.rounds) ||
        number("--sweeps", settings.assembly.refinement.sweeps) ||
        number("--exhaustive", settings.assembly.pairs.exhaustive) ||
        number("--partners", settings.assembly.pairs.partners) ||
        number("--check", settings.assembly.check_penetration))
      continue;
    rest.push_back(argv[i]);
  }
  if (!pmtr::bench::read_settings(static_cast<int>(rest.size()), rest.data(), settings.common)) {
    std::fprintf(
        stderr,
        "bench_assemble surfaces|matches DATA [--objects N --min-parts N --max-parts N --wrong P --merge N "
        "--sweeps N --exhaustive 0|1 --partners N --check 0|1] [--seed N --auc P --flip P --points N --half "
        "0|1 --quiet 1]\n");
    return 2;
  }
  pmtr::bench::measure(settings);
  return 0;
}
