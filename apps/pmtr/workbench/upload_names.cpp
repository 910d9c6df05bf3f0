// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "upload_names.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "pmtr/formats/utf8.h"
#include "pmtr/formats/word_reader.h"
#include "pmtr/mesh/io/mesh_file.h"

namespace pmtr::command {
namespace {

constexpr std::size_t longest_component = 200;  // file systems take 255 bytes, and writers add endings
constexpr std::size_t longest_name = 600;
constexpr int deepest_folder = 8;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }

Error bad_name(const char* why) { return {Cause::malformed, fmt::format("its name {}", why), {}}; }

}  // namespace

Result<std::string> clean_upload_name(std::string_view given) {
  if (given.empty()) return bad_name("is empty");
  if (given.size() > longest_name) return bad_name("is too long");
  if (!is_utf8(given)) return bad_name("is not UTF-8");
  if (std::any_of(given.begin(), given.end(), is_control)) return bad_name("has control characters");
  if (given.find('\\') != std::string_view::npos) return bad_name("has a backslash");
  if (given.front() == '/') return bad_name("begins at the root of the disk");
  std::string_view rest = given;
  for (int depth = 0;; ++depth) {
    if (depth > deepest_folder) return bad_name("has too many folders");
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return bad_name("leads out of the project");
    if (part.front() == '.') return bad_name("is that of a hidden file");
    if (part.size() > longest_component) return bad_name("is too long");
    if (slash == std::string_view::npos) return std::string(given);
    rest.remove_prefix(slash + 1);
  }
}

UploadKind upload_kind(const std::filesystem::path& name) {
  if (format_of_extension(name)) return UploadKind::fragment;
  constexpr std::array beside = {".mtl", ".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tga", ".tif", ".tiff"};
  const std::string extension = lower_case(name.extension().string());
  return std::find(beside.begin(), beside.end(), extension) != beside.end() ? UploadKind::companion
                                                                            : UploadKind::unknown;
}

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_decimal(a.front()) && is_decimal(b.front())) {
      const auto take_number = [](std::string_view& text) {
        const auto end = std::find_if_not(text.begin(), text.end(), is_decimal);
        std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
        text.remove_prefix(digits.size());
        while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
        return digits;
      };
      const std::string_view number_a = take_number(a);
      const std::string_view number_b = take_number(b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      continue;
    }
    if (a.front() != b.front())
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // "01" and "1"
}

std::string folder_name_for(std::string_view project_name) {
  std::string folder;
  for (const char c : project_name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_decimal(c) || c == '-' || c == '_';
    if (plain) {
      folder += c;
    } else if (!folder.empty() && folder.back() != '_') {
      folder += '_';
    }
  }
  while (!folder.empty() && folder.back() == '_') folder.pop_back();
  folder.resize(std::min<std::size_t>(folder.size(), 60));
  return folder.empty() || folder.front() == '-' ? "project" + folder : folder;
}

}  // namespace pmtr::command
