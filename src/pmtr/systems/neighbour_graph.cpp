// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/neighbour_graph.h"

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/systems/attention.h"

namespace pmtr {

torch::Tensor nearest_in_part(const torch::Tensor& features, std::int64_t count, Threads& threads) {
  PMTR_CHECK(features.dim() == 3 && features.size(1) >= count, "a part has as many points as neighbours");
  const std::int64_t parts = features.size(0);
  const std::int64_t points = features.size(1);
  const torch::Tensor values = features.detach();
  std::vector<torch::Tensor> tables(static_cast<std::size_t>(parts));
  run_tasks(threads, parts, [&](std::int64_t part) {
    const torch::NoGradGuard no_grad;
    const torch::Tensor own = values.select(0, part);
    const torch::Tensor lengths = own.square().sum(1);
    const torch::Tensor distances = lengths.unsqueeze(0) - 2 * product_of_rows(own, own);
    tables[static_cast<std::size_t>(part)] =
        std::get<1>(distances.topk(count, 1, /*largest=*/false)).reshape({-1}) + part * points;
  });
  return torch::cat(tables, 0);
}

}  // namespace pmtr
