// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// How likely joints are right, by their witnesses: fit_witnesses fit|verify DATA... [options]. `fit` prints
// the table of assemble/witnesses.cpp, both print how often joints and pieces of each confidence and band are
// right. Objects are put together with the network's own labels, every piece placed, so that wrong joints are
// seen.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "logistic_fit.h"
#include "pmtr/assemble/witnesses.h"
#include "pmtr/evaluate/confidence_scores.h"
#include "pmtr/evaluate/evaluate_objects.h"
#include "pmtr/evaluate/list_samples.h"
#include "pmtr/pipeline/assemble_fragments.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr {
namespace {

struct Settings {
  std::string task;
  std::vector<std::string> data;
  std::string weights = "models/pmtr-2b.safetensors";
  EvaluateOptions evaluate;
  bool place_all = true;
  std::string csv;  ///< every joint goes here; empty: nowhere
};

bool read_settings(int argc, char** argv, Settings& s) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (word == "--weights") {
      s.weights = value();
    } else if (word == "--split") {
      s.evaluate.layout.split = value();
      s.evaluate.layout.skip_missing = true;
    } else if (word == "--min-parts") {
      s.evaluate.layout.min_parts = std::stoi(value());
    } else if (word == "--max-parts") {
      s.evaluate.layout.max_parts = std::stoi(value());
    } else if (word == "--limit") {
      s.evaluate.limit = std::stoi(value());
    } else if (word == "--seed") {
      s.evaluate.seed = std::stoull(value());
    } else if (word == "--csv") {
      s.csv = value();
    } else if (word == "--only-likely") {
      s.place_all = false;
    } else if (word.rfind("--", 0) == 0) {
      return false;
    } else if (s.task.empty()) {
      s.task = word;
    } else {
      s.data.push_back(word);
    }
  }
  return (s.task == "fit" || s.task == "verify") && !s.data.empty();
}

struct Judged {
  JointWitnesses witnesses;
  double confidence = 0.0;
  bool right = false;
  bool used = false;
};

struct JudgedPiece {
  double confidence = 0.0;
  bool right = false;
};

struct Collected {
  std::vector<Judged> joints;
  std::vector<JudgedPiece> pieces;
  int objects = 0;
  int complete = 0;
  int all_pieces = 0;
};

bool near(const Rigid3& found, const Rigid3& truth) {
  return rotation_angle_deg(found.rotation, truth.rotation) < 10.0 &&
         (found.translation - truth.translation).norm() < 0.05;
}

void judge(const ScatteredObject& object, const AssembleResult& result, std::FILE* csv, Collected& all) {
  const auto truth = [&](int a, int b) {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    return in_object_frame(object.world_from_piece[i].inverse() * object.world_from_piece[j],
                           result.fragments[i], result.fragments[j]);
  };
  const auto in_object = [&](int a, int b, const Rigid3& pose) {
    return in_object_frame(pose, result.fragments[static_cast<std::size_t>(a)],
                           result.fragments[static_cast<std::size_t>(b)]);
  };
  for (const Joint& joint : result.assembly.joints) {
    if (!joint.witnesses) continue;
    all.joints.push_back({*joint.witnesses, joint.confidence,
                          near(in_object(joint.a, joint.b, joint.a_from_b), truth(joint.a, joint.b)),
                          joint.used});
    if (csv == nullptr) continue;
    std::fprintf(csv, "%s,%zu,%d,%d,%d,%d", object.path.c_str(), object.pieces.size(), joint.a, joint.b,
                 joint.used ? 1 : 0, all.joints.back().right ? 1 : 0);
    for_each_witness(*joint.witnesses,
                     [&](const char*, auto value) { std::fprintf(csv, ",%g", static_cast<double>(value)); });
    std::fprintf(csv, "\n");
  }
  const auto& areas = object.areas;
  const int anchor = static_cast<int>(std::max_element(areas.begin(), areas.end()) - areas.begin());
  const PlacedPart& fixed = result.assembly.parts[static_cast<std::size_t>(anchor)];
  int right = 0;
  for (int i = 0; i < static_cast<int>(areas.size()); ++i) {
    if (i == anchor) continue;
    ++all.all_pieces;
    const PlacedPart& part = result.assembly.parts[static_cast<std::size_t>(i)];
    if (!part.placed || !fixed.placed || part.component != fixed.component) continue;
    const Rigid3 found = in_object(anchor, i, fixed.world_from_part.inverse() * part.world_from_part);
    all.pieces.push_back({part.confidence, near(found, truth(anchor, i))});
    right += all.pieces.back().right ? 1 : 0;
  }
  ++all.objects;
  all.complete += right + 1 == static_cast<int>(areas.size()) ? 1 : 0;
  std::printf("%s: %zu pieces, %d right;", object.path.c_str(), areas.size(), right + 1);
  for (const auto& [stage, ms] : result.timing_ms) std::printf(" %s %.0f", stage.c_str(), ms);
  std::printf(" ms\n");
  std::fflush(stdout);
}

Status collect(const std::string& data, const Settings& settings, const FragmentEncoder& encoder,
               Threads& threads, std::FILE* csv, Collected& all) {
  PMTR_TRY(const DatasetIndex index, list_dataset(data, settings.evaluate.layout, {}));
  const ObjectCache cache("");
  PMTR_TRY(const SampleList list, list_samples(index, cache, settings.evaluate, {}));
  for (const Sample& sample : list.samples) {
    PMTR_TRY(const BrokenObject broken, cache.read(index, *sample.object, *sample.fracture, {}));
    const ScatteredObject object = scatter(broken, sample.pieces, settings.evaluate.seed);
    AssembleOptions options;
    options.object_size = object.object_size;
    options.seed = settings.evaluate.seed;
    options.rematch.place_all = settings.place_all;
    std::vector<const TriangleMesh*> meshes;
    for (const TriangleMesh& mesh : object.pieces) meshes.push_back(&mesh);
    const auto result = assemble_fragments(meshes, encoder, options, threads, {});
    if (result.ok()) {
      judge(object, *result, csv, all);
    } else {
      std::printf("%s: %s\n", object.path.c_str(), result.error().text().c_str());
    }
  }
  return {};
}

void print(const Collected& all) {
  std::vector<Judged> used;
  for (const Judged& joint : all.joints) {
    if (joint.used) used.push_back(joint);
  }
  ConfidenceScores scores;
  for (const Judged& joint : used) {
    Joint judged;
    judged.confidence = joint.confidence;
    judged.witnesses = joint.witnesses;
    scores.add({0, 0, joint.confidence, band_of(judged), joint.right});
  }
  for (const JudgedPiece& piece : all.pieces) scores.pieces.push_back({piece.confidence, piece.right});
  std::printf("%s", confidence_tables(scores).c_str());
  int pieces_right = 0;
  for (const JudgedPiece& piece : all.pieces) pieces_right += piece.right ? 1 : 0;
  std::printf("%d objects, %d complete; %d of %d pieces but anchors right\n", all.objects, all.complete,
              pieces_right, all.all_pieces);
  // What each witness says of joints that are right and of others.
  for (std::size_t k = 1; k + 1 < WitnessFigures::count; ++k) {
    std::array<int, 4> table{};
    for (const Judged& joint : used) {
      const bool yes = witness_figures(joint.witnesses).value[k] > 0.5;
      ++table[(yes ? 2U : 0U) + (joint.right ? 1U : 0U)];
    }
    std::printf("%-15s yes: %d right, %d wrong; no: %d right, %d wrong\n", WitnessFigures::names[k], table[3],
                table[2], table[1], table[0]);
  }
}

void fit(Collected& all) {
  std::vector<LogisticExample<WitnessFigures::count>> examples;
  for (const Judged& joint : all.joints) {
    if (joint.used) examples.push_back({witness_figures(joint.witnesses).value, joint.right, 1.0});
  }
  const auto model = fit_logistic<WitnessFigures::count>(examples, {1, 1, 1, 1, 1, 1, -1}, {});
  std::printf("  static const WitnessModel model = {%.3f, {", model.bias);
  for (const double weight : model.weight) std::printf("%.3f, ", weight);
  // The least probability above which at most one in two hundred is wrong.
  std::vector<std::pair<double, bool>> sorted;
  for (const auto& e : examples) sorted.emplace_back(model.probability(e.value), e.right);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double level = 0.999;
  int wrong = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    wrong += sorted[i].second ? 0 : 1;
    if (wrong <= 0.005 * static_cast<double>(i + 1)) level = sorted[i].first;
  }
  std::printf("}, %.3f};\n", std::clamp(level, 0.9, 0.999));
  for (Judged& joint : all.joints)
    joint.confidence = model.probability(witness_figures(joint.witnesses).value);
}

int run(int argc, char** argv) {
  Settings settings;
  settings.evaluate.layout.max_parts = 200;
  if (!read_settings(argc, argv, settings)) {
    std::fprintf(stderr,
                 "fit_witnesses fit|verify DATA... [--weights FILE --split FILE --min-parts N --max-parts N "
                 "--limit N --seed N --only-likely --csv FILE]\n");
    return 2;
  }
  Threads threads(2);
  auto file = read_weights(settings.weights);
  if (!file.ok()) {
    std::fprintf(stderr, "%s\n", file.error().text().c_str());
    return 1;
  }
  strip_common_prefix(*file);
  const auto encoder = FragmentEncoder::load(*file, settings.weights);
  if (!encoder.ok()) {
    std::fprintf(stderr, "%s\n", encoder.error().text().c_str());
    return 1;
  }
  Collected all;
  std::FILE* csv = settings.csv.empty() ? nullptr : std::fopen(settings.csv.c_str(), "w");
  for (const std::string& data : settings.data) {
    const Status status = collect(data, settings, *encoder, threads, csv, all);
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.error().text().c_str());
  }
  if (csv != nullptr) std::fclose(csv);
  if (settings.task == "fit") fit(all);
  print(all);
  return 0;
}

}  // namespace
}  // namespace pmtr

int main(int argc, char** argv) { return pmtr::run(argc, argv); }
