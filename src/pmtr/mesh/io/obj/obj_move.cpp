// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/file.h"
#include "pmtr/mesh/io/moved_text.h"
#include "pmtr/mesh/io/obj/obj.h"
#include "pmtr/mesh/io/obj/obj_read.h"
#include "pmtr/mesh/io/obj/obj_text.h"

namespace pmtr {
Result<std::vector<std::byte>> move_obj(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name) {
  MovedText output(as_text(bytes));
  obj_text::Statements statements(as_text(bytes));
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
    output.replace(old->words, old->value, moved);
  }
  return output.finish();
}

}  // namespace pmtr
