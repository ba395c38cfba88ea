// A block while it runs: its warps, its shared memory, its barriers and what its engine copies.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/gpu/ptx/memory.h"
#include "tests/gpu/ptx/tensor_map.h"
#include "tests/gpu/ptx/warp.h"

namespace dragoman::ptx {

struct LaunchState;

// Shared memory begins at this offset of its window: a card keeps 1 KiB for itself.
inline constexpr uint32_t kSharedBegin = 1024;

inline constexpr int kBarriers = 16;

// A barrier of bar.sync and its like.
struct BlockBarrier {
  uint32_t expected = 0;  // threads; 0: all of the block
  uint32_t arrived = 0;
  std::vector<Warp*> waiting;
  std::vector<VectorClock> clocks;  // of those that have arrived
};

// An mbarrier, an object of 8 bytes in shared memory.
struct MemoryBarrier {
  uint32_t count = 0;                  // arrivals of a phase
  uint32_t pending = 0;                // of the phase that runs
  int64_t bytes = 0;                   // announced and not there yet
  uint64_t phase = 0;                  // phases that are over
  std::vector<VectorClock> arriving;   // of the phase that runs
  std::vector<VectorClock> completed;  // of the one before it
};

// A bulk copy of a box of a tensor that has been started.
struct BulkCopy {
  const TensorMap* map = nullptr;
  uint32_t to = 0;
  int x = 0;
  int y = 0;
  uint32_t barrier = 0;  // shared address
  VectorClock clock;     // of the warp when it started it
  const Instruction* instruction = nullptr;
};

struct Block {
  LaunchState* launch = nullptr;
  const Kernel* kernel = nullptr;
  Index3 index;
  std::unique_ptr<Piece> shared;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::unique_ptr<Piece>> local;  // of each thread, where the kernel has such memory
  std::array<BlockBarrier, kBarriers> barriers;
  std::map<uint32_t, MemoryBarrier> memory_barriers;  // by address
  std::vector<BulkCopy> bulk_copies;
  VectorClock engine;
  bool let_go = false;  // griddepcontrol.launch_dependents, by any of its threads

  uint32_t LiveThreads() const;
  // A warp is at its barrier, or has ended: opens the barriers that are complete.
  void OpenBarriers();
  // Ends: what is still under way is a finding.
  void Finish();
};

// The result of bar.red for the warps that waited; nothing for other barriers.
void FinishReduction(const Instruction& barrier, const std::vector<Warp*>& warps);

// Arrivals or bytes of an mbarrier have come: ends its phase if that was all.
void EndPhaseIfComplete(MemoryBarrier& barrier);

// Does the bulk copy at this place of the list, whose bytes arrive now.
void PerformBulkCopy(Block& block, size_t which);

}  // namespace dragoman::ptx
