// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/worker_group.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <fmt/format.h>
#include <torch/types.h>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace pmtr {
namespace {

class LoneWorker : public WorkerGroup {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  Status average(std::vector<torch::Tensor>&) override { return {}; }
  Status broadcast(std::vector<torch::Tensor>&) override { return {}; }
};

/// The address that this machine has where the master is looked for, as text; empty if there is no way to it.
/// The machine's own name, which Gloo would go by, often stands for an address that nobody else can reach.
std::string own_address_towards(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), "9", &wanted, &found) != 0) return {};
  std::string result;
  for (const addrinfo* one = found; one != nullptr && result.empty(); one = one->ai_next) {
    const int handle = socket(one->ai_family, one->ai_socktype, one->ai_protocol);
    if (handle < 0) continue;
    // Of datagrams, connecting sends nothing: it only chooses the way.
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    std::array<char, NI_MAXHOST> text{};
    if (connect(handle, one->ai_addr, one->ai_addrlen) == 0 &&
        getsockname(handle, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
        getnameinfo(reinterpret_cast<const sockaddr*>(&own), size, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) == 0)
      result = text.data();
    close(handle);
  }
  freeaddrinfo(found);
  return result;
}

/// GLOO_SOCKET_IFNAME names a network card, as it does for torch in Python.
auto device_towards(const std::string& master) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread
  if (const char* card = std::getenv("GLOO_SOCKET_IFNAME"); card != nullptr && *card != '\0')
    return c10d::ProcessGroupGloo::createDeviceForInterface(card);
  const std::string own = own_address_towards(master);
  return own.empty() ? c10d::ProcessGroupGloo::createDefaultDevice()
                     : c10d::ProcessGroupGloo::createDeviceForHostname(own);
}

constexpr std::int64_t bucket_values = 2 << 20;  // 8 MB of floats

class GlooGroup : public WorkerGroup {
 public:
  GlooGroup(const GroupAddress& address, int timeout_seconds) : address_(address) {
    const std::chrono::milliseconds timeout(timeout_seconds * 1000);
    c10d::TCPStoreOptions store_options;
    store_options.port = static_cast<std::uint16_t>(address.port);
    store_options.isServer = address.rank == 0;
    store_options.numWorkers = static_cast<std::size_t>(address.size);
    store_options.timeout = timeout;
    auto store = c10::make_intrusive<c10d::TCPStore>(address.address, store_options);
    auto options = c10d::ProcessGroupGloo::Options::create();
    options->timeout = timeout;
    options->devices.push_back(device_towards(address.address));
    group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store, address.rank, address.size, options);
  }
  int rank() const override { return address_.rank; }
  int size() const override { return address_.size; }

  Status average(std::vector<torch::Tensor>& tensors) override {
    return in_buckets(tensors, [&](std::vector<torch::Tensor>& bucket) {
      group_->allreduce(bucket)->wait();
      bucket[0].div_(static_cast<double>(address_.size));
    });
  }
  Status broadcast(std::vector<torch::Tensor>& tensors) override {
    return in_buckets(tensors,
                      [&](std::vector<torch::Tensor>& bucket) { group_->broadcast(bucket)->wait(); });
  }

 private:
  /// Many small tensors travel as few large ones.
  template <class Exchange>
  Status in_buckets(std::vector<torch::Tensor>& tensors, const Exchange& exchange) {
    const torch::NoGradGuard no_grad;
    try {
      for (std::size_t begin = 0; begin < tensors.size();) {
        std::size_t end = begin;
        std::int64_t values = 0;
        std::vector<torch::Tensor> flat;
        for (; end < tensors.size() && values < bucket_values; ++end) {
          if (!tensors[end].defined()) continue;
          values += tensors[end].numel();
          flat.push_back(tensors[end].detach().reshape({-1}));
        }
        if (!flat.empty()) {
          std::vector<torch::Tensor> bucket{torch::cat(flat)};
          exchange(bucket);
          std::int64_t offset = 0;
          for (std::size_t i = begin; i < end; ++i) {
            if (!tensors[i].defined()) continue;
            const std::int64_t size = tensors[i].numel();
            tensors[i].detach().copy_(bucket[0].narrow(0, offset, size).view(tensors[i].sizes()));
            offset += size;
          }
        }
        begin = end;
      }
    } catch (const std::exception& failure) {
      return Error{Cause::unreadable,
                   fmt::format("a worker of {} is gone: {}", address_.size, first_line(failure.what())),
                   {}};
    }
    return {};
  }

  static std::string first_line(const char* text) { return {text, std::strcspn(text, "\n")}; }

  GroupAddress address_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};

Result<int> number_from(const char* name, int low, int high) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < low || value > high)
    return Error{Cause::invalid_option,
                 fmt::format("the environment says {}={}: must be {} to {}", name, text, low, high),
                 {}};
  return value;
}

}  // namespace

std::unique_ptr<WorkerGroup> lone_worker() { return std::make_unique<LoneWorker>(); }

Result<std::unique_ptr<WorkerGroup>> join_workers(const GroupAddress& address, int timeout_seconds) {
  if (address.size == 1) return lone_worker();
  try {
    return std::unique_ptr<WorkerGroup>(std::make_unique<GlooGroup>(address, timeout_seconds));
  } catch (const std::exception& failure) {
    return Error{Cause::unreadable,
                 fmt::format("cannot meet the {} workers at {}:{}: {}", address.size, address.address,
                             address.port, failure.what()),
                 {}};
  }
}

Result<GroupAddress> group_from_environment() {
  GroupAddress address;
  // NOLINTBEGIN(concurrency-mt-unsafe): read once, before any thread
  if (std::getenv("RANK") == nullptr || std::getenv("WORLD_SIZE") == nullptr) return address;
  PMTR_TRY(address.size, number_from("WORLD_SIZE", 1, 65536));
  PMTR_TRY(address.rank, number_from("RANK", 0, address.size - 1));
  if (const char* host = std::getenv("MASTER_ADDR"); host != nullptr && *host != '\0') address.address = host;
  if (std::getenv("MASTER_PORT") != nullptr) {
    PMTR_TRY(address.port, number_from("MASTER_PORT", 1, 65535));
  }
  // NOLINTEND(concurrency-mt-unsafe)
  return address;
}

}  // namespace pmtr
