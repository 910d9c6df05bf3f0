// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

namespace pmtr {

/// A fragment is the source of some pairs and the target of others; some weights differ between the two.
enum class Role { source, target };

/// Something there is one of per role.
template <class T>
struct PerRole {
  T source;
  T target;
  const T& operator[](Role role) const { return role == Role::source ? source : target; }
};

}  // namespace pmtr
