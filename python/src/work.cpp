// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "work.h"

#include <string>

#include <pybind11/stl.h>

#include "pmtr/core/check_handler.h"

namespace pmtr::python {
namespace {

const char* cause_word(Cause cause) {
  switch (cause) {
    case Cause::unreadable:
      return "unreadable";
    case Cause::unwritable:
      return "unwritable";
    case Cause::unknown_format:
      return "unknown_format";
    case Cause::truncated:
      return "truncated";
    case Cause::malformed:
      return "malformed";
    case Cause::too_large:
      return "too_large";
    case Cause::not_finite:
      return "not_finite";
    case Cause::empty:
      return "empty";
    case Cause::degenerate:
      return "degenerate";
    case Cause::unsupported:
      return "unsupported";
    case Cause::mismatch:
      return "mismatch";
    case Cause::invalid_option:
      return "invalid_option";
    case Cause::cancelled:
      return "cancelled";
  }
  return "malformed";
}

py::object ours(const char* name) { return py::module_::import("pmtr._errors").attr(name); }

/// File names need not be UTF-8.
py::str text_of(std::string_view text) {
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

}  // namespace

void raise(const Error& error) {
  if (error.cause == Cause::invalid_option) {
    PyErr_SetObject(PyExc_ValueError, text_of(error.text()).ptr());
    throw py::error_already_set();
  }
  const py::object type = ours("InputError");
  const py::object file = error.place.file.empty() ? py::object(py::none()) : text_of(error.place.file);
  const py::object exception =
      type(text_of(error.text()), cause_word(error.cause), file, error.place.line, error.place.byte);
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

Work::Work(py::object callback)
    : callback_(std::move(callback)),
      caller_(std::this_thread::get_id()),
      looked_(std::chrono::steady_clock::now()) {
  const auto speak = [this](const char* function, std::string_view message) {
    const py::gil_scoped_acquire locked;
    try {
      ours(function)(text_of(message));
    } catch (const py::error_already_set&) {
      keep(std::current_exception());
    }
  };
  listener_.note = [speak](std::string_view message) { speak("note", message); };
  listener_.warning = [speak](std::string_view message) { speak("warn", message); };
  if (!callback_.is_none()) {
    listener_.progress = [this](std::string_view stage, std::int64_t done, std::int64_t total) {
      if (stopped_) return;
      const py::gil_scoped_acquire locked;
      try {
        callback_(text_of(stage), done, total);
      } catch (const py::error_already_set&) {
        keep(std::current_exception());
      }
    };
  }
  listener_.cancelled = [this] { return stopped_ || interrupted(); };
}

bool Work::interrupted() {
  // Python runs handlers of signals in its main thread only; asking in others costs the lock for nothing.
  const auto now = std::chrono::steady_clock::now();
  if (std::this_thread::get_id() != caller_ || now - looked_ < std::chrono::milliseconds(20)) return false;
  looked_ = now;
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() == 0) return false;
  try {
    throw py::error_already_set();
  } catch (const py::error_already_set&) {
    keep(std::current_exception());
  }
  return true;
}

void Work::keep(std::exception_ptr exception) {
  const std::lock_guard lock(mutex_);
  if (!exception_) exception_ = std::move(exception);
  stopped_ = true;
}

void Work::finish() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
}

void prepare_module() {
  set_check_handler([](const std::string& text) { throw InternalError(text); });
  py::register_local_exception_translator([](std::exception_ptr exception) {
    try {
      if (exception) std::rethrow_exception(exception);
    } catch (const InternalError& error) {
      PyErr_SetString(ours("InternalError").ptr(), error.what());
    }
  });
}

}  // namespace pmtr::python
