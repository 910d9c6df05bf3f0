// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pmtr/formats/byte_order.h"
#include "pmtr/weights/pickle.h"

namespace pmtr {

/// The stack machine behind parse_pickle. Its steps return false after `fail`, which says why. pickle.cpp
/// holds the opcodes, pickle_calls.cpp what calls of functions and classes give.
class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, const std::string& name, const PickleLimits& limits);
  Result<Pickle> run();

 private:
  using Kind = PickleValue::Kind;

  bool step(unsigned opcode);
  bool step_number(unsigned opcode);
  bool step_text(unsigned opcode);
  bool step_container(unsigned opcode);
  bool step_memo(unsigned opcode);
  bool step_object(unsigned opcode);

  bool fail(Cause cause, std::string message);
  bool unknown(unsigned opcode);

  // Reading.
  bool take(std::uint64_t count, std::span<const std::byte>& out);
  bool take_line(std::string_view& out);
  template <std::unsigned_integral T>
  bool take_number(T& out) {
    std::span<const std::byte> part;
    if (!take(sizeof(T), part)) return false;
    out = load_little<T>(part, 0);
    return true;
  }
  template <std::unsigned_integral Length>
  bool push_counted(Kind kind);
  template <std::unsigned_integral T>
  bool push_unsigned();
  template <std::unsigned_integral Length>
  bool push_long();

  // The stack. Values below the last mark are out of reach until it is popped.
  bool need(std::size_t count);
  bool pop(PickleRef& out);
  bool pop_to_mark(std::vector<PickleRef>& out);
  bool push(PickleRef ref);
  bool push_new(PickleValue value);
  bool push_tuple(std::size_t count);
  bool put(std::uint32_t index);
  bool get(std::uint32_t index);

  // Values.
  bool spend(std::uint64_t count);
  bool add(PickleValue value, PickleRef& out);
  bool extend(PickleRef container, Kind kind, const std::vector<PickleRef>& items);
  bool push_global(PickleValue module, PickleValue name);

  // Calls.
  bool push_persistent();
  bool push_call(PickleRef callable, PickleRef args);
  bool push_opaque(PickleRef maker);
  bool push_ordered_dict(PickleRef callable, const std::vector<PickleRef>& args);
  bool is_global(PickleRef ref, std::string_view module, std::string_view name) const;

  std::span<const std::byte> bytes_;
  const std::string& name_;
  std::size_t at_ = 0;         ///< next byte
  std::size_t opcode_at_ = 0;  ///< for messages
  std::uint64_t budget_;       ///< values and items that may still be made
  Pickle pickle_;
  std::vector<PickleRef> stack_;
  std::vector<std::size_t> marks_;  ///< sizes of the stack
  std::unordered_map<std::uint32_t, PickleRef> memo_;
  std::optional<Error> error_;
  PickleRef none_ = 0;
  PickleRef false_ = 0;
  PickleRef true_ = 0;
};

}  // namespace pmtr
