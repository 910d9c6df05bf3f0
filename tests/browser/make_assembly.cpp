// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Folders of results for the browser tests, without a network:
//   make_assembly example OBJECT OUT [MISLED_PART]     an object of examples/
//   make_assembly large PARTS FACES OUT [light]        many large fragments, their report only
//   make_assembly scans PARTS FACES PROJECT            the same as a project of the workbench, with the scans
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

#include "pmtr/report/record/result_files.h"
#include "support/example_assembly.h"

namespace {

using namespace pmtr;

/// A closed, bumpy ball, as a scanner might give it.
TriangleMesh ball(int faces, std::uint64_t seed) {
  const auto rows = static_cast<std::uint32_t>(std::sqrt(faces / 4.0));
  const std::uint32_t columns = 2 * rows;
  Random random(seed);
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i <= rows; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) {
      const double theta = M_PI * i / rows;
      const double phi = 2 * M_PI * j / columns;
      const double radius = 1 + 0.05 * std::sin(9 * theta) * std::cos(7 * phi + static_cast<double>(seed)) +
                            0.001 * random.normal();
      mesh.vertices.emplace_back(radius * std::sin(theta) * std::cos(phi),
                                 radius * std::sin(theta) * std::sin(phi), radius * std::cos(theta));
      mesh.colours.emplace_back(0.5F + 0.4F * static_cast<float>(std::sin(5 * theta)), 0.5F, 0.4F, 1.0F);
    }
  }
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) {
      const std::uint32_t a = i * columns + j;
      const std::uint32_t b = i * columns + (j + 1) % columns;
      mesh.faces.push_back({a, a + columns, b});
      mesh.faces.push_back({b, a + columns, b + columns});
    }
  }
  return mesh;
}

test::ExampleAssembly large_assembly(int parts, int faces) {
  test::ExampleAssembly out;
  out.record.context.object_size = 8;
  out.record.context.weights = "example";
  for (int i = 0; i < parts; ++i) {
    MeshFile file;
    file.path = "ball_" + std::to_string(i) + ".ply";
    file.mesh = ball(faces, static_cast<std::uint64_t>(i));
    out.files.push_back(std::move(file));
    out.record.context.files.push_back("ball_" + std::to_string(i) + ".ply");
    PlacedPart part;
    part.placed = true;
    part.anchor = i == 0;
    part.component = 0;
    part.confidence = 0.9;
    part.world_from_part.translation = {2.0 * (i % 5), 2.0 * (i / 5 % 4), 2.0 * (i / 20)};
    out.record.assembly.parts.push_back(part);
    if (i == 0) continue;
    Joint joint;
    joint.a = i % 5 == 0 ? i - 5 : i - 1;
    joint.b = i;
    joint.a_from_b = out.record.assembly.parts[static_cast<std::size_t>(joint.a)].world_from_part.inverse() *
                     part.world_from_part;
    joint.confidence = 0.9;
    joint.used = true;
    out.record.assembly.joints.push_back(joint);
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  Threads threads(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  Status written;
  if (words.size() >= 3 && words[0] == "example") {
    auto example = test::example_assembly(words[1], words.size() > 3 ? std::stoi(words[3]) : -1);
    example.record.context.seen = std::make_shared<SeenBreaks>(test::true_breaks(example));
    written = write_results(words[2], example.files, example.record, {}, threads, {});
  } else if (words.size() >= 4 && words[0] == "large") {
    const auto large = large_assembly(std::stoi(words[1]), std::stoi(words[2]));
    std::filesystem::create_directories(words[3]);
    written = write_report(words[3], meshes_of(large.files), large.record, words.size() > 4, threads, {});
  } else if (words.size() == 4 && words[0] == "scans") {
    auto large = large_assembly(std::stoi(words[1]), std::stoi(words[2]));
    const std::filesystem::path project = words[3];
    std::filesystem::create_directories(project / "fragments");
    std::filesystem::create_directories(project / "result");
    for (std::size_t i = 0; i < large.files.size() && written.ok(); ++i) {
      MeshFile& file = large.files[i];
      file.path = project / "fragments" / file.path;
      large.record.context.files[i] = file.path.string();
      written = write_mesh(file.path, file.mesh);
    }
    if (written.ok()) written = write_record(project / "result", large.files, large.record);
    if (written.ok())
      written = write_report(project / "result", meshes_of(large.files), large.record, false, threads, {});
  } else {
    std::fputs(
        "make_assembly example OBJECT OUT [MISLED] | large PARTS FACES OUT [light] | scans PARTS FACES "
        "PROJECT\n",
        stderr);
    return 2;
  }
  if (!written.ok()) std::fprintf(stderr, "%s\n", written.error().text().c_str());
  return written.ok() ? 0 : 1;
}
