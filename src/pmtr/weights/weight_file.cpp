// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/weight_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstring>
#include <string_view>

#include "pmtr/core/check.h"
#include "pmtr/core/file.h"
#include "pmtr/formats/array_shape.h"
#include "pmtr/weights/safetensors.h"
#include "pmtr/weights/torch_file.h"

namespace pmtr {
namespace {

static_assert(std::endian::native == std::endian::little, "array bytes are taken from files as they are");

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t exponent = (half >> 10U) & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact in float
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1FU ? 0xFFU : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide << 23U) | (fraction << 13U));
}

float bfloat_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

template <class Stored, class Convert>
std::vector<float> convert_all(const std::vector<std::byte>& data, Convert convert) {
  std::vector<float> values(data.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, data.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = convert(stored);
  }
  return values;
}

template <class Stored>
std::vector<float> cast_all(const std::vector<std::byte>& data) {
  return convert_all<Stored>(data, [](Stored value) { return static_cast<float>(value); });
}

bool starts_with_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char expected, char actual) {
           return expected == std::tolower(static_cast<unsigned char>(actual));
         });
}

/// What people most often have in their hands instead of weights, each with the way out.
Error explain_unknown(std::string_view text, const std::string& name) {
  const auto error = [&](Cause cause, std::string message) {
    return Error{cause, std::move(message), {name, 0, {}}};
  };
  if (text.empty()) return error(Cause::empty, "the file is empty");
  // torch.save before 1.6 begins with the pickle of the number 0x1950a86a20f9469cfc6c.
  constexpr std::string_view legacy_torch("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  if (text.starts_with(legacy_torch)) {
    return error(
        Cause::unsupported,
        "is in the old PyTorch format (before 1.6, not a zip file); load it with PyTorch and save it "
        "again with torch.save");
  }
  if (text.size() >= 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5)
    return error(Cause::unsupported, "is a bare Python pickle; save the state_dict with torch.save");
  if (text.starts_with("version https://git-lfs.github.com/spec/")) {
    return error(Cause::unknown_format,
                 "is a Git LFS pointer, not the weights themselves; fetch them with git lfs pull");
  }
  const std::string_view page = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (starts_with_ignoring_case(page, "<!doctype") || starts_with_ignoring_case(page, "<html"))
    return error(Cause::unknown_format, "is a web page, not weights; the download went wrong");
  return error(Cause::unknown_format, "is neither a safetensors file nor a PyTorch zip file");
}

}  // namespace

std::size_t dtype_size(DType dtype) {
  switch (dtype) {
    case DType::i8:
    case DType::u8:
    case DType::boolean:
      return 1;
    case DType::f16:
    case DType::bf16:
    case DType::i16:
      return 2;
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::f64:
    case DType::i64:
      return 8;
  }
  PMTR_CHECK(false, "unknown dtype");
}

const char* dtype_name(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return "F16";
    case DType::bf16:
      return "BF16";
    case DType::f32:
      return "F32";
    case DType::f64:
      return "F64";
    case DType::i8:
      return "I8";
    case DType::u8:
      return "U8";
    case DType::i16:
      return "I16";
    case DType::i32:
      return "I32";
    case DType::i64:
      return "I64";
    case DType::boolean:
      return "BOOL";
  }
  PMTR_CHECK(false, "unknown dtype");
}

std::int64_t NamedArray::numel() const {
  const auto count = checked_byte_count(shape, 1);
  PMTR_CHECK(count.has_value(), "array " + name + " has an impossible shape");
  return static_cast<std::int64_t>(*count);
}

std::vector<float> NamedArray::to_float() const {
  PMTR_CHECK(data.size() == static_cast<std::size_t>(numel()) * dtype_size(dtype),
             "array " + name + " does not hold what its shape says");
  switch (dtype) {
    case DType::f16:
      return convert_all<std::uint16_t>(data, half_to_float);
    case DType::bf16:
      return convert_all<std::uint16_t>(data, bfloat_to_float);
    case DType::f32:
      return cast_all<float>(data);
    case DType::f64:
      return cast_all<double>(data);
    case DType::i8:
      return cast_all<std::int8_t>(data);
    case DType::u8:
      return cast_all<std::uint8_t>(data);
    case DType::i16:
      return cast_all<std::int16_t>(data);
    case DType::i32:
      return cast_all<std::int32_t>(data);
    case DType::i64:
      return cast_all<std::int64_t>(data);
    case DType::boolean:
      return convert_all<std::uint8_t>(data, [](std::uint8_t value) { return value != 0 ? 1.0F : 0.0F; });
  }
  PMTR_CHECK(false, "unknown dtype");
}

const NamedArray* WeightFile::find(const std::string& name) const {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& array) { return array.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

std::string strip_common_prefix(WeightFile& weights) {
  constexpr std::array<std::string_view, 3> wrappers = {"module.", "model.", "_orig_mod."};
  std::string removed;
  const auto shared_by_all = [&](std::string_view prefix) {
    return !weights.arrays.empty() &&
           std::all_of(weights.arrays.begin(), weights.arrays.end(), [&](const NamedArray& array) {
             return array.name.size() > prefix.size() && array.name.starts_with(prefix);
           });
  };
  for (auto wrapper = wrappers.begin(); wrapper != wrappers.end();) {
    if (!shared_by_all(*wrapper)) {
      ++wrapper;
      continue;
    }
    for (NamedArray& array : weights.arrays) array.name.erase(0, wrapper->size());
    removed += *wrapper;
    wrapper = wrappers.begin();
  }
  return removed;
}

Result<WeightFile> read_weights(const std::filesystem::path& path) {
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(path));
  const std::string_view text = as_text(bytes);
  if (text.starts_with("PK")) return parse_torch_file(bytes, path.string());
  // A safetensors file has no magic number, but its header must begin with a brace, right after its length.
  if (text.size() > 8 && text[8] == '{') return parse_safetensors(bytes, path.string());
  return explain_unknown(text, path.string());
}

}  // namespace pmtr
