// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// What globals, persistent ids and calls give: plain values for the few we imitate, opaque ones otherwise.
#include <utility>

#include "pmtr/weights/pickle_machine.h"

namespace pmtr {

bool PickleMachine::step_object(unsigned opcode) {
  PickleRef first = 0;
  PickleRef second = 0;
  PickleRef third = 0;
  switch (opcode) {
    case 'c': {  // GLOBAL
      PickleValue module;
      PickleValue name;
      module.kind = name.kind = Kind::text;
      return take_line(module.text) && take_line(name.text) &&
             push_global(std::move(module), std::move(name));
    }
    case 0x93: {  // STACK_GLOBAL
      if (!pop(second) || !pop(first)) return false;
      const PickleValue& module = pickle_[first];
      const PickleValue& name = pickle_[second];
      if (module.kind != Kind::text || name.kind != Kind::text)
        return fail(Cause::malformed, "a class or function whose name is no text");
      return push_global(module, name);
    }
    case 'Q':
      return push_persistent();
    case 'R':
    case 0x81:  // REDUCE, NEWOBJ
      return pop(second) && pop(first) && push_call(first, second);
    case 0x92:  // NEWOBJ_EX, with keyword arguments
      return pop(third) && pop(second) && pop(first) && push_opaque(first);
    case 'b':  // BUILD: the attributes of an object; for a state dict its _metadata
      return pop(first) && need(1);
    default:
      return unknown(opcode);
  }
}

bool PickleMachine::push_global(PickleValue module, PickleValue name) {
  PickleValue global;
  global.kind = Kind::global;
  global.items.resize(2);
  return add(std::move(module), global.items[0]) && add(std::move(name), global.items[1]) && spend(2) &&
         push_new(std::move(global));
}

bool PickleMachine::push_opaque(PickleRef maker) {
  PickleValue value;
  value.kind = Kind::opaque;
  // Only a global is worth a name in messages; anything else would be a chain to follow.
  if (pickle_.is(maker, Kind::global)) {
    if (!spend(1)) return false;
    value.items.push_back(maker);
  }
  return push_new(std::move(value));
}

bool PickleMachine::push_persistent() {
  PickleRef id = 0;
  if (!pop(id)) return false;
  PickleValue value;
  const std::vector<PickleRef>& parts = pickle_[id].items;
  if (!pickle_.is(id, Kind::tuple) || parts.size() < 5 || pickle_[parts[0]].text != "storage")
    return push_opaque(id);
  value.kind = Kind::storage;
  value.items.assign(parts.begin(), parts.begin() + 5);
  return spend(5) && push_new(std::move(value));
}

bool PickleMachine::is_global(PickleRef ref, std::string_view module, std::string_view name) const {
  const PickleValue& value = pickle_[ref];
  return value.kind == Kind::global && pickle_[value.items[0]].text == module &&
         pickle_[value.items[1]].text == name;
}

bool PickleMachine::push_call(PickleRef callable, PickleRef args) {
  if (!pickle_.is(callable, Kind::global) || !pickle_.is(args, Kind::tuple)) return push_opaque(callable);
  const std::vector<PickleRef>& items = pickle_[args].items;
  const auto calls = [&](std::string_view module, std::string_view name) {
    return is_global(callable, module, name);
  };
  if (items.size() >= 4 &&
      (calls("torch._utils", "_rebuild_tensor_v2") || calls("torch._utils", "_rebuild_tensor"))) {
    PickleValue tensor;
    tensor.kind = Kind::tensor;
    tensor.items.assign(items.begin(), items.begin() + 4);
    return spend(4) && push_new(std::move(tensor));
  }
  // A parameter is its tensor for us.
  if (!items.empty() &&
      (calls("torch._utils", "_rebuild_parameter") || calls("torch._utils", "_rebuild_parameter_with_state")))
    return push(items[0]);
  if (items.size() == 1 && calls("torch", "Size")) return push(items[0]);
  if (calls("collections", "OrderedDict")) return push_ordered_dict(callable, items);
  if (calls("collections", "defaultdict")) return push_ordered_dict(callable, {});
  return push_opaque(callable);
}

bool PickleMachine::push_ordered_dict(PickleRef callable, const std::vector<PickleRef>& args) {
  PickleValue dict;
  dict.kind = Kind::dict;
  if (!args.empty()) {  // Python 2 wrote the content as a list of pairs
    const PickleValue& pairs = pickle_[args[0]];
    if (pairs.kind != Kind::list) return push_opaque(callable);
    if (!spend(2 * pairs.items.size())) return false;
    for (const PickleRef pair : pairs.items) {
      const PickleValue& value = pickle_[pair];
      if ((value.kind != Kind::list && value.kind != Kind::tuple) || value.items.size() != 2)
        return push_opaque(callable);
      dict.items.insert(dict.items.end(), value.items.begin(), value.items.end());
    }
  }
  return push_new(std::move(dict));
}

}  // namespace pmtr
