// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/check.h"
#include "pmtr/formats/zip_reader.h"
#include "pmtr/formats/zip_writer.h"

/// The directory of a zip file without checksums. What can be read and safely be named can be written again,
/// and is then read as the same, checksums and all.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto zip = pmtr::ZipReader::open(std::as_bytes(std::span(data, size)), "fuzz", false);
  if (!zip.ok()) return 0;
  std::vector<std::byte> written;
  pmtr::ZipWriter writer([&](std::span<const std::byte> bytes) {
    written.insert(written.end(), bytes.begin(), bytes.end());
    return true;
  });
  std::size_t added = 0;
  std::size_t room = std::size_t{1} << 20U;  // entries may share their bytes
  for (const pmtr::ZipEntry& entry : zip->entries()) {
    PMTR_CHECK(zip->find(entry.name) == &entry, "an entry is not found by its name");
    const auto content = zip->read(entry);
    if (!content.ok() || content->size() > room || !pmtr::is_safe_entry_name(entry.name)) continue;
    PMTR_CHECK(content->size() == entry.size, "an entry of another size");
    room -= content->size();
    const pmtr::Status status = writer.add(entry.name, *content);
    PMTR_CHECK(status.ok(), status.error().text());
    ++added;
  }
  PMTR_CHECK(writer.finish().ok(), "not finished");
  const auto again = pmtr::ZipReader::open(written, "again");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(again->entries().size() == added, "entries were lost");
  for (const pmtr::ZipEntry& entry : again->entries()) PMTR_CHECK(again->read(entry).ok(), entry.name);
  return 0;
}
