// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

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

/// Zero or infinity for a number outside the range of its type.
double out_of_range_value(std::string_view number);

/// A whole word as a number, independent of the locale. Overflow gives infinity and "nan" gives NaN: the
/// caller checks what must be finite.
template <class T>
std::optional<T> parse_number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || word.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return static_cast<T>(out_of_range_value(word));
  if (error != std::errc{}) return std::nullopt;
  return value;
}

/// The shortest text that reads back as the same number.
template <class T>
void append_number(std::string& text, T value) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value + T{0}).ptr;  // + 0 turns -0 into 0
  text.append(digits, end);
}

}  // namespace pmtr::obj_text
