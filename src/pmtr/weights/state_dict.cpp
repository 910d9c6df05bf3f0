// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/state_dict.h"

#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "pmtr/formats/array_shape.h"
#include "pmtr/formats/utf8.h"
#include "pmtr/formats/word_reader.h"
#include "pmtr/weights/strided_copy.h"

namespace pmtr {
namespace {

using Kind = PickleValue::Kind;

/// One name can be used a million times: a bound on its length keeps the work linear.
constexpr std::size_t max_name = 4096;

std::optional<DType> dtype_of_storage(std::string_view module, std::string_view name) {
  constexpr std::array<std::pair<std::string_view, DType>, 10> types = {{{"HalfStorage", DType::f16},
                                                                         {"BFloat16Storage", DType::bf16},
                                                                         {"FloatStorage", DType::f32},
                                                                         {"DoubleStorage", DType::f64},
                                                                         {"CharStorage", DType::i8},
                                                                         {"ByteStorage", DType::u8},
                                                                         {"ShortStorage", DType::i16},
                                                                         {"IntStorage", DType::i32},
                                                                         {"LongStorage", DType::i64},
                                                                         {"BoolStorage", DType::boolean}}};
  if (module != "torch" && module != "torch.cuda") return std::nullopt;
  for (const auto& [type, dtype] : types) {
    if (name == type) return dtype;
  }
  return std::nullopt;
}

class StateDictReader {
 public:
  StateDictReader(const Pickle& pickle, const StorageReader& read_storage, std::uint64_t max_bytes,
                  const std::string& name)
      : pickle_(pickle), read_storage_(read_storage), bytes_left_(max_bytes), name_(name) {}

  Result<PickleRef> find_dict() const;
  Result<std::vector<NamedArray>> read_dict(PickleRef dict);

 private:
  Result<NamedArray> read_tensor(const std::string& key, const PickleValue& tensor);
  std::optional<std::vector<std::int64_t>> integers(PickleRef tuple) const;
  bool holds_tensor(PickleRef dict) const;
  /// A tensor of a kind we do not read: quantised, sparse, of a subclass.
  bool is_foreign_tensor(const PickleValue& value) const;
  /// Module and name; empty for what is no global. Views, because hostile names are long and used often.
  std::pair<std::string_view, std::string_view> global_parts(PickleRef ref) const;

  Error error(Cause cause, std::string message) const { return error_at(name_, cause, std::move(message)); }

  const Pickle& pickle_;
  const StorageReader& read_storage_;
  std::uint64_t bytes_left_;
  const std::string& name_;
};

std::pair<std::string_view, std::string_view> StateDictReader::global_parts(PickleRef ref) const {
  const PickleValue& global = pickle_[ref];
  if (global.kind != Kind::global) return {};
  return {pickle_[global.items[0]].text, pickle_[global.items[1]].text};
}

bool StateDictReader::holds_tensor(PickleRef dict) const {
  const auto& items = pickle_[dict].items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const PickleValue& value = pickle_[items[i + 1]];
    if (pickle_.is(items[i], Kind::text) && (value.kind == Kind::tensor || is_foreign_tensor(value)))
      return true;
  }
  return false;
}

Result<PickleRef> StateDictReader::find_dict() const {
  const PickleValue& root = pickle_[pickle_.root];
  if (root.kind == Kind::opaque) {
    const std::string maker = root.items.empty() ? "unknown class" : pickle_.global_name(root.items[0]);
    return error(Cause::unsupported,
                 fmt::format("holds an object ({}), not a state_dict; save model.state_dict() instead of the "
                             "model",
                             shortened(maker)));
  }
  if (root.kind != Kind::dict) return error(Cause::unsupported, "holds no dict, so no state_dict");
  if (const auto inner = pickle_.find(pickle_.root, "state_dict"); inner && pickle_.is(*inner, Kind::dict))
    return *inner;
  if (holds_tensor(pickle_.root)) return pickle_.root;
  std::string keys;
  for (std::size_t i = 0; i + 1 < root.items.size() && i < 16; i += 2) {
    if (pickle_.is(root.items[i], Kind::text))
      keys += (keys.empty() ? "" : ", ") + shortened(pickle_[root.items[i]].text);
  }
  return error(Cause::mismatch, fmt::format("holds neither tensors nor a state_dict; its keys are: {}",
                                            keys.empty() ? "none" : keys));
}

bool StateDictReader::is_foreign_tensor(const PickleValue& value) const {
  if (value.kind != Kind::opaque || value.items.empty()) return false;
  const auto [module, function] = global_parts(value.items[0]);
  return (module == "torch._utils" || module == "torch._tensor") && function.starts_with("_rebuild");
}

Result<std::vector<NamedArray>> StateDictReader::read_dict(PickleRef dict) {
  const auto& items = pickle_[dict].items;
  // As in Python: a repeated key keeps its first place and takes its last value.
  std::vector<std::pair<std::string_view, PickleRef>> entries;
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const PickleValue& key = pickle_[items[i]];
    if (key.kind != Kind::text) continue;
    if (key.text.size() > max_name) {
      return error(Cause::too_large,
                   fmt::format("a name has {} bytes, the limit is {}", key.text.size(), max_name));
    }
    const auto [place, is_new] = places.emplace(key.text, entries.size());
    if (is_new) {
      entries.emplace_back(key.text, items[i + 1]);
    } else {
      entries[place->second].second = items[i + 1];
    }
  }
  std::vector<NamedArray> arrays;
  for (const auto& [key, ref] : entries) {
    const PickleValue& value = pickle_[ref];
    if (is_foreign_tensor(value)) {
      return error(Cause::unsupported,
                   fmt::format("tensor '{}' is of a kind that is not read ({})", shortened(key),
                               shortened(pickle_.global_name(value.items[0]))));
    }
    if (value.kind != Kind::tensor) continue;
    // Names go into JSON headers and messages.
    if (!is_utf8(key)) return error(Cause::malformed, "the name of a tensor is not valid UTF-8");
    if (key.empty() || key == "__metadata__")
      return error(Cause::unsupported, fmt::format("a tensor cannot be named '{}'", key));
    PMTR_TRY(NamedArray array, read_tensor(std::string(key), value));
    arrays.push_back(std::move(array));
  }
  if (arrays.empty()) return error(Cause::empty, "the state_dict holds no tensors");
  return arrays;
}

std::optional<std::vector<std::int64_t>> StateDictReader::integers(PickleRef ref) const {
  const PickleValue& tuple = pickle_[ref];
  if (tuple.kind != Kind::tuple && tuple.kind != Kind::list) return std::nullopt;
  if (tuple.items.size() > max_array_rank) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const PickleRef item : tuple.items) {
    if (!pickle_.is(item, Kind::integer)) return std::nullopt;
    numbers.push_back(pickle_[item].integer);
  }
  return numbers;
}

Result<NamedArray> StateDictReader::read_tensor(const std::string& key, const PickleValue& tensor) {
  const auto fail = [&](Cause cause, std::string_view message) {
    return error(cause, fmt::format("tensor '{}' {}", shortened(key), message));
  };
  const PickleValue& storage = pickle_[tensor.items[0]];
  const PickleValue& offset = pickle_[tensor.items[1]];
  const auto shape = integers(tensor.items[2]);
  const auto strides = integers(tensor.items[3]);
  if (storage.kind != Kind::storage || offset.kind != Kind::integer || !shape || !strides ||
      shape->size() != strides->size() || !pickle_.is(storage.items[2], Kind::text) ||
      !pickle_.is(storage.items[4], Kind::integer))
    return fail(Cause::malformed, "is not described as a tensor should be");

  const auto [type_module, type_name] = global_parts(storage.items[1]);
  const auto dtype = dtype_of_storage(type_module, type_name);
  if (!dtype)
    return fail(Cause::unsupported, fmt::format("has the unsupported type {}", shortened(type_name)));
  const std::size_t element = dtype_size(*dtype);
  const auto byte_count = checked_byte_count(*shape, element);
  if (!byte_count) return fail(Cause::malformed, "has an impossible shape");

  const std::string_view storage_key = pickle_[storage.items[2]].text;
  if (storage_key.size() > max_name) return fail(Cause::too_large, "has a storage with an overlong name");
  PMTR_TRY(const std::span<const std::byte> bytes, read_storage_(std::string(storage_key)));
  const std::int64_t claimed = pickle_[storage.items[4]].integer;
  if (claimed < 0 || static_cast<std::uint64_t>(claimed) > bytes.size() / element) {
    return fail(Cause::truncated, fmt::format("has a storage of {} values, the file holds {} bytes of it",
                                              claimed, bytes.size()));
  }
  const StridedView view{*shape, *strides, offset.integer, element};
  if (!fits(view, static_cast<std::uint64_t>(claimed)))
    return fail(Cause::malformed, "reaches outside its storage");
  if (*byte_count > bytes_left_) {
    return fail(Cause::too_large,
                "repeats its storage so often that it would fill far more memory than the file does");
  }
  bytes_left_ -= *byte_count;
  return NamedArray{key, *dtype, *shape, copy_contiguous(view, bytes)};
}

}  // namespace

Result<std::vector<NamedArray>> read_state_dict(const Pickle& pickle, const StorageReader& read_storage,
                                                std::uint64_t max_bytes, const std::string& name) {
  StateDictReader reader(pickle, read_storage, max_bytes, name);
  PMTR_TRY(const PickleRef dict, reader.find_dict());
  return reader.read_dict(dict);
}

}  // namespace pmtr
