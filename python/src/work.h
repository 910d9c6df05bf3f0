// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include <pybind11/pybind11.h>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"

namespace pmtr::python {

namespace py = pybind11;

/// Bad input as Python says it: ValueError for an option out of range, pmtr.InputError for the rest.
[[noreturn]] void raise(const Error& error);

template <class T>
T value_or_raise(Result<T> result) {
  if (!result.ok()) raise(result.error());
  return *std::move(result);
}
inline void raise_unless_ok(const Status& status) {
  if (!status.ok()) raise(status.error());
}

/// A piece of work for Python: it goes on without the interpreter lock, says how far it is by a callback
/// (stage, done, total), warns by Python's warnings, and stops where the callback raises or a signal's
/// handler does, which is what Ctrl-C comes to. Lives in the call that does the work.
class Work {
 public:
  explicit Work(py::object callback);
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  const Listener& listener() const { return listener_; }

  /// Raises what Python raised meanwhile.
  void finish();

  /// Calls `body`, which returns a Result or a Status; its error is raised.
  template <class Body>
  auto run(const Body& body) {
    auto result = [&] {
      const py::gil_scoped_release released;
      return body();
    }();
    finish();
    if constexpr (std::is_same_v<decltype(result), Status>) {
      raise_unless_ok(result);
    } else {
      return value_or_raise(std::move(result));
    }
  }

 private:
  void keep(std::exception_ptr exception);
  bool interrupted();

  py::object callback_;
  Listener listener_;
  std::thread::id caller_;
  std::chrono::steady_clock::time_point looked_;  ///< at the signals; only the caller does
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::exception_ptr exception_;  ///< the first that Python raised
};

/// A PMTR_CHECK that failed: raised as pmtr.InternalError, where a program would end.
class InternalError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What both modules do when they are loaded.
void prepare_module();

}  // namespace pmtr::python
