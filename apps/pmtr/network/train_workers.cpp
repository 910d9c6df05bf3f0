// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "train_workers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

extern char** environ;  // NOLINT(readability-identifier-naming): POSIX's name

namespace pmtr::command {
namespace {

/// A port that was free a moment ago.
int free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  int port = 29500;
  if (descriptor >= 0 && ::bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    port = ntohs(address.sin_port);
  if (descriptor >= 0) ::close(descriptor);
  return port;
}

}  // namespace

std::vector<std::string> own_words_without(const std::string& option) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\0', begin), all.size());
    words.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option) {
      ++i;
    } else if (!words[i].starts_with(option + "=")) {
      kept.push_back(words[i]);
    }
  }
  return kept;
}

Result<int> run_workers(int count) {
  std::vector<std::string> words = own_words_without("--workers");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Ctrl-C goes to the whole process group: the workers stop by themselves, and this one waits for them.
  std::signal(SIGINT, SIG_IGN);
  const int port = free_port();
  std::vector<pid_t> children;
  for (int rank = 0; rank < count; ++rank) {
    std::vector<std::string> own{fmt::format("RANK={}", rank), fmt::format("WORLD_SIZE={}", count),
                                 fmt::format("LOCAL_WORLD_SIZE={}", count), "MASTER_ADDR=127.0.0.1",
                                 fmt::format("MASTER_PORT={}", port)};
    std::vector<char*> environment;
    for (std::string& variable : own) environment.push_back(variable.data());
    for (char** variable = environ; *variable != nullptr; ++variable) environment.push_back(*variable);
    environment.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int failure =
        ::posix_spawn(&child, "/proc/self/exe", nullptr, &attributes, argv.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    if (failure != 0) {
      for (const pid_t other : children) ::kill(other, SIGTERM);
      return Error{Cause::unreadable, fmt::format("cannot start a worker: {}", std::strerror(failure)), {}};
    }
    children.push_back(child);
  }
  int code = 0;
  for (const pid_t child : children) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const int own = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (code == 0) code = own;
  }
  return code;
}

}  // namespace pmtr::command
