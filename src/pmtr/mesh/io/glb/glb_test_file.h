// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/mesh/io/glb/glb_container.h"

/// Builds small GLB files in tests.
namespace pmtr::test {

template <class T>
std::vector<std::byte> raw(std::initializer_list<T> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

inline std::vector<std::byte> operator+(std::vector<std::byte> a, const std::vector<std::byte>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::vector<std::byte> make_glb(std::string_view json, const std::vector<std::byte>& binary) {
  auto bytes = glb::join(json, glb::binary_chunk(binary), "test");
  EXPECT_TRUE(bytes.ok());
  return *std::move(bytes);
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

/// One triangle: positions (36 bytes), then three 16-bit indices and two bytes of padding.
inline const std::string triangle_json =
    R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],)"
    R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],)"
    R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},)"
    R"({"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}],)"
    R"("bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":6}],)"
    R"("buffers":[{"byteLength":44}]})";

inline std::vector<std::byte> triangle_binary() {
  return raw<float>({0, 0, 0, 1, 0, 0, 0, 2, 0}) + raw<std::uint16_t>({0, 1, 2, 0});
}

}  // namespace pmtr::test
