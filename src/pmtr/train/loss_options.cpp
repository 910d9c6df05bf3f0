// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/loss_options.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace pmtr {

LossOptions LossOptions::reference() {
  LossOptions options;
  options.matching_from = 0;
  options.coarse = options.fine = 1.0;
  options.contrast = false;
  options.orthonormal = options.zero = 10.0;
  options.fracture = 0.0;
  return options;
}

Status LossOptions::validate() const {
  const auto wrong = [](std::string message) { return Error{Cause::invalid_option, std::move(message), {}}; };
  if (matching_from < 0)
    return wrong(fmt::format("matching_from is {}: must not be negative", matching_from));
  for (const auto& [name, weight] :
       {std::pair("coarse", coarse), std::pair("fine", fine), std::pair("points", points),
        std::pair("orthonormal", orthonormal), std::pair("zero", zero), std::pair("fracture", fracture)}) {
    if (!(weight >= 0.0 && std::isfinite(weight)))
      return wrong(fmt::format("the weight {} is {}: must not be negative", name, weight));
  }
  if (!(fracture_positive > 0.0 && std::isfinite(fracture_positive)))
    return wrong(fmt::format("fracture_positive is {}: must be above 0", fracture_positive));
  if (!(fine_radius > 0.0 && std::isfinite(fine_radius)))
    return wrong(fmt::format("fine_radius is {}: must be above 0", fine_radius));
  if (!(circle.log_scale > 0.0 && 4.0 * circle.log_scale < 700.0))
    return wrong(fmt::format("log_scale of the circle loss is {}: must be 0 to 175", circle.log_scale));
  if (transport.iterations < 1 || !(transport.tolerance >= 0.0))
    return wrong(fmt::format("transport_iterations is {}: must be at least 1", transport.iterations));
  return {};
}

LossOptions losses_at(const LossOptions& options, std::int64_t step) {
  LossOptions losses = options;
  if (step < options.matching_from) losses.coarse = losses.fine = losses.points = 0.0;
  return losses;
}

}  // namespace pmtr
