// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/averaging/connection_laplacian.h"
#include "pmtr/averaging/stiefel.h"

namespace pmtr {

struct TrustRegionOptions {
  /// Stops where the gradient per node, over the mean degree, is below this.
  double gradient_tolerance = 1e-10;
  int max_steps = 300;         ///< Newton steps
  int max_inner_steps = 1000;  ///< conjugate gradients within one of them
};

struct TrustRegionResult {
  Lifted y;
  double cost = 0.0;
  double gradient = 0.0;  ///< in the units of the tolerance
  int steps = 0;
};

/// A local minimum by truncated Newton steps on the manifold: conjugate gradients preconditioned with a
/// sparse Cholesky factor of the Laplacian, kept within a region where the quadratic model can be trusted.
TrustRegionResult minimise_on_manifold(const ConnectionLaplacian& laplacian, const Lifted& start,
                                       const TrustRegionOptions& options);

}  // namespace pmtr
