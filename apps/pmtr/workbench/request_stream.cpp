// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "request_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace pmtr::command {
namespace {

constexpr std::string_view empty_line = "\r\n\r\n";

}  // namespace

RequestStream::RequestStream(int socket, std::chrono::seconds silence, const std::atomic<bool>& stopped)
    : socket_(socket), silence_(silence), stopped_(stopped) {}

bool RequestStream::wait_for(short event) const {
  using Clock = std::chrono::steady_clock;
  const bool head = event == POLLIN && head_end_ < empty_line.size();
  const Clock::time_point until = (head ? begin_ : Clock::now()) + silence_;
  while (Clock::now() < until && !(head && stopped_.load())) {
    pollfd ready{socket_, event, 0};
    const int found = ::poll(&ready, 1, 100);
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
  }
  return false;
}

bool RequestStream::is_readable() const { return at_ < end_ || wait_for(POLLIN); }
bool RequestStream::is_writable() const { return wait_for(POLLOUT); }

ssize_t RequestStream::read(char* to, std::size_t size) {
  if (at_ == end_) {
    if (!wait_for(POLLIN)) return -1;
    ssize_t got = -1;
    do {
      got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return got;
    at_ = 0;
    end_ = static_cast<std::size_t>(got);
  }
  const std::size_t count = std::min(size, end_ - at_);
  for (std::size_t k = 0; k < count && head_end_ < empty_line.size(); ++k) {
    const char c = buffer_[at_ + k];
    head_end_ = c == empty_line[head_end_] ? head_end_ + 1 : c == '\r' ? 1 : 0;
    if (++head_bytes_ > most_head_bytes) return -1;
  }
  std::memcpy(to, buffer_.data() + at_, count);
  at_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t RequestStream::write(const char* from, std::size_t size) {
  if (!wait_for(POLLOUT)) return -1;
  ssize_t put = -1;
  do {
    put = ::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (put < 0 && errno == EINTR);
  return put;
}

// Whoever asks is at this machine: the server listens on the loopback only.
void RequestStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = "127.0.0.1";
  port = 0;
}
void RequestStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip = "127.0.0.1";
  port = 0;
}

}  // namespace pmtr::command
