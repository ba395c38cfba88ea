// The state of a running block: its warps, its shared memory, its barriers and its bulk copies.
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

// A barrier of bar.sync, bar.arrive or bar.red.
struct BlockBarrier {
  uint32_t expected = 0;  // threads; 0: all of the block
  uint32_t arrived = 0;
  std::vector<Warp*> waiting;
  std::vector<VectorClock> clocks;  // of the warps that have arrived
};

// An mbarrier, an object of 8 bytes in shared memory.
struct MemoryBarrier {
  uint32_t count = 0;                  // arrivals that complete a phase
  uint32_t pending = 0;                // arrivals that the current phase still needs
  int64_t bytes = 0;                   // announced bytes that have not arrived
  uint64_t phase = 0;                  // number of completed phases
  std::vector<VectorClock> arriving;   // of the arrivals in the current phase
  std::vector<VectorClock> completed;  // of the arrivals in the phase before
};

// A bulk copy of a box of a tensor that was started and has not happened yet.
struct BulkCopy {
  const TensorMap* map = nullptr;
  uint32_t to = 0;
  int x = 0;
  int y = 0;
  uint32_t barrier = 0;  // shared address
  VectorClock clock;     // of the warp when it started the copy
  const Instruction* instruction = nullptr;
};

struct Block {
  LaunchState* launch = nullptr;
  const Kernel* kernel = nullptr;
  Index3 index;
  std::unique_ptr<Piece> shared;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::unique_ptr<Piece>> local;  // of each thread, if the kernel has local memory
  std::array<BlockBarrier, kBarriers> barriers;
  std::map<uint32_t, MemoryBarrier> memory_barriers;  // by address
  std::vector<BulkCopy> bulk_copies;
  VectorClock engine;
  bool let_go = false;  // one of the threads has executed griddepcontrol.launch_dependents

  uint32_t LiveThreads() const;
  // Opens the barriers that are complete. Call when a warp has reached its barrier or has ended.
  void OpenBarriers();
  // Ends the block. Reports what is still pending.
  void Finish();
};

// Writes the result of bar.red for the warps that waited. Does nothing for other barriers.
void FinishReduction(const Instruction& barrier, const std::vector<Warp*>& warps);

// Ends the phase of an mbarrier if all its arrivals and bytes have come.
void EndPhaseIfComplete(MemoryBarrier& barrier);

// Performs the bulk copy at index `which` of the list: its bytes arrive now.
void PerformBulkCopy(Block& block, size_t which);

}  // namespace dragoman::ptx
