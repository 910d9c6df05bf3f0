// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/glb/glb_accessors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "pmtr/mesh/io/glb/data_uri.h"

namespace pmtr::glb {
namespace {

enum ComponentType { i8 = 5120, u8 = 5121, i16 = 5122, u16 = 5123, u32 = 5125, f32 = 5126 };

std::size_t component_size(std::uint64_t type) {
  switch (type) {
    case i8:
    case u8:
      return 1;
    case i16:
    case u16:
      return 2;
    case u32:
    case f32:
      return 4;
    default:
      return 0;
  }
}

std::size_t component_count(std::string_view type) {
  if (type == "SCALAR") return 1;
  if (type == "VEC2") return 2;
  if (type == "VEC3") return 3;
  if (type == "VEC4") return 4;
  return 0;
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
float as_float(const std::byte* from, bool normalised) {
  const auto value = static_cast<float>(load<T>(from));
  if (!normalised) return value;
  return std::max(value / static_cast<float>(std::numeric_limits<T>::max()), -1.0F);
}

float float_at(const std::byte* from, int type, bool normalised) {
  switch (type) {
    case i8:
      return as_float<std::int8_t>(from, normalised);
    case u8:
      return as_float<std::uint8_t>(from, normalised);
    case i16:
      return as_float<std::int16_t>(from, normalised);
    case u16:
      return as_float<std::uint16_t>(from, normalised);
    case u32:
      return as_float<std::uint32_t>(from, normalised);
    default:
      return load<float>(from);
  }
}

std::uint32_t index_value(const std::byte* from, std::uint64_t type) {
  if (type == u8) return load<std::uint8_t>(from);
  if (type == u16) return load<std::uint16_t>(from);
  return load<std::uint32_t>(from);
}

bool is_index_type(std::uint64_t type) { return type == u8 || type == u16 || type == u32; }

}  // namespace

Result<std::span<const std::byte>> Accessors::buffer(std::uint64_t index) {
  const std::string where = fmt::format("buffer {}", index);
  const Json* buffer = entry(document_, "buffers", index);
  if (buffer == nullptr) return malformed(where + " does not exist");
  PMTR_TRY(const std::uint64_t length, index_at(*buffer, "byteLength", 0, where));
  std::span<const std::byte> bytes;
  if (find(*buffer, "uri") == nullptr) {
    if (index != 0 || !binary_) return malformed(where + " has no data");
    bytes = *binary_;
  } else {
    auto decoded = decoded_.find(index);
    if (decoded == decoded_.end()) {
      const std::string_view uri = text_at(*buffer, "uri");
      if (!uri.starts_with("data:")) {
        return Error{
            Cause::unsupported, where + " is in another file: only self-contained GLB files are read", {}};
      }
      auto data = decode_data_uri(uri);
      if (!data) return malformed(where + " has a data URI that cannot be decoded");
      decoded = decoded_.emplace(index, std::move(data->bytes)).first;
    }
    bytes = decoded->second;
  }
  if (length > bytes.size()) {
    return Error{
        Cause::truncated, fmt::format("{} should have {} bytes, has {}", where, length, bytes.size()), {}};
  }
  return bytes.first(static_cast<std::size_t>(length));
}

Result<std::span<const std::byte>> Accessors::view(std::uint64_t index) {
  const std::string where = fmt::format("bufferView {}", index);
  const Json* view = entry(document_, "bufferViews", index);
  if (view == nullptr) return malformed(where + " does not exist");
  PMTR_TRY(const std::uint64_t from, index_at(*view, "buffer", std::uint64_t{1} << 63, where));
  PMTR_TRY(const auto bytes, buffer(from));
  PMTR_TRY(const std::uint64_t offset, index_at(*view, "byteOffset", 0, where));
  PMTR_TRY(const std::uint64_t length, index_at(*view, "byteLength", 0, where));
  if (offset > bytes.size() || length > bytes.size() - offset) {
    return malformed(fmt::format("{} reaches beyond its buffer of {} bytes", where, bytes.size()));
  }
  return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
}

/// The bytes of `count` elements in the view that `holder` (an accessor or a part of a sparse one) names. A
/// stride of null means that the elements are packed whatever the view says.
Result<std::span<const std::byte>> Accessors::elements(const Json& holder, std::uint64_t count,
                                                       std::size_t element_size, std::size_t* stride,
                                                       const std::string& where) {
  PMTR_TRY(const std::uint64_t index, index_at(holder, "bufferView", std::uint64_t{1} << 63, where));
  PMTR_TRY(const auto bytes, view(index));
  PMTR_TRY(const std::uint64_t offset, index_at(holder, "byteOffset", 0, where));
  std::uint64_t step = element_size;
  if (stride != nullptr) {
    const Json& holding_view = *entry(document_, "bufferViews", index);
    PMTR_TRY(step, index_at(holding_view, "byteStride", element_size, where));
    if (step < element_size || step > 255) return malformed(where + ": byteStride does not fit the elements");
    *stride = static_cast<std::size_t>(step);
  }
  const bool fits = bytes.size() >= element_size && offset <= bytes.size() - element_size &&
                    (count == 0 || count - 1 <= (bytes.size() - element_size - offset) / step);
  if (!fits)
    return malformed(fmt::format("{}: {} elements do not fit into bufferView {}", where, count, index));
  return bytes.subspan(static_cast<std::size_t>(offset));
}

Result<Accessors::Layout> Accessors::layout(std::uint64_t index) {
  Layout layout;
  layout.where = fmt::format("accessor {}", index);
  const Json* accessor = entry(document_, "accessors", index);
  if (accessor == nullptr) return malformed(layout.where + " does not exist");
  PMTR_TRY(layout.count, index_at(*accessor, "count", 0, layout.where));
  PMTR_TRY(const std::uint64_t type, index_at(*accessor, "componentType", 0, layout.where));
  layout.components = component_count(text_at(*accessor, "type"));
  const std::size_t size = component_size(type) * layout.components;
  if (size == 0) return malformed(layout.where + " has a type that is not known");
  layout.component_type = static_cast<int>(type);
  const Json* normalised = find(*accessor, "normalized");
  layout.normalised = normalised != nullptr && normalised->is_boolean() && normalised->get<bool>();
  layout.sparse = find(*accessor, "sparse");
  if (find(*accessor, "bufferView") != nullptr) {
    PMTR_TRY(layout.bytes, elements(*accessor, layout.count, size, &layout.stride, layout.where));
  } else if (layout.count > most_elements_) {
    return Error{
        Cause::too_large, fmt::format("{} claims {} elements without data", layout.where, layout.count), {}};
  }
  return layout;
}

/// Calls convert(bytes of one component) for each component, then once more for those a sparse accessor
/// replaces.
template <class T, class Convert>
Result<std::vector<T>> Accessors::read(const Layout& layout, const Convert& convert) {
  const std::size_t size = component_size(static_cast<std::uint64_t>(layout.component_type));
  std::vector<T> values(static_cast<std::size_t>(layout.count) * layout.components);
  const auto fill = [&](std::uint64_t element, const std::byte* from) {
    for (std::size_t c = 0; c < layout.components; ++c) {
      values[static_cast<std::size_t>(element) * layout.components + c] = convert(from + c * size);
    }
  };
  if (!layout.bytes.empty()) {
    for (std::uint64_t i = 0; i < layout.count; ++i) fill(i, layout.bytes.data() + i * layout.stride);
  }
  if (layout.sparse == nullptr) return values;

  const std::string where = layout.where + " (sparse)";
  const Json* indices = find(*layout.sparse, "indices");
  const Json* replaced = find(*layout.sparse, "values");
  if (indices == nullptr || replaced == nullptr) return malformed(where + " has no indices or no values");
  PMTR_TRY(const std::uint64_t count, index_at(*layout.sparse, "count", 0, where));
  PMTR_TRY(const std::uint64_t type, index_at(*indices, "componentType", 0, where));
  if (!is_index_type(type)) return malformed(where + " has indices that are not unsigned integers");
  if (count > layout.count) return malformed(where + " replaces more elements than there are");
  PMTR_TRY(const auto places, elements(*indices, count, component_size(type), nullptr, where));
  PMTR_TRY(const auto with, elements(*replaced, count, size * layout.components, nullptr, where));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t place = index_value(places.data() + i * component_size(type), type);
    if (place >= layout.count) return malformed(fmt::format("{}: index {} is out of range", where, place));
    fill(place, with.data() + i * size * layout.components);
  }
  return values;
}

Result<std::uint64_t> Accessors::count(std::uint64_t accessor) {
  PMTR_TRY(const Layout where, layout(accessor));
  return where.count;
}

Result<Numbers> Accessors::numbers(std::uint64_t accessor, std::size_t least, std::size_t most) {
  PMTR_TRY(const Layout from, layout(accessor));
  if (from.components < least || from.components > most) {
    return malformed(fmt::format("{} has {} components, {} are needed", from.where, from.components, least));
  }
  Numbers numbers;
  numbers.count = from.count;
  numbers.components = from.components;
  PMTR_TRY(numbers.values, read<float>(from, [&](const std::byte* bytes) {
             return float_at(bytes, from.component_type, from.normalised);
           }));
  return numbers;
}

Result<std::vector<std::uint32_t>> Accessors::indices(std::uint64_t accessor) {
  PMTR_TRY(const Layout from, layout(accessor));
  const auto type = static_cast<std::uint64_t>(from.component_type);
  if (from.components != 1 || !is_index_type(type)) {
    return malformed(from.where + " is used for indices but does not hold unsigned integers");
  }
  return read<std::uint32_t>(from, [&](const std::byte* bytes) { return index_value(bytes, type); });
}

}  // namespace pmtr::glb
