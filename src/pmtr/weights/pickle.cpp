// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/pickle.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/weights/pickle_machine.h"

namespace pmtr {
namespace {

using Kind = PickleValue::Kind;

PickleValue value_of(Kind kind) {
  PickleValue value;
  value.kind = kind;
  return value;
}

PickleValue integer_value(std::int64_t number) {
  PickleValue value = value_of(Kind::integer);
  value.integer = number;
  return value;
}

PickleValue text_value(Kind kind, std::string_view text) {
  PickleValue value = value_of(kind);
  value.text = text;
  return value;
}

}  // namespace

std::string Pickle::global_name(PickleRef ref) const {
  const PickleValue& global = values[ref];
  if (global.kind != Kind::global) return {};
  return fmt::format("{}.{}", values[global.items[0]].text, values[global.items[1]].text);
}

std::optional<PickleRef> Pickle::find(PickleRef dict, std::string_view key) const {
  const PickleValue& value = values[dict];
  if (value.kind != Kind::dict) return std::nullopt;
  for (std::size_t i = value.items.size(); i >= 2; i -= 2) {
    const PickleValue& candidate = values[value.items[i - 2]];
    if (candidate.kind == Kind::text && candidate.text == key) return value.items[i - 1];
  }
  return std::nullopt;
}

Result<Pickle> parse_pickle(std::span<const std::byte> bytes, const std::string& name,
                            const PickleLimits& limits) {
  return PickleMachine(bytes, name, limits).run();
}

PickleMachine::PickleMachine(std::span<const std::byte> bytes, const std::string& name,
                             const PickleLimits& limits)
    : bytes_(bytes),
      name_(name),
      // An honest pickle makes at most one value and one item per byte; copies of lists of pairs need a
      // little more.
      budget_(std::min<std::uint64_t>(limits.max_values, 64 + 4 * std::uint64_t{bytes.size()})) {}

Result<Pickle> PickleMachine::run() {
  // One value each for the constants: they are frequent.
  PickleValue truth = value_of(Kind::boolean);
  truth.integer = 1;
  if (!add(value_of(Kind::none), none_) || !add(value_of(Kind::boolean), false_) || !add(truth, true_))
    return *error_;
  while (true) {
    opcode_at_ = at_;
    std::uint8_t opcode = 0;
    if (!take_number(opcode)) return *error_;
    if (opcode == '.') break;
    if (!step(opcode)) return *error_;
  }
  if (!pop(pickle_.root)) return *error_;
  return std::move(pickle_);
}

bool PickleMachine::fail(Cause cause, std::string message) {
  error_ = Error{cause, "pickle: " + std::move(message), {name_, opcode_at_, {}}};
  return false;
}

bool PickleMachine::unknown(unsigned opcode) {
  return fail(Cause::unsupported, fmt::format("opcode 0x{:02x} is not one of protocols 2 to 5", opcode));
}

bool PickleMachine::step(unsigned opcode) {
  switch (opcode) {
    case 0x80: {  // PROTO
      std::uint8_t version = 0;
      if (!take_number(version)) return false;
      return version <= 5 || fail(Cause::unsupported, fmt::format("protocol {}", version));
    }
    case 0x95: {  // FRAME: a hint for buffering
      std::uint64_t size = 0;
      return take_number(size);
    }
    case 'N':
      return push(none_);
    case 0x88:
      return push(true_);
    case 0x89:
      return push(false_);
    case 'J':
    case 'K':
    case 'M':
    case 'G':
    case 0x8a:
    case 0x8b:
      return step_number(opcode);
    case 'X':
    case 0x8c:
    case 0x8d:
    case 'T':
    case 'U':
    case 'B':
    case 'C':
    case 0x8e:
    case 0x96:
      return step_text(opcode);
    case '(':
    case '0':
    case '1':
    case '2':
    case 'q':
    case 'r':
    case 0x94:
    case 'h':
    case 'j':
      return step_memo(opcode);
    case 'c':
    case 0x93:
    case 'Q':
    case 'R':
    case 'b':
    case 0x81:
    case 0x92:
      return step_object(opcode);
    default:
      return step_container(opcode);
  }
}

template <std::unsigned_integral T>
bool PickleMachine::push_unsigned() {
  T number = 0;
  return take_number(number) && push_new(integer_value(static_cast<std::int64_t>(number)));
}

template <std::unsigned_integral Length>
bool PickleMachine::push_long() {
  Length size = 0;
  std::span<const std::byte> part;
  if (!take_number(size) || !take(size, part)) return false;
  if (part.size() > 8) return push_new(value_of(Kind::opaque));  // no size or offset is that large
  // Two's complement of any width: start from the sign.
  const bool negative = !part.empty() && (std::to_integer<unsigned>(part.back()) & 0x80U) != 0;
  std::uint64_t bits = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = part.size(); i-- > 0;) bits = (bits << 8U) | std::to_integer<std::uint64_t>(part[i]);
  return push_new(integer_value(std::bit_cast<std::int64_t>(bits)));
}

template <std::unsigned_integral Length>
bool PickleMachine::push_counted(Kind kind) {
  Length size = 0;
  std::span<const std::byte> part;
  return take_number(size) && take(size, part) && push_new(text_value(kind, as_text(part)));
}

bool PickleMachine::step_number(unsigned opcode) {
  switch (opcode) {
    case 'J': {  // BININT: signed
      std::uint32_t bits = 0;
      return take_number(bits) && push_new(integer_value(std::bit_cast<std::int32_t>(bits)));
    }
    case 'K':
      return push_unsigned<std::uint8_t>();
    case 'M':
      return push_unsigned<std::uint16_t>();
    case 'G': {  // BINFLOAT: the one number with its highest byte first
      std::uint64_t bits = 0;
      if (!take_number(bits)) return false;
      std::uint64_t swapped = 0;
      for (int i = 0; i < 8; ++i)
        swapped = (swapped << 8U) | ((bits >> (8U * static_cast<unsigned>(i))) & 0xFFU);
      PickleValue value = value_of(Kind::real);
      value.real = std::bit_cast<double>(swapped);
      return push_new(std::move(value));
    }
    case 0x8a:
      return push_long<std::uint8_t>();
    case 0x8b:
      return push_long<std::uint32_t>();
    default:
      return unknown(opcode);
  }
}

bool PickleMachine::step_text(unsigned opcode) {
  switch (opcode) {
    case 'X':
      return push_counted<std::uint32_t>(Kind::text);
    case 0x8c:
      return push_counted<std::uint8_t>(Kind::text);
    case 0x8d:
      return push_counted<std::uint64_t>(Kind::text);
    case 'T':  // Python 2 strings: keys of state dicts of that time
      return push_counted<std::uint32_t>(Kind::text);
    case 'U':
      return push_counted<std::uint8_t>(Kind::text);
    case 'B':
      return push_counted<std::uint32_t>(Kind::bytes);
    case 'C':
      return push_counted<std::uint8_t>(Kind::bytes);
    case 0x8e:
    case 0x96:
      return push_counted<std::uint64_t>(Kind::bytes);
    default:
      return unknown(opcode);
  }
}

bool PickleMachine::step_container(unsigned opcode) {
  std::vector<PickleRef> items;
  switch (opcode) {
    case ')':
      return push_tuple(0);
    case 0x85:
      return push_tuple(1);
    case 0x86:
      return push_tuple(2);
    case 0x87:
      return push_tuple(3);
    case 't':
    case 0x91: {  // TUPLE, FROZENSET
      PickleValue value = value_of(opcode == 't' ? Kind::tuple : Kind::list);
      return pop_to_mark(value.items) && spend(value.items.size()) && push_new(std::move(value));
    }
    case ']':
    case 0x8f:
      return push_new(value_of(Kind::list));
    case '}':
      return push_new(value_of(Kind::dict));
    case 'a':
      items.resize(1);
      return pop(items[0]) && need(1) && extend(stack_.back(), Kind::list, items);
    case 's':
      items.resize(2);
      return pop(items[1]) && pop(items[0]) && need(1) && extend(stack_.back(), Kind::dict, items);
    case 'e':
    case 0x90:
      return pop_to_mark(items) && need(1) && extend(stack_.back(), Kind::list, items);
    case 'u':
      if (!pop_to_mark(items) || !need(1)) return false;
      if (items.size() % 2 != 0) return fail(Cause::malformed, "a key without a value");
      return extend(stack_.back(), Kind::dict, items);
    default:
      return unknown(opcode);
  }
}

bool PickleMachine::step_memo(unsigned opcode) {
  std::uint8_t small = 0;
  std::uint32_t index = 0;
  PickleRef ignored = 0;
  std::vector<PickleRef> dropped;
  switch (opcode) {
    case '(':
      marks_.push_back(stack_.size());
      return spend(1);
    case '0':
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
        return true;
      }
      return pop(ignored);
    case '1':
      return pop_to_mark(dropped);
    case '2':
      return need(1) && push(stack_.back());
    case 'q':
      return take_number(small) && put(small);
    case 'r':
      return take_number(index) && put(index);
    case 0x94:
      return put(static_cast<std::uint32_t>(memo_.size()));
    case 'h':
      return take_number(small) && get(small);
    case 'j':
      return take_number(index) && get(index);
    default:
      return unknown(opcode);
  }
}

}  // namespace pmtr
