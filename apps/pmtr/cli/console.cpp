// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "console.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pmtr::command {
namespace {

/// 0, or the error number. write() and not stdio: no buffer that fails at exit, when nobody looks.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

}  // namespace

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

void say(std::string_view text) { write_all(STDERR_FILENO, fmt::format("pmtr: {}\n", text)); }
void warn(std::string_view text) { write_all(STDERR_FILENO, fmt::format("pmtr: warning: {}\n", text)); }
void complain(std::string_view text) { write_all(STDERR_FILENO, fmt::format("pmtr: error: {}\n", text)); }

int report(const Error& error) {
  if (error.cause == Cause::cancelled) {
    say("stopped");
    return exit_code::failed;
  }
  complain(error.text());
  return exit_code::bad_input;
}

int report_usage(const Error& error) {
  const int code = report(error);
  return error.cause == Cause::invalid_option ? exit_code::usage : code;
}

int print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return exit_code::done;
  complain(fmt::format("cannot write to standard output: {}", std::strerror(error)));
  return exit_code::failed;
}

int print_json(const nlohmann::json& value) {
  // File names need not be UTF-8, JSON must be.
  return print(value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace pmtr::command
