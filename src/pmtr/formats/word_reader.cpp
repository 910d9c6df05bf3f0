// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/word_reader.h"

namespace pmtr {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }
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

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string shown(std::string_view bytes) {
  constexpr std::size_t longest = 40;
  std::string text = "\"";
  for (const char c : bytes.substr(0, longest)) text += c >= ' ' && c <= '~' ? c : '?';
  text += bytes.size() > longest ? "...\"" : "\"";
  return text;
}

std::string shortened(std::string_view name) {
  constexpr std::size_t longest = 80;
  return std::string(name.substr(0, longest)) + (name.size() > longest ? "..." : "");
}

}  // namespace pmtr
