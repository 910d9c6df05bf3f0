// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "assembly_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

namespace pmtr::command {
namespace {

/// In the child: only what may be called between fork and exec in a program with threads.
[[noreturn]] void become(const char* program, char* const* argv, int out, int null, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  ::setpgid(0, 0);  // Ctrl-C at the terminal is for the server, which knows what to do with it
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::close_range(3, ~0U, 0);  // connections of browsers among them
  ::execv(program, argv);
  ::_exit(127);
}

void take_lines(std::string& text, const std::function<void(std::string_view)>& line) {
  constexpr std::size_t longest = 1 << 16U;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    line(std::string_view(text).substr(0, end));
    text.erase(0, end + 1);
  }
  if (text.size() > longest) text.clear();  // no line of ours
}

}  // namespace

Result<RunEnd> run_watched(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const std::function<void(std::string_view)>& line,
                           const std::function<StopRun()>& stop) {
  using Clock = std::chrono::steady_clock;
  const auto failed = [&](int error) { return error_at(program, Cause::unreadable, std::strerror(error)); };
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failed(errno);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(program.c_str(), argv.data(), ends[1], null, parent);
  const int forking = errno;
  ::close(ends[1]);
  ::close(null);
  if (child < 0) {
    ::close(ends[0]);
    return failed(forking);
  }
  RunEnd end;
  std::string text;
  std::optional<Clock::time_point> asked;
  bool open = true;
  while (open) {
    const StopRun wish = stop();
    if (wish == StopRun::cancel && !asked) {
      ::kill(child, SIGINT);
      asked = Clock::now();
      end.cancelled = true;
    }
    if (wish == StopRun::at_once || (asked && Clock::now() - *asked > std::chrono::seconds(5))) {
      ::kill(child, SIGKILL);
      end.cancelled = true;
    }
    pollfd ready{ends[0], POLLIN, 0};
    if (::poll(&ready, 1, 100) <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    open = got > 0;
    if (open) text.append(buffer, static_cast<std::size_t>(got));
    take_lines(text, line);
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

}  // namespace pmtr::command
