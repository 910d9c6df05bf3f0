// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

/// A value of a pickle, by its number. Values refer to each other by number, so that cycles and any depth
/// of nesting cost neither recursion nor reference counts.
using PickleRef = std::uint32_t;

/// What a pickle can hold. `items` and `text` mean something else for each kind.
struct PickleValue {
  enum class Kind : std::uint8_t {
    none,
    boolean,  ///< integer: 0 or 1
    integer,
    real,
    text,     ///< text
    bytes,    ///< text
    list,     ///< items (sets, too)
    tuple,    ///< items
    dict,     ///< items: key, value, key, value, ...; a repeated key counts with its last value
    global,   ///< items: module and name, both text. Only the two names: nothing is looked up
    storage,  ///< items: of the persistent id: "storage", type, key, location, size
    tensor,   ///< items: storage, offset, sizes, strides; not yet checked
    opaque,   ///< an object of a class we do not know; items: the global it was made from, if known
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;
  double real = 0.0;
  std::string_view text;  ///< points into the pickle's bytes
  std::vector<PickleRef> items;
};

struct PickleLimits {
  std::uint64_t max_values = std::uint64_t{1} << 22U;  ///< values plus items of containers
};

/// The values of one pickle. The bytes it was read from must outlive it.
class Pickle {
 public:
  PickleRef root = 0;
  std::vector<PickleValue> values;

  const PickleValue& operator[](PickleRef ref) const { return values[ref]; }
  bool is(PickleRef ref, PickleValue::Kind kind) const { return values[ref].kind == kind; }
  /// "module.name" of a global, empty for anything else.
  std::string global_name(PickleRef ref) const;
  /// The value of a text key in a dict; nothing if it is not there or this is no dict.
  std::optional<PickleRef> find(PickleRef dict, std::string_view key) const;
};

/// Interprets a pickle of protocol 2 to 5 by building plain values. Nothing is imported or called: of all
/// functions a pickle may name, the few that rebuild tensors and ordered dicts are imitated, every other call
/// gives an opaque value. Time and memory are linear in the number of bytes.
Result<Pickle> parse_pickle(std::span<const std::byte> bytes, const std::string& name,
                            const PickleLimits& limits = {});

}  // namespace pmtr
