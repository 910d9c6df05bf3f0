// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/refractured_source.h"

#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "pmtr/dataset/piece_count.h"
#include "pmtr/fracture/cells_file.h"

namespace pmtr {

Status RefractureSourceOptions::validate() const {
  if (min_pieces < 2 || max_pieces < min_pieces)
    return invalid_option(fmt::format("{} to {} pieces: at least 2, in order", min_pieces, max_pieces));
  if (kept < 1) return invalid_option("at least one object must be kept in memory");
  return refracture.validate();
}

Result<std::shared_ptr<RefracturedSource>> RefracturedSource::open(const std::filesystem::path& folder,
                                                                   const std::vector<std::string>& objects,
                                                                   const RefractureSourceOptions& options) {
  PMTR_TRY_STATUS(options.validate());
  const std::set<std::string> wanted(objects.begin(), objects.end());
  std::vector<File> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    if (entry.path().extension() != ".npz") continue;
    std::string object = entry.path().lexically_relative(folder).replace_extension().generic_string();
    if (wanted.empty() || wanted.contains(object)) files.push_back({std::move(object), entry.path()});
  }
  if (error) return error_at(folder, Cause::unreadable, error.message());
  if (files.empty()) return error_at(folder, Cause::empty, "no cells of these objects here");
  // Never the file system's order.
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.object < b.object; });
  return std::shared_ptr<RefracturedSource>(new RefracturedSource(std::move(files), options));
}

Result<std::shared_ptr<const RefracturedSource::Cells>> RefracturedSource::cells_of(std::size_t file) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(recent_.begin(), recent_.end(), [&](const auto& entry) { return entry.first == file; });
    if (found != recent_.end()) {
      recent_.splice(recent_.begin(), recent_, found);
      return recent_.front().second;
    }
  }
  // Two threads may read the same file: slower than waiting for each other, but only then.
  PMTR_TRY(CellsFile read, read_cells_file(files_[file].path));
  auto cells = std::make_shared<Cells>();
  cells->complex = std::move(read.complex);
  cells->graph = cell_graph(cells->complex);
  const std::lock_guard lock(mutex_);
  recent_.emplace_front(file, cells);
  if (recent_.size() > static_cast<std::size_t>(options_.kept)) recent_.pop_back();
  return std::shared_ptr<const Cells>(cells);
}

Result<std::shared_ptr<const BrokenObject>> RefracturedSource::draw(Random& random) const {
  const std::size_t file = random.below(files_.size());
  RefractureOptions options = options_.refracture;
  options.pieces = options_.by_logarithm
                       ? draw_piece_count(options_.min_pieces, options_.max_pieces, random)
                       : options_.min_pieces + static_cast<int>(random.below(static_cast<std::uint64_t>(
                                                   options_.max_pieces - options_.min_pieces + 1)));
  options.seed = random.bits();
  PMTR_TRY(const std::shared_ptr<const Cells> cells, cells_of(file));
  Result<std::vector<std::int32_t>> labels = refracture(cells->graph, options);
  // Few large cells: fewer pieces are possible than were drawn.
  while (!labels.ok() && options.pieces > 2) {
    options.pieces -= std::max(1, options.pieces / 8);
    labels = refracture(cells->graph, options);
  }
  if (!labels.ok()) {
    Error failure = labels.error();
    failure.place.file = files_[file].path.string();
    return failure;
  }
  auto broken = std::make_shared<BrokenObject>(make_broken_object(pieces_of_labels(cells->complex, *labels)));
  broken->object = files_[file].object;
  broken->fracture = fmt::format("refractured_{:016x}", options.seed);
  const std::size_t end = broken->object.find_last_of('/');
  const std::size_t begin = end == std::string::npos ? end : broken->object.find_last_of('/', end - 1);
  if (end != std::string::npos)
    broken->category = broken->object.substr(begin == std::string::npos ? 0 : begin + 1,
                                             end - (begin == std::string::npos ? 0 : begin + 1));
  for (std::size_t i = 0; i < broken->pieces.size(); ++i) broken->piece_names[i] = fmt::format("piece_{}", i);
  return std::shared_ptr<const BrokenObject>(std::move(broken));
}

}  // namespace pmtr
