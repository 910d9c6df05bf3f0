// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pmtr {

/// A word of a text file and where it stands.
struct Word {
  std::string_view text;
  std::size_t begin = 0;   ///< byte offset in the whole text
  std::uint64_t line = 1;  ///< counted from 1
  std::size_t end() const { return begin + text.size(); }
};

/// Splits text at white space and knows the line. Lines end with LF, CRLF or CR.
class WordReader {
 public:
  /// Starts at byte `begin`, which stands on line `line`. From `comment` to the end of its line nothing is a
  /// word (0: no comments).
  explicit WordReader(std::string_view text, std::size_t begin = 0, std::uint64_t line = 1, char comment = 0)
      : text_(text), at_(begin), line_(line), comment_(comment) {}

  /// The next word on this or a later line. False: none left.
  bool next(Word& word);
  /// The next word on this line. False: the line is over (and stays so until next() or skip_line()).
  bool next_on_line(Word& word);
  /// To the beginning of the next line.
  void skip_line();

  std::size_t position() const { return at_; }
  std::uint64_t line() const { return line_; }
  std::size_t left() const { return text_.size() - at_; }

 private:
  void skip_blanks();
  void take(Word& word);

  std::string_view text_;
  std::size_t at_;
  std::uint64_t line_;
  char comment_;
};

/// Only A to Z become small, in any locale.
std::string lower_case(std::string_view text);

/// A piece of unknown bytes that is safe to show in a message.
std::string shown(std::string_view bytes);

/// A name for a message, cut after 80 bytes so that a hostile one cannot fill the screen.
std::string shortened(std::string_view name);

}  // namespace pmtr
