// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/kernels/scratch.h"

#include <new>
#include <vector>

#include "pmtr/core/check.h"

namespace pmtr::kernels {
namespace {

constexpr std::align_val_t alignment{64};
constexpr std::size_t blocks_to_keep = 8;
constexpr std::size_t bytes_to_keep = std::size_t{64} << 20;  // larger blocks go back to the system

struct Block {
  void* memory;
  std::size_t bytes;
  bool taken;
};

struct Blocks {
  std::vector<Block> all;
  ~Blocks() {
    for (const Block& block : all) ::operator delete(block.memory, alignment);
  }
};

thread_local Blocks blocks;

}  // namespace

void* take_scratch(std::size_t bytes) {
  // The smallest free block that is large enough; failing that, the largest free one is given up for a new
  // one.
  Block* best = nullptr;
  Block* largest_free = nullptr;
  for (Block& block : blocks.all) {
    if (block.taken) continue;
    if (block.bytes >= bytes && (best == nullptr || block.bytes < best->bytes)) best = &block;
    if (largest_free == nullptr || block.bytes > largest_free->bytes) largest_free = &block;
  }
  if (best == nullptr) {
    if (largest_free != nullptr && blocks.all.size() >= blocks_to_keep) {
      ::operator delete(largest_free->memory, alignment);
      *largest_free = blocks.all.back();
      blocks.all.pop_back();
    }
    const std::size_t rounded = (bytes + 4095) / 4096 * 4096 + 64;
    blocks.all.push_back({::operator new(rounded, alignment), rounded, false});
    best = &blocks.all.back();
  }
  best->taken = true;
  return best->memory;
}

void return_scratch(void* memory) {
  for (std::size_t i = 0; i < blocks.all.size(); ++i) {
    Block& block = blocks.all[i];
    if (block.memory != memory) continue;
    block.taken = false;
    if (block.bytes > bytes_to_keep) {
      ::operator delete(block.memory, alignment);
      block = blocks.all.back();
      blocks.all.pop_back();
    }
    return;
  }
  check_failed("scratch", __FILE__, __LINE__, "scratch memory returned by a thread that did not take it");
}

}  // namespace pmtr::kernels
