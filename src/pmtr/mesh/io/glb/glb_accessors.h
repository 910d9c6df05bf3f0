// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/mesh/io/glb/glb_json.h"

namespace pmtr::glb {

/// The numbers of an accessor, converted; `components` per element.
struct Numbers {
  std::uint64_t count = 0;
  std::size_t components = 0;
  std::vector<float> values;
};

/// Reads accessors and buffer views. Every count and offset is checked against the bytes before anything is
/// allocated; errors name the accessor.
class Accessors {
 public:
  /// `most_elements` bounds accessors without data of their own (they stand for zeros).
  Accessors(const Json& document, std::optional<std::span<const std::byte>> binary,
            std::uint64_t most_elements)
      : document_(document), binary_(binary), most_elements_(most_elements) {}

  /// The element count an accessor claims, already checked against its bytes.
  Result<std::uint64_t> count(std::uint64_t accessor);

  /// As floats; normalised integers become 0 to 1 or -1 to 1. The type must be a vector of `least` to `most`
  /// components.
  Result<Numbers> numbers(std::uint64_t accessor, std::size_t least, std::size_t most);

  /// As indices: unsigned integers.
  Result<std::vector<std::uint32_t>> indices(std::uint64_t accessor);

  Result<std::span<const std::byte>> view(std::uint64_t view);

 private:
  /// Where the elements of an accessor lie.
  struct Layout {
    std::string where;
    std::span<const std::byte> bytes;  ///< from the first element on; empty if they are all zero
    std::uint64_t count = 0;
    std::size_t stride = 0;
    std::size_t components = 0;
    int component_type = 0;
    bool normalised = false;
    const Json* sparse = nullptr;
  };

  Result<Layout> layout(std::uint64_t accessor);
  Result<std::span<const std::byte>> elements(const Json& holder, std::uint64_t count,
                                              std::size_t element_size, std::size_t* stride,
                                              const std::string& where);
  Result<std::span<const std::byte>> buffer(std::uint64_t buffer);
  template <class T, class Convert>
  Result<std::vector<T>> read(const Layout& layout, const Convert& convert);

  const Json& document_;
  std::optional<std::span<const std::byte>> binary_;
  std::uint64_t most_elements_;
  std::map<std::uint64_t, std::vector<std::byte>> decoded_;  ///< buffers that were data: URIs
};

}  // namespace pmtr::glb
