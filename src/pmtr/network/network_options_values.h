// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "pmtr/network/network_options_fields.h"

// How the value of an option is read and written, whatever the file: JSON and TOML differ in their nodes
// only.
namespace pmtr {

template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {};

/// What a value must be, for messages: "a whole number".
template <class T>
std::string kind_of_value() {
  if constexpr (std::is_same_v<T, bool>) {
    return "true or false";
  } else if constexpr (std::is_enum_v<T>) {
    std::string text = "one of";
    for (const std::string_view word : words_of(T{}))
      text += (text.ends_with('"') ? ", \"" : " \"") + std::string(word) + "\"";
    return text;
  } else if constexpr (IsArray<T>::value) {
    constexpr bool whole = std::is_integral_v<typename T::value_type>;
    return "a list of " + std::to_string(std::tuple_size_v<T>) + (whole ? " whole numbers" : " numbers");
  } else {
    return std::is_integral_v<T> ? "a whole number" : "a number";
  }
}

/// Takes the value of a superpoint if it is of the member's kind; else the member stays. A superpoint has
/// flag(), whole(), number() and text(), which are empty where it is something else, and size() and [i] for
/// lists (size is empty where it is none). A whole number is a number too.
template <class Superpoint, class T>
bool take_value(const Superpoint& superpoint, T& out) {
  if constexpr (std::is_same_v<T, bool>) {
    const std::optional<bool> value = superpoint.flag();
    if (value) out = *value;
    return value.has_value();
  } else if constexpr (std::is_integral_v<T>) {
    const std::optional<std::int64_t> value = superpoint.whole();
    if (!value || !std::in_range<T>(*value)) return false;
    out = static_cast<T>(*value);
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    const std::optional<double> value = superpoint.number();
    if (value) out = static_cast<T>(*value);
    return value.has_value();
  } else if constexpr (std::is_enum_v<T>) {
    const std::optional<std::string> value = superpoint.text();
    const auto words = words_of(T{});
    for (std::size_t i = 0; value && i < words.size(); ++i) {
      if (*value != words[i]) continue;
      out = static_cast<T>(i);
      return true;
    }
    return false;
  } else {
    static_assert(IsArray<T>::value, "an option of a new kind");
    if (superpoint.size() != std::optional<std::size_t>(out.size())) return false;
    T values = out;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!take_value(superpoint[i], values[i])) return false;
    }
    out = values;
    return true;
  }
}

/// The word of a value that has words.
template <class Enum>
std::string word_of(Enum value) {
  return std::string(words_of(value)[static_cast<std::size_t>(value)]);
}

/// Through the shortest decimal form of a float: 0.02, not 0.019999999552965164.
inline double as_double(double value) { return value; }
inline double as_double(float value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double out = 0.0;
  std::from_chars(text.data(), end, out);
  return out;
}

}  // namespace pmtr
