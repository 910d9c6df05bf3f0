// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The machine's reading, stack and values: every bound on what a pickle can make is kept here.
#include <utility>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/weights/pickle_machine.h"

namespace pmtr {

bool PickleMachine::take(std::uint64_t count, std::span<const std::byte>& out) {
  if (count > bytes_.size() - at_) {
    return fail(Cause::truncated, fmt::format("{} bytes are announced at byte {}, {} are left", count, at_,
                                              bytes_.size() - at_));
  }
  out = bytes_.subspan(at_, count);
  at_ += count;
  return true;
}

bool PickleMachine::take_line(std::string_view& out) {
  const std::string_view rest = as_text(bytes_.subspan(at_));
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return fail(Cause::truncated, "a line does not end");
  out = rest.substr(0, end);
  at_ += end + 1;
  return true;
}

bool PickleMachine::need(std::size_t count) {
  const std::size_t fence = marks_.empty() ? 0 : marks_.back();
  return stack_.size() - fence >= count || fail(Cause::malformed, "the stack is empty");
}

bool PickleMachine::pop(PickleRef& out) {
  if (!need(1)) return false;
  out = stack_.back();
  stack_.pop_back();
  return true;
}

bool PickleMachine::pop_to_mark(std::vector<PickleRef>& out) {
  if (marks_.empty()) return fail(Cause::malformed, "there is no mark on the stack");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  out.assign(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return true;
}

bool PickleMachine::push(PickleRef ref) {
  stack_.push_back(ref);
  return true;  // one byte or more each: the stack cannot outgrow the pickle
}

bool PickleMachine::spend(std::uint64_t count) {
  if (count > budget_) return fail(Cause::too_large, "more values than its size or this program allows");
  budget_ -= count;
  return true;
}

bool PickleMachine::add(PickleValue value, PickleRef& out) {
  if (!spend(1)) return false;
  out = static_cast<PickleRef>(pickle_.values.size());
  pickle_.values.push_back(std::move(value));
  return true;
}

bool PickleMachine::push_new(PickleValue value) {
  PickleRef ref = 0;
  return add(std::move(value), ref) && push(ref);
}

bool PickleMachine::push_tuple(std::size_t count) {
  if (!need(count) || !spend(count)) return false;
  PickleValue value;
  value.kind = Kind::tuple;
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  value.items.assign(first, stack_.end());
  stack_.erase(first, stack_.end());
  return push_new(std::move(value));
}

bool PickleMachine::extend(PickleRef container, Kind kind, const std::vector<PickleRef>& items) {
  PickleValue& value = pickle_.values[container];
  if (value.kind == Kind::opaque) return true;  // what unknown classes hold is not kept
  if (value.kind != kind) return fail(Cause::malformed, "items are added to something that holds none");
  if (!spend(items.size())) return false;
  value.items.insert(value.items.end(), items.begin(), items.end());
  return true;
}

bool PickleMachine::put(std::uint32_t index) {
  if (!need(1) || !spend(1)) return false;
  memo_[index] = stack_.back();
  return true;
}

bool PickleMachine::get(std::uint32_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) return fail(Cause::malformed, fmt::format("nothing is stored as {}", index));
  return push(found->second);
}

}  // namespace pmtr
