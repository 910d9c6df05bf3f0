// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace pmtr {
namespace {

Error system_error(Cause cause, const std::filesystem::path& path, std::string_view action) {
  return error_at(path, cause, fmt::format("{}: {}", action, std::strerror(errno)));
}

/// A name beside a file that no other thread, process or machine with the same disk writes to.
std::filesystem::path aside_of(const std::filesystem::path& path) {
  static std::atomic<unsigned> count = 0;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::filesystem::path aside = path;
  aside += fmt::format(".{}.{}.{}.tmp", host.data(), ::getpid(), count++);
  return aside;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int close() {
    const int result = fd_ >= 0 ? ::close(fd_) : 0;
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

}  // namespace

Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, std::uint64_t limit) {
  // O_NONBLOCK: opening a pipe without a writer must not hang.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_error(Cause::unreadable, path, "cannot open");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return system_error(Cause::unreadable, path, "cannot inspect");
  if (S_ISDIR(info.st_mode)) return error_at(path, Cause::unreadable, "is a folder, not a file");
  if (!S_ISREG(info.st_mode)) return error_at(path, Cause::unreadable, "is not a regular file");
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > limit) {
    return error_at(path, Cause::too_large, fmt::format("has {} bytes, the limit is {}", size, limit));
  }
  std::vector<std::byte> content(size);
  std::size_t have = 0;
  while (have < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(Cause::unreadable, path, "cannot read");
    if (got == 0) break;  // it shrank while we were reading: take what is there
    have += static_cast<std::size_t>(got);
  }
  content.resize(have);
  return content;
}

Status write_file(const std::filesystem::path& path, std::span<const std::byte> content) {
  const std::filesystem::path aside = aside_of(path);
  Descriptor file(::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) return system_error(Cause::unwritable, path, "cannot create");
  auto fail = [&](std::string_view action) -> Status {
    Error error = system_error(Cause::unwritable, path, action);
    file.close();
    ::unlink(aside.c_str());
    return error;
  };
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t put = ::write(file.get(), content.data() + done, content.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail("cannot write");
    done += static_cast<std::size_t>(put);
  }
  if (::fsync(file.get()) != 0) return fail("cannot flush");
  if (file.close() != 0) return fail("cannot close");
  if (::rename(aside.c_str(), path.c_str()) != 0) return fail("cannot rename into place");
  return {};
}

Status write_file(const std::filesystem::path& path, std::string_view content) {
  return write_file(path, as_bytes(content));
}

}  // namespace pmtr
