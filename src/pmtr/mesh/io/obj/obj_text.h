// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// The line grammar that OBJ and MTL share. Everything is a view into the file's own bytes, so that a file
/// can be written again with single words replaced.
namespace pmtr::obj_text {

/// One statement: a line, or several joined by a backslash before the line end.
struct Statement {
  std::string_view text;   ///< without the final line end; inner continuations are still there
  std::uint64_t line = 0;  ///< of its first character, counted from 1
};

/// Walks the statements of a text with LF, CRLF or CR line ends. A byte order mark is skipped; a comment
/// never continues (a Windows path at its end would swallow the next line).
class Statements {
 public:
  explicit Statements(std::string_view text);
  bool next(Statement& statement);

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  std::uint64_t line_ = 1;
};

/// Takes the next word off the front; empty at the end. Continuations are white space.
std::string_view take_word(std::string_view& rest);

/// The rest of a statement as one name: trimmed, without surrounding quotes, continuations turned into
/// spaces.
std::string rest_as_name(std::string_view rest);

}  // namespace pmtr::obj_text
