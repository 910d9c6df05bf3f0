// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Bad files as a user meets them: exit code 3, one message that names the file, nothing on standard output,
// soon.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/glb/glb_test_file.h"
#include "pmtr/mesh/io/obj/obj.h"
#include "pmtr/mesh/io/off.h"
#include "pmtr/mesh/io/ply/ply.h"
#include "pmtr/mesh/io/stl.h"
#include "pmtr/weights/safetensors.h"
#include "pmtr/weights/torch_file.h"
#include "support/mesh_bytes.h"
#include "support/run_program.h"
#include "support/torch_archive.h"

namespace pmtr::test {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using FileBytes = std::vector<std::byte>;

class BadInput : public testing::Test {
 protected:
  fs::path put(const std::string& name, std::span<const std::byte> bytes) {
    const Status written = write_file(folder_ / name, bytes);
    EXPECT_TRUE(written.ok()) << written.error().text();
    return folder_ / name;
  }
  fs::path put(const std::string& name, std::string_view text) { return put(name, as_bytes(text)); }

  static ProgramResult run(const std::string& arguments) {
    return run_program("'" PMTR_PROGRAM "' " + arguments);
  }
  static std::string info(const fs::path& file) { return "info '" + file.string() + "'"; }
  std::string import(const fs::path& file) const {
    return "import '" + file.string() + "' -o '" + out().string() + "'";
  }
  fs::path out() const { return folder_ / "out.safetensors"; }

  static void expect_refused_by(const std::string& arguments, const fs::path& file) {
    SCOPED_TRACE(arguments);
    const auto start = std::chrono::steady_clock::now();
    const ProgramResult result = run(arguments);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, StartsWith("pmtr: error: " + file.string()));
    EXPECT_THAT(result.err, EndsWith("\n"));
    EXPECT_LT(seconds.count(), 2.0);
  }

  /// By `info`, and if it may be weights by `import` as well, which must leave nothing behind.
  void expect_refused(const fs::path& file) {
    expect_refused_by(info(file), file);
    if (file.extension() != ".safetensors" && file.extension() != ".pth") return;
    expect_refused_by(import(file), file);
    EXPECT_FALSE(fs::exists(out()));
  }

  TemporaryFolder folder_;
};

FileBytes torch_bytes() {
  PickleWriter pickle;
  pickle.op("}").text("w").tensor("FloatStorage", "0", 64, 0, {64}, {1}).op("s");
  return bytes_of(torch_zip(pickle.stop(), {{"0", std::string(256, '\0')}}).finish());
}

FileBytes safetensors_bytes() {
  const FileBytes torch = torch_bytes();
  const auto weights = parse_torch_file(torch, "test.pth");
  EXPECT_TRUE(weights.ok());
  return format_safetensors(*weights);
}

struct Sample {
  std::string extension;
  FileBytes bytes;
};

/// A small file of each format, written by the library.
std::vector<Sample> samples() {
  const TriangleMesh mesh = curved_sheet(5);
  return {{".ply", format_ply(mesh)}, {".stl", format_stl(mesh)}, {".off", format_off(mesh)},
          {".obj", format_obj(mesh)}, {".glb", format_glb(mesh)}, {".safetensors", safetensors_bytes()},
          {".pth", torch_bytes()}};
}

TEST_F(BadInput, TheWholeFilesAreGood) {
  for (const Sample& sample : samples()) {
    const ProgramResult result = run(info(put("whole" + sample.extension, sample.bytes)));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("whole" + sample.extension));
    EXPECT_THAT(result.err, IsEmpty());
  }
}

TEST_F(BadInput, EmptyFile) {
  for (const char* extension : {".ply", ".obj", ".stl", ".off", ".glb", ".safetensors", ".pth"}) {
    expect_refused(put(std::string("empty") + extension, ""));
  }
}

TEST_F(BadInput, TruncatedFile) {
  for (const Sample& sample : samples()) {
    if (sample.extension == ".obj") continue;
    // A text that has lost no more than the digits of its last number is still whole.
    const std::size_t end = sample.bytes.size() - (sample.extension == ".off" ? 8 : 0);
    ASSERT_GT(end, 256U) << sample.extension;
    for (std::size_t size = 64; size < end; size += 64) {
      expect_refused(put("cut" + sample.extension, std::span(sample.bytes).first(size)));
    }
  }
}

// An OBJ does not say how long it is: what is left may be a whole one, but never more than that.
TEST_F(BadInput, TruncatedObj) {
  const FileBytes whole = format_obj(curved_sheet(5));
  int refused = 0;
  for (std::size_t size = 1; size < whole.size(); size += 64) {
    const fs::path file = put("cut.obj", std::span(whole).first(size));
    const ProgramResult result = run(info(file));
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 3) << result.err;
    EXPECT_EQ(result.exit_code == 3, result.out.empty());
    if (result.exit_code != 3) continue;
    ++refused;
    EXPECT_THAT(result.err, StartsWith("pmtr: error: " + file.string()));
  }
  EXPECT_GT(refused, 0);
}

TEST_F(BadInput, BillionsPromised) {
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
  for (const std::string format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    expect_refused(put("vertices.ply", "ply\nformat " + format + " 1.0\nelement vertex 1000000000\n" + xyz +
                                           "end_header\n0 0 0\n1 0 0\n"));
    expect_refused(put("faces.ply", "ply\nformat " + format + " 1.0\nelement vertex 1\n" + xyz +
                                        "element face 1000000000\nproperty list uchar int vertex_indices\n"
                                        "end_header\n0 0 0\n            "));
  }
  expect_refused(put("vertices.off", "OFF\n1000000000 0 0\n0 0 0\n1 0 0\n"));
  expect_refused(put("faces.off", "OFF\n1 1000000000 0\n0 0 0\n3 0 0 0\n"));

  FileBytes stl = format_stl(curved_sheet(3));
  store_bytes(stl.data() + 80, std::uint32_t{1'000'000'000}, std::endian::little);
  expect_refused(put("facets.stl", stl));

  const FileBytes binary = triangle_binary();
  expect_refused(
      put("in_view.glb", make_glb(replaced(triangle_json, "\"count\":3", "\"count\":1000000000"), binary)));
  expect_refused(put("without_view.glb",
                     make_glb(replaced(triangle_json, "\"bufferView\":0,\"componentType\":5126,\"count\":3",
                                       "\"componentType\":5126,\"count\":1000000000"),
                              binary)));

  const std::string header = R"({"w":{"dtype":"F32","shape":[1000000000],"data_offsets":[0,4000000000]}})";
  expect_refused(put("tensor.safetensors", little(header.size(), 8) + header + std::string(64, '\0')));
  expect_refused(put("header.safetensors", little(std::uint64_t{1} << 60, 8) + header));
  PickleWriter pickle;
  pickle.op("}").text("w").tensor("FloatStorage", "0", 1'000'000'000, 0, {1'000'000'000}, {1}).op("s");
  expect_refused(put("tensor.pth", torch_zip(pickle.stop(), {{"0", std::string(256, '\0')}}).finish()));
}

TEST_F(BadInput, NotFinite) {
  const std::string ply =
      "ply\nformat ascii 1.0\n"
      "element vertex 1\nproperty float x\nproperty float y\n"
      "property float z\nend_header\n";
  for (const std::string number : {"nan", "inf", "-inf", "1e999"}) {
    expect_refused(put("a.ply", ply + "0 " + number + " 0\n"));
    expect_refused(put("a.obj", "v 0 0 0\nv 0 0 " + number + "\nv 1 1 1\nf 1 2 3\n"));
    expect_refused(put("a.off", "OFF\n3 1 0\n0 0 0\n" + number + " 0 0\n0 1 0\n3 0 1 2\n"));
    expect_refused(put("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex " + number +
                                    " 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"));
  }
  for (const float number : {NAN, INFINITY, -INFINITY}) {
    const Bytes vertex = Bytes().put<float>({0, number, 0});
    expect_refused(put("b.ply",
                       "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\n"
                       "property float y\nproperty float z\nend_header\n" +
                           text_of(vertex.content())));
    FileBytes stl = format_stl(curved_sheet(3));
    store_bytes(stl.data() + 84 + 12, number, std::endian::little);
    expect_refused(put("b.stl", stl));
    FileBytes binary = triangle_binary();
    store_bytes(binary.data() + 4, number, std::endian::little);
    expect_refused(put("b.glb", make_glb(triangle_json, binary)));
  }
}

// Every file under every other name. An OBJ is any text, so what it is taken for may have no vertices at all.
TEST_F(BadInput, WrongExtension) {
  const std::vector<Sample> all = samples();
  for (const Sample& content : all) {
    for (const Sample& name : all) {
      const bool both_weights = (content.extension == ".pth" && name.extension == ".safetensors") ||
                                (content.extension == ".safetensors" && name.extension == ".pth");
      if (content.extension == name.extension || both_weights) continue;  // weights go by their content
      expect_refused(put(content.extension.substr(1) + name.extension, content.bytes));
    }
  }
}

TEST_F(BadInput, TextOrUnknownExtension) {
  const std::string letter = "Dear reader,\nthis is a letter.\n";
  for (const char* name : {"letter.ply", "letter.stl", "letter.off", "letter.obj", "letter.glb", "letter.pth",
                           "letter.safetensors", "letter.txt", "letter"}) {
    expect_refused(put(name, letter));
  }
  expect_refused(put("scan.xyz", format_ply(curved_sheet(3))));
  expect_refused(put("scene.gltf", "{\"asset\":{\"version\":\"2.0\"}}"));
}

TEST_F(BadInput, FolderInPlaceOfAFile) {
  for (const char* name : {"a.ply", "a.obj", "a.stl", "a.off", "a.glb", "a.safetensors", "a.pth", "a"}) {
    fs::create_directory(folder_ / name);
    expect_refused(folder_ / name);
  }
}

TEST_F(BadInput, MissingFile) {
  for (const char* name : {"a.ply", "a.obj", "a.stl", "a.off", "a.glb", "a.safetensors", "a.pth", "a"}) {
    expect_refused(folder_ / name);
    expect_refused(folder_ / "no folder" / name);
  }
}

TEST_F(BadInput, UnreadableFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  for (const Sample& sample : samples()) {
    const fs::path file = put("secret" + sample.extension, sample.bytes);
    fs::permissions(file, fs::perms::none);
    expect_refused(file);
  }
}

// A pipe without a writer must not make the program wait.
TEST_F(BadInput, Pipe) {
  const fs::path file = folder_ / "pipe.ply";
  ASSERT_EQ(run_program("mkfifo '" + file.string() + "'").exit_code, 0);
  expect_refused(file);
}

TEST_F(BadInput, DegenerateMeshesCanBeLookedAt) {
  for (const auto& [name, text] : {std::pair("point.obj", "v 1 2 3\n"),
                                   std::pair("flat.off", "OFF\n3 1 0\n0 0 0\n0 0 0\n1 0 0\n3 0 1 2\n")}) {
    EXPECT_EQ(run(info(put(name, text))).exit_code, 0) << name;
  }
}

}  // namespace
}  // namespace pmtr::test
