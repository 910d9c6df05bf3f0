// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/rigid3.h"
#include "pmtr/formats/json_fields.h"

namespace pmtr {

/// A pose as the rows of its 4x4 matrix, each a list of 4 numbers; with `rows` 3 the last one, which is
/// always 0 0 0 1, is left out.
json_fields::Json pose_rows(const Rigid3& pose, int rows = 4);

/// Rows of 4 numbers, 3 or 4 of them, that turn and move and nothing else; for json_fields::FieldReader.
bool convert(const json_fields::Json& rows, Rigid3& pose);

/// A 4x4 matrix as pose_rows writes it. The error tells numbers that are missing from a matrix that bends.
Result<Rigid3> pose_at(const json_fields::Json& object, const char* key, const json_fields::Where& where);

}  // namespace pmtr
