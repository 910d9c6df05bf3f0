// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "pmtr/core/file.h"
#include "pmtr/formats/zip_reader.h"
#include "pmtr/fracture/fracture_test_support.h"

/// Writes the cells of two_boxes() as numpy.savez would. Test support only.
namespace pmtr::test {

struct CellsParts {
  std::int16_t first_owner = 0;  ///< cell A of the first face
  std::string leave_out;         ///< an array that is not written
};

inline std::string npy_bytes(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize((header.size() + 10 + 64) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xFFU);
  out += static_cast<char>(header.size() >> 8U);
  return out + header + data;
}

template <class T>
void append_value(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

/// A zip file with stored entries.
inline std::vector<std::byte> stored_zip(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out;
  std::string directory;
  for (const auto& [name, data] : entries) {
    std::string common;  // from "version needed" to the length of the extra field
    for (const std::uint16_t word :
         {std::uint16_t{20}, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}})
      append_value(common, word);
    append_value(common, crc32(as_bytes(data)));
    append_value(common, static_cast<std::uint32_t>(data.size()));
    append_value(common, static_cast<std::uint32_t>(data.size()));
    append_value(common, static_cast<std::uint16_t>(name.size()));
    append_value(common, std::uint16_t{0});
    const auto offset = static_cast<std::uint32_t>(out.size());
    out += std::string("PK\x03\x04", 4) + common + name + data;
    directory += std::string("PK\x01\x02\x14\x00", 6) + common + std::string(10, '\0');
    append_value(directory, offset);
    directory += name;
  }
  const auto directory_offset = static_cast<std::uint32_t>(out.size());
  out += directory + std::string("PK\x05\x06\0\0\0\0", 8);
  append_value(out, static_cast<std::uint16_t>(entries.size()));
  append_value(out, static_cast<std::uint16_t>(entries.size()));
  append_value(out, static_cast<std::uint32_t>(directory.size()));
  append_value(out, directory_offset);
  append_value(out, std::uint16_t{0});
  const auto bytes = as_bytes(out);
  return {bytes.begin(), bytes.end()};
}

inline std::vector<std::byte> cells_bytes(const CellsParts& parts) {
  const CellComplex complex = two_boxes();
  std::string v, f, ab, vol, label, frac;
  for (const auto& p : complex.surfaces.vertices)
    for (const double x : p) append_value(v, static_cast<float>(x));
  for (const auto& face : complex.surfaces.faces)
    for (const std::uint32_t i : face) append_value(f, static_cast<std::uint16_t>(i));
  for (const auto& pair : complex.owners)
    for (const std::int32_t c : pair) append_value(ab, static_cast<std::int16_t>(c));
  std::memcpy(ab.data(), &parts.first_owner, 2);
  for (const double x : complex.volumes) append_value(vol, static_cast<float>(x));
  for (const std::int16_t l : {std::int16_t{0}, std::int16_t{1}}) append_value(label, l);
  for (const char c : std::string("mode_0")) append_value(frac, static_cast<std::uint32_t>(c));
  const std::string faces = std::to_string(complex.surfaces.faces.size());
  std::vector<std::pair<std::string, std::string>> entries{
      {"V.npy", npy_bytes("<f4", "(" + std::to_string(complex.surfaces.vertices.size()) + ", 3)", v)},
      {"F.npy", npy_bytes("<u2", "(" + faces + ", 3)", f)},
      {"AB.npy", npy_bytes("<i2", "(" + faces + ", 2)", ab)},
      {"vol.npy", npy_bytes("<f4", "(2,)", vol)},
      {"frac.npy", npy_bytes("<U6", "(1,)", frac)},
      {"label.npy", npy_bytes("<i2", "(1, 2)", label)}};
  std::erase_if(entries, [&](const auto& entry) { return entry.first == parts.leave_out + ".npy"; });
  return stored_zip(entries);
}

}  // namespace pmtr::test
