// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/each_fracture.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace pmtr {

Status for_each_fracture(
    const DatasetIndex& index, std::string_view stage, const char* stopped, Threads& threads,
    const Listener& listener,
    const std::function<Status(std::int64_t, const ObjectFiles&, const FractureFiles&)>& body) {
  std::vector<std::pair<const ObjectFiles*, const FractureFiles*>> all;
  for (const ObjectFiles& object : index.objects)
    for (const FractureFiles& fracture : object.fractures) all.emplace_back(&object, &fracture);
  const auto total = static_cast<std::int64_t>(all.size());
  std::vector<Status> statuses(all.size());
  std::mutex mutex;
  std::int64_t done = 0;
  std::atomic<bool> stop = false;
  threads.parallel_for(total, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end && !stop; ++i) {
      const auto& [object, fracture] = all[static_cast<std::size_t>(i)];
      Status& status = statuses[static_cast<std::size_t>(i)];
      status = body(i, *object, *fracture);
      const std::lock_guard lock(mutex);
      listener.advance(stage, ++done, total);
      if (!status.ok() || listener.stop()) stop = true;
    }
  });
  for (const Status& status : statuses) PMTR_TRY_STATUS(status);
  if (stop) return Error{Cause::cancelled, stopped, {}};
  return {};
}

}  // namespace pmtr
