// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

// Last: it defines _res, a name that Eigen uses.
#include <httplib.h>

namespace pmtr::command {

/// A connection on which one request is read and answered. httplib keeps a first line or a header in memory
/// however long it is, and waits for each byte anew; here the head of a request may have so many bytes and
/// take so long, and no more.
class RequestStream final : public httplib::Stream {
 public:
  static constexpr std::size_t most_head_bytes = std::size_t{64} << 10U;

  /// Does not close the socket. A head is given up as soon as `stopped` is true.
  RequestStream(int socket, std::chrono::seconds silence, const std::atomic<bool>& stopped);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  bool wait_for(short event) const;

  int socket_;
  std::chrono::seconds silence_;
  const std::atomic<bool>& stopped_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::array<char, 16384> buffer_{};
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t head_bytes_ = 0;
  std::size_t head_end_ = 0;  ///< how much of the empty line that ends the head was seen; 4: all
};

}  // namespace pmtr::command
