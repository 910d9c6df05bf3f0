// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/number_text.h"

#include <array>
#include <charconv>
#include <limits>

namespace pmtr {
namespace {

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

template <class T>
std::optional<T> parse_number(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  T value = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  if (parsed.ptr != word.data() + word.size()) return std::nullopt;
  if (parsed.ec == std::errc::result_out_of_range) return static_cast<T>(out_of_range(word));
  if (parsed.ec != std::errc{}) return std::nullopt;
  return value;
}
template std::optional<double> parse_number<double>(std::string_view);
template std::optional<float> parse_number<float>(std::string_view);

void append_number(std::string& text, double value) { append_shortest(text, value + 0.0); }
void append_number(std::string& text, float value) { append_shortest(text, value + 0.0F); }
void append_number(std::string& text, std::uint64_t value) { append_shortest(text, value); }

}  // namespace pmtr
