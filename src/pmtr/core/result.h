// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "pmtr/core/check.h"

namespace pmtr {

/// Why an input could not be used. One value per thing a caller might want to react to.
enum class Cause {
  unreadable,      ///< the file or folder is missing, or may not be read
  unwritable,      ///< the destination may not be written, or the disk is full
  unknown_format,  ///< neither the name nor the content says what it is
  truncated,       ///< the file ends before its own header says so
  malformed,       ///< the content breaks the rules of its format
  too_large,       ///< a count is beyond what the file can hold or this program supports
  not_finite,      ///< a coordinate is NaN or infinite
  empty,           ///< nothing there to work on
  degenerate,      ///< there, but without extent: zero area, a single point
  unsupported,     ///< valid, but a feature that is not handled
  mismatch,        ///< two inputs do not belong together (weights and network, split and data)
  invalid_option,  ///< an option is outside its range
  cancelled,       ///< the caller asked to stop
};

/// Where in the input. Unknown parts stay empty.
struct Place {
  std::string file;
  std::optional<std::uint64_t> byte;
  std::optional<std::uint64_t> line;  ///< counted from 1
};

/// Bad input: a cause for programs, a sentence and a place for people.
struct Error {
  Cause cause = Cause::malformed;
  std::string message;
  Place place;

  /// "file:line: message" or "file (byte n): message".
  std::string text() const;
};

/// Bad input in a file, or a folder, as a whole.
inline Error error_at(std::string file, Cause cause, std::string message) {
  return {cause, std::move(message), {std::move(file), {}, {}}};
}

/// What validate() says of an option outside its range.
inline Error invalid_option(std::string message) { return {Cause::invalid_option, std::move(message), {}}; }

/// Either a value or the reason why there is none. Rule: bad input is a Result, a bug is a PMTR_CHECK.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    PMTR_CHECK(ok(), error().text());
    return std::get<0>(state_);
  }
  T& value() & {
    PMTR_CHECK(ok(), error().text());
    return std::get<0>(state_);
  }
  T&& value() && {
    PMTR_CHECK(ok(), error().text());
    return std::get<0>(std::move(state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Error& error() const {
    PMTR_CHECK(!ok(), "a good result has no error");
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// A Result without a value: done, or the reason why not.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    PMTR_CHECK(!ok(), "a good status has no error");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace pmtr

#define PMTR_CONCAT_INNER(a, b) a##b
#define PMTR_CONCAT(a, b) PMTR_CONCAT_INNER(a, b)
// NOLINTBEGIN(bugprone-macro-parentheses): what is declared cannot stand in parentheses
/// PMTR_TRY(auto mesh, read_mesh(path)); returns the error from the enclosing function if there is one.
#define PMTR_TRY(declaration, expression) \
  PMTR_TRY_IMPL(declaration, expression, PMTR_CONCAT(pmtr_try_, __LINE__))
#define PMTR_TRY_IMPL(declaration, expression, name) \
  auto name = (expression);                          \
  if (!name.ok()) return name.error();               \
  declaration = *std::move(name)
// NOLINTEND(bugprone-macro-parentheses)
/// The same for a Status.
#define PMTR_TRY_STATUS(expression) \
  if (auto pmtr_status = (expression); !pmtr_status.ok()) return pmtr_status.error()
