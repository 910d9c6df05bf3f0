// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/project/kept_work.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/core/stable_hash.h"
#include "pmtr/project/kept_fields.h"
#include "pmtr/project/kept_file.h"
#include "pmtr/project/kept_fragment.h"
#include "pmtr/project/kept_pairs.h"

namespace pmtr {

template <class Visit>
void visit_fields(Visit& visit, const PointPairOptions& pairs) {
  visit(pairs.seeds);
  visit(pairs.draws);
  visit(pairs.hits_per_draw);
  visit(pairs.min_distance);
  visit(pairs.distance_step);
  visit(pairs.angle_step);
}

template <class Visit>
void visit_fields(Visit& visit, const PoseSearchOptions& options) {
  visit(options.border_hypotheses);
  visit(options.point_pairs);
  visit(options.quick_points);
  visit(options.rated);
  visit(options.refined);
  visit(options.verified);
  visit(options.kept);
  visit(options.penetration_weight);
  visit(options.seed);
}

namespace {

// A new member would be forgotten in the key.
static_assert(sizeof(PointPairOptions) == 4 * sizeof(int) + 3 * sizeof(double));
static_assert(sizeof(PoseSearchOptions) == sizeof(PointPairOptions) + 8 * sizeof(int) + 2 * sizeof(double));

/// Before each record: its length.
constexpr std::size_t length_bytes = sizeof(std::uint64_t);

std::uint64_t key_of(const std::string& maker, std::uint64_t a, std::uint64_t b,
                     std::span<const Rigid3> hints, const PoseSearchOptions& options) {
  kept::Put put;
  put(a);
  put(b);
  put(std::vector<Rigid3>(hints.begin(), hints.end()));
  put(options);
  const std::vector<std::byte> bytes = put.take();
  StableHash hash;
  hash.add(as_bytes(maker));
  hash.add(bytes);
  return hash.value();
}

}  // namespace

KeptWork::KeptWork(std::filesystem::path folder, std::string maker)
    : folder_(std::move(folder)), maker_(fmt::format("{} {}", kept_version, std::move(maker))) {}

KeptWork::~KeptWork() {
  if (file_ >= 0) ::close(file_);
}

Result<std::unique_ptr<KeptWork>> KeptWork::open(const std::filesystem::path& folder, std::string maker) {
  std::error_code error;
  std::filesystem::create_directories(folder / "fragments", error);
  if (error) return error_at(folder, Cause::unwritable, "cannot create the folder: " + error.message());
  std::unique_ptr<KeptWork> work(new KeptWork(folder, std::move(maker)));
  PMTR_TRY_STATUS(work->take_file());
  return work;
}

Status KeptWork::take_file() {
  const std::filesystem::path path = folder_ / "searches";
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) return error_at(path, Cause::unwritable, std::strerror(errno));
  // Another one that was just killed may take a moment to end.
  bool taken = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  for (int i = 0; i < 30 && !taken; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    taken = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  }
  if (!taken) return error_at(folder_, Cause::mismatch, "another assembly keeps its work there now");
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(path));
  read_searches(bytes);
  // What a kill has left of a record: nothing behind it would be found.
  if (good_bytes_ < bytes.size() && ::ftruncate(file_, static_cast<off_t>(good_bytes_)) != 0)
    return error_at(path, Cause::unwritable, std::strerror(errno));
  return {};
}

void KeptWork::read_searches(std::span<const std::byte> bytes) {
  while (true) {
    ByteReader in(bytes.subspan(good_bytes_));
    const auto length = in.get<std::uint64_t>();
    if (!in.good() || !in.fits(length, 1)) return;
    const auto record = bytes.subspan(good_bytes_ + length_bytes, static_cast<std::size_t>(length));
    auto search = parse_search(record, "searches");
    if (!search.ok()) return;
    searches_[search->key] = std::move(search->poses);
    good_bytes_ += length_bytes + record.size();
  }
}

std::filesystem::path KeptWork::fragment_file(const FragmentClouds& clouds) const {
  StableHash hash;
  hash.add(as_bytes(maker_));
  hash.add(format_fragment({clouds, {}}));
  return folder_ / "fragments" / fmt::format("{:016x}.fragment", hash.value());
}

std::optional<FragmentFeatures> KeptWork::find_features(const FragmentClouds& clouds) {
  const std::filesystem::path file = fragment_file(clouds);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  const auto bytes = read_file(file);
  if (!bytes.ok()) return std::nullopt;
  auto fragment = parse_fragment(*bytes, file.string());
  if (!fragment.ok()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  ++counts_.fragments_found;
  return std::move(fragment->features);
}

void KeptWork::keep_features(const FragmentClouds& clouds, const FragmentFeatures& features) {
  const Status written = write_file(fragment_file(clouds), format_fragment({clouds, features}));
  const std::lock_guard lock(mutex_);
  ++counts_.fragments_made;
  if (!written.ok() && trouble_.empty()) trouble_ = written.error().text();
}

std::vector<PoseCandidate> KeptWork::find(std::uint64_t a, std::uint64_t b, std::span<const Rigid3> hints,
                                          const PoseSearchOptions& options, const Search& search) {
  const std::uint64_t key = key_of(maker_, a, b, hints, options);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = searches_.find(key); known != searches_.end()) {
      ++counts_.searches_found;
      return known->second;
    }
  }
  KeptSearch found{key, search()};
  const std::vector<std::byte> record = format_search(found);
  const std::lock_guard lock(mutex_);
  ++counts_.searches_made;
  append(record);
  searches_[key] = found.poses;
  return std::move(found.poses);
}

void KeptWork::append(std::span<const std::byte> record) {
  if (!trouble_.empty()) return;
  ByteWriter out;
  out.put(static_cast<std::uint64_t>(record.size()));
  std::vector<std::byte> bytes = out.take();
  bytes.insert(bytes.end(), record.begin(), record.end());
  // Not flushed to the disk each time: a kill loses nothing, and what a power cut leaves the checksums tell.
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::write(file_, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      trouble_ = fmt::format("{}: {}", (folder_ / "searches").string(), std::strerror(errno));
      return;
    }
    done += static_cast<std::size_t>(put);
  }
  good_bytes_ += bytes.size();
}

KeptWork::Counts KeptWork::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::string KeptWork::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

}  // namespace pmtr
