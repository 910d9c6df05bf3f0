// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/obj/mtl.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "pmtr/formats/number_text.h"
#include "pmtr/mesh/io/mesh_appearance.h"
#include "pmtr/mesh/io/obj/obj_text.h"

namespace pmtr {
namespace {

using obj_text::take_word;

struct MapOption {
  std::string_view name;
  int words;    ///< that follow in any case
  int numbers;  ///< that follow at most, if they are numbers
};

constexpr std::array<MapOption, 12> map_options{{
    {"-blendu", 1, 0},
    {"-blendv", 1, 0},
    {"-boost", 1, 0},
    {"-cc", 1, 0},
    {"-clamp", 1, 0},
    {"-imfchan", 1, 0},
    {"-texres", 1, 0},
    {"-bm", 1, 0},
    {"-type", 1, 0},
    {"-mm", 0, 2},
    {"-o", 0, 3},
    {"-s", 0, 3},
}};

/// The file name of a map statement: what follows its options. It may contain spaces.
std::string map_file_name(std::string_view rest) {
  for (;;) {
    std::string_view after = rest;
    const std::string_view word = take_word(after);
    const std::string_view option_name = word == "-t" ? std::string_view("-o") : word;
    const auto option = std::find_if(map_options.begin(), map_options.end(), [&](const MapOption& candidate) {
      return candidate.name == option_name;
    });
    if (option == map_options.end()) return obj_text::rest_as_name(rest);
    for (int i = 0; i < option->words; ++i) take_word(after);
    for (int i = 0; i < option->numbers; ++i) {
      std::string_view ahead = after;
      if (!parse_number<double>(take_word(ahead))) break;
      after = ahead;
    }
    rest = after;
  }
}

void read_colour(std::string_view rest, MtlMaterial& material) {
  std::array<float, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = parse_number<float>(take_word(rest));
    if (value && std::isfinite(*value)) {
      rgb[i] = unit_range(*value);
    } else if (i == 1) {  // one number stands for all three
      rgb[1] = rgb[2] = rgb[0];
      break;
    } else {
      return;  // "spectral" and "xyz" colours
    }
  }
  material.base_colour.head<3>() << rgb[0], rgb[1], rgb[2];
}

bool is_map(std::string_view keyword) {
  return keyword.starts_with("map_") || keyword == "bump" || keyword == "disp" || keyword == "decal" ||
         keyword == "norm" || keyword == "refl";
}

}  // namespace

MtlFile parse_mtl(std::string_view text) {
  MtlFile file;
  std::unordered_set<std::string> seen;
  bool has_d = false;
  obj_text::Statements statements(text);
  for (obj_text::Statement statement; statements.next(statement);) {
    std::string_view rest = statement.text;
    const std::string_view keyword = take_word(rest);
    if (keyword == "newmtl") {
      file.materials.emplace_back().name = obj_text::rest_as_name(rest);
      has_d = false;
      continue;
    }
    if (file.materials.empty()) continue;
    MtlMaterial& material = file.materials.back();
    if (keyword == "Kd") {
      read_colour(rest, material);
    } else if (keyword == "d" || keyword == "Tr") {
      std::string_view word = take_word(rest);
      if (word == "-halo") word = take_word(rest);
      const auto value = parse_number<float>(word);
      if (!value || !std::isfinite(*value)) continue;
      if (keyword == "Tr" && has_d) continue;  // d is the standard one
      has_d = has_d || keyword == "d";
      material.base_colour[3] = keyword == "d" ? unit_range(*value) : 1.0F - unit_range(*value);
    } else if (is_map(keyword)) {
      const std::string map = map_file_name(rest);
      if (map.empty()) continue;
      if (keyword == "map_Kd") material.base_colour_map = map;
      if (seen.insert(map).second) file.maps.push_back(map);
    }
  }
  return file;
}

}  // namespace pmtr
