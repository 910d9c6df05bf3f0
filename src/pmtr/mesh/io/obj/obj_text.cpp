// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/obj/obj_text.h"

#include <algorithm>

namespace pmtr::obj_text {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

/// How many characters of white space stand at the front: 0, 1, or a continuation's backslash (its line end
/// follows as white space of its own).
bool space_in_front(std::string_view text) {
  if (is_space(text[0])) return true;
  return text[0] == '\\' && (text.size() == 1 || text[1] == '\n' || text[1] == '\r');
}

}  // namespace

Statements::Statements(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
}

bool Statements::next(Statement& statement) {
  if (position_ >= text_.size()) return false;
  const std::size_t begin = position_;
  statement.line = line_;
  const std::size_t first = text_.find_first_not_of(" \t", begin);
  const bool comment = first != std::string_view::npos && text_[first] == '#';
  for (;;) {
    std::size_t end = std::min(text_.find('\n', position_), text_.size());
    const std::size_t carriage = text_.substr(position_, end - position_).find('\r');
    if (carriage != std::string_view::npos) end = position_ + carriage;
    position_ = end;
    if (position_ < text_.size()) {
      const bool both =
          text_[position_] == '\r' && position_ + 1 < text_.size() && text_[position_ + 1] == '\n';
      position_ += both ? 2 : 1;
      ++line_;
    }
    const bool continues = !comment && end > begin && text_[end - 1] == '\\' && position_ < text_.size();
    if (!continues) {
      statement.text = text_.substr(begin, end - begin);
      return true;
    }
  }
}

std::string_view take_word(std::string_view& rest) {
  while (!rest.empty() && space_in_front(rest)) rest.remove_prefix(1);
  std::size_t size = 0;
  while (size < rest.size() && !space_in_front(rest.substr(size))) ++size;
  const std::string_view word = rest.substr(0, size);
  rest.remove_prefix(size);
  return word;
}

std::string rest_as_name(std::string_view rest) {
  std::string name;
  bool in_continuation = false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const bool line_end = rest[i] == '\n' || rest[i] == '\r';
    if (line_end || (rest[i] == '\\' && space_in_front(rest.substr(i)))) {
      if (!in_continuation) name += ' ';
      in_continuation = true;
    } else {
      name += rest[i];
      in_continuation = false;
    }
  }
  while (!name.empty() && is_space(name.back())) name.pop_back();
  name.erase(name.begin(), std::find_if_not(name.begin(), name.end(), is_space));
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
  return name;
}

}  // namespace pmtr::obj_text
