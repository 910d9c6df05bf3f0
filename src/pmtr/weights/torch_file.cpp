// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/torch_file.h"

#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/zip_reader.h"
#include "pmtr/weights/pickle.h"
#include "pmtr/weights/state_dict.h"

namespace pmtr {
namespace {

/// Tensors may share storages (tied weights, views), but not so that a small file fills the memory.
constexpr std::uint64_t sharing_factor = 8;
constexpr std::uint64_t sharing_allowance = std::uint64_t{16} << 20U;

/// torch.save puts everything into one folder, named after the file.
Result<std::string> find_folder(const ZipReader& zip, const std::string& name) {
  constexpr std::string_view pickle_name = "data.pkl";
  for (const ZipEntry& entry : zip.entries()) {
    const std::size_t slash = entry.name.find('/');
    const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
    if (std::string_view(entry.name).substr(start) != pickle_name) continue;
    std::string folder = entry.name.substr(0, start);
    if (zip.find(folder + "constants.pkl") != nullptr) {
      return error_at(name, Cause::unsupported,
                      "is a TorchScript program; save the state_dict of the model instead");
    }
    return folder;
  }
  return error_at(name, Cause::unknown_format,
                  "is a zip file, but not one of torch.save: it has no data.pkl");
}

Status check_byte_order(const ZipReader& zip, const std::string& folder, const std::string& name) {
  const ZipEntry* entry = zip.find(folder + "byteorder");
  if (entry == nullptr) return {};  // before PyTorch 2.1: machines that were not little were not supported
  PMTR_TRY(const auto content, zip.read(*entry));
  if (as_text(content) == "little") return {};
  return error_at(name, Cause::unsupported, "was written on a big-endian machine");
}

}  // namespace

Result<WeightFile> parse_torch_file(std::span<const std::byte> bytes, const std::string& name,
                                    const TorchFileOptions& options) {
  PMTR_TRY(const ZipReader zip, ZipReader::open(bytes, name, options.check_crc));
  PMTR_TRY(const std::string folder, find_folder(zip, name));
  PMTR_TRY_STATUS(check_byte_order(zip, folder, name));
  PMTR_TRY(const auto pickle_bytes, zip.read(*zip.find(folder + "data.pkl")));
  PMTR_TRY(const Pickle pickle, parse_pickle(pickle_bytes, name + ":" + folder + "data.pkl"));

  std::unordered_map<std::string, std::span<const std::byte>> storages;  // so that each is checked once
  const StorageReader read_storage = [&](const std::string& key) -> Result<std::span<const std::byte>> {
    if (const auto found = storages.find(key); found != storages.end()) return found->second;
    const ZipEntry* entry = zip.find(folder + "data/" + key);
    if (entry == nullptr)
      return error_at(name, Cause::truncated, fmt::format("the data of storage '{}' is missing", key));
    PMTR_TRY(const auto content, zip.read(*entry));
    storages.emplace(key, content);
    return content;
  };
  WeightFile weights;
  const std::uint64_t max_bytes = sharing_factor * std::uint64_t{bytes.size()} + sharing_allowance;
  PMTR_TRY(weights.arrays, read_state_dict(pickle, read_storage, max_bytes, name));
  return weights;
}

}  // namespace pmtr
