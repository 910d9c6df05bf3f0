// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/word_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace pmtr {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// from_chars says "out of range" for both ends of the range; the decimal exponent of the first digit that is
/// not zero tells which.
double out_of_range(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  std::int64_t exponent = 0;
  std::int64_t digits_before_point = 0;
  std::int64_t zeros_after_point = 0;
  bool point = false;
  bool leading = true;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (c == '.') {
      point = true;
    } else if (is_digit(c)) {
      if (c != '0') leading = false;
      if (!leading && !point) ++digits_before_point;
      if (leading && point) ++zeros_after_point;
    } else if (c == 'e' || c == 'E') {
      std::string_view rest = word.substr(i + 1);
      const bool down = rest.starts_with('-');
      if (down || rest.starts_with('+')) rest.remove_prefix(1);
      const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
      if (parsed.ec == std::errc::result_out_of_range)
        exponent = std::numeric_limits<std::int64_t>::max() / 4;
      if (down) exponent = -exponent;
      break;
    }
  }
  const bool huge = exponent + digits_before_point - zeros_after_point > 0;
  const double size = huge ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -size : size;
}

template <class T>
void append_shortest(std::string& text, T value) {
  std::array<char, 32> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), written.ptr);
}

}  // namespace

void WordReader::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  if (comment_ == 0 || at_ >= text_.size() || text_[at_] != comment_) return;
  while (at_ < text_.size() && !is_line_end(text_[at_])) ++at_;
}

void WordReader::take(Word& word) {
  word.begin = at_;
  word.line = line_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && !is_line_end(text_[at_]) &&
         (comment_ == 0 || text_[at_] != comment_)) {
    ++at_;
  }
  word.text = text_.substr(word.begin, at_ - word.begin);
}

bool WordReader::next_on_line(Word& word) {
  skip_blanks();
  if (at_ >= text_.size() || is_line_end(text_[at_])) return false;
  take(word);
  return true;
}

bool WordReader::next(Word& word) {
  while (!next_on_line(word)) {
    if (at_ >= text_.size()) return false;
    skip_line();
  }
  return true;
}

void WordReader::skip_line() {
  while (at_ < text_.size() && !is_line_end(text_[at_])) ++at_;
  if (at_ >= text_.size()) return;
  const bool carriage_return = text_[at_++] == '\r';
  if (carriage_return && at_ < text_.size() && text_[at_] == '\n') ++at_;
  ++line_;
}

std::optional<double> parse_number(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  double value = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  if (parsed.ptr != word.data() + word.size()) return std::nullopt;
  if (parsed.ec == std::errc::result_out_of_range) return out_of_range(word);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return value;
}

void append_number(std::string& text, double value) { append_shortest(text, value); }
void append_number(std::string& text, float value) { append_shortest(text, value); }

std::string shown(std::string_view bytes) {
  constexpr std::size_t longest = 40;
  std::string text = "\"";
  for (const char c : bytes.substr(0, longest)) text += c >= ' ' && c <= '~' ? c : '?';
  text += bytes.size() > longest ? "...\"" : "\"";
  return text;
}

}  // namespace pmtr
