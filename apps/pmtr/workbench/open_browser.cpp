// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "open_browser.h"

#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <thread>

extern char** environ;  // NOLINT(readability-identifier-naming): POSIX's name

namespace pmtr::command {
namespace {

sigset_t interrupt_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

void open_browser(const std::string& url) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {1, 2}) posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", 1, 0);
  std::string program = "xdg-open";
  std::string address = url;
  std::array<char*, 3> argv = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(), environ) == 0) {
    std::thread([child] { ::waitpid(child, nullptr, 0); }).detach();
  }
  posix_spawn_file_actions_destroy(&actions);
}

void block_interrupts() {
  const sigset_t signals = interrupt_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void serve_until_interrupted(LocalServer& server, const std::function<void()>& interrupted) {
  const sigset_t signals = interrupt_signals();
  std::thread serving([&] { server.serve(); });
  int signal = 0;
  sigwait(&signals, &signal);
  interrupted();
  server.stop();
  serving.join();
}

}  // namespace pmtr::command
