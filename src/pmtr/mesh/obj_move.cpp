// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cmath>

#include "pmtr/core/file.h"
#include "pmtr/mesh/obj.h"
#include "pmtr/mesh/obj_read.h"
#include "pmtr/mesh/obj_text.h"

namespace pmtr {
namespace {

/// Copies the text from `copied` on up to each word whose value changes, then the new value.
void replace_words(std::string_view text, const ObjTriple& old, const Eigen::Vector3d& value,
                   std::size_t& copied, std::string& output) {
  for (std::size_t i = 0; i < 3; ++i) {
    const auto axis = static_cast<Eigen::Index>(i);
    if (value[axis] == old.value[axis]) continue;
    const auto begin = static_cast<std::size_t>(old.words[i].data() - text.data());
    output.append(text.substr(copied, begin - copied));
    obj_text::append_number(output, value[axis]);
    copied = begin + old.words[i].size();
  }
}

}  // namespace

Result<std::vector<std::byte>> move_obj(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name) {
  const std::string_view text = as_text(bytes);
  std::string output;
  output.reserve(text.size() + text.size() / 4);
  std::size_t copied = 0;
  obj_text::Statements statements(text);
  for (obj_text::Statement statement; statements.next(statement);) {
    std::string_view rest = statement.text;
    const std::string_view keyword = obj_text::take_word(rest);
    if (keyword != "v" && keyword != "vn") continue;
    const auto old = take_triple(rest);
    if (!old) return Error{Cause::malformed, "three numbers are needed here", {name, {}, statement.line}};
    const Eigen::Vector3d moved = keyword == "v" ? world_from_part * old->value
                                                 : Eigen::Vector3d(world_from_part.rotation * old->value);
    if (!old->value.allFinite() || !moved.allFinite()) {
      if (keyword == "vn") continue;  // such normals are never used: they stay as they are
      return Error{Cause::not_finite, "a coordinate is not finite", {name, {}, statement.line}};
    }
    replace_words(text, *old, moved, copied, output);
  }
  output.append(text.substr(copied));
  const auto result = as_bytes(output);
  return std::vector<std::byte>(result.begin(), result.end());
}

}  // namespace pmtr
