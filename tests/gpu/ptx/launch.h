// Runs a kernel in the interpreter. Every block runs; its warps take turns of a few instructions,
// in a random order that the seed decides.
//
// A few blocks are resident at a time. When none of them makes progress, more blocks become
// resident. So blocks that wait for each other hang only if they would hang on a card.
//
// Not thread-safe: one launch at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tests/gpu/ptx/memory.h"
#include "tests/gpu/ptx/program.h"
#include "tests/gpu/ptx/report.h"
#include "tests/gpu/ptx/vector_clock.h"

namespace dragoman::ptx {

struct Grid {
  Index3 blocks{1, 1, 1};
  Index3 threads{1, 1, 1};
  size_t dynamic_shared_bytes = 0;
};

// The limits of a card of the architecture.
struct DeviceLimits {
  uint32_t shared_bytes_per_block = 227 << 10;
  uint32_t threads_per_block = 1024;
  uint32_t registers_per_block = 65536;
  uint32_t blocks_y = 65535;
  uint32_t blocks_z = 65535;
};

struct LaunchOptions {
  DeviceLimits limits;
  // The number of bytes that cudaFuncSetAttribute allowed for the kernel; the default is 48 KiB.
  size_t max_dynamic_shared_bytes = 48 << 10;
  uint64_t seed = 1;
};

// Counts of what ran.
struct LaunchCounts {
  uint64_t blocks = 0;
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
};

// Runs a launch to its end. `arguments` points at the value of each parameter. Findings go to
// `report`. Returns false if a fault ended the launch early; the fault is then the last finding.
// All earlier accesses are ordered before the launch.
bool Launch(const Kernel& kernel, const Grid& grid, std::span<const void* const> arguments,
            DeviceMemory& memory, const LaunchOptions& options, Report& report,
            LaunchCounts& counts);

// Returns why a launch exceeds the limits of the kernel or the device, or "" if it may run.
std::string WhyNoLaunch(const Kernel& kernel, const Grid& grid, const LaunchOptions& options);

// When a launch that may begin early begins: as soon as every block of the launch before has
// permitted it (griddepcontrol.launch_dependents) or has ended; at a random time from then on; or
// when the launch before has ended.
enum class EarlyStart : uint8_t { kEarliest, kRandom, kLatest };

// A launch of a chain. Each launch but the first may begin early.
struct ChainedLaunch {
  const Kernel* kernel = nullptr;
  Grid grid;
  std::span<const void* const> arguments;
  LaunchOptions options;
};

// Tells a chain how its launches are ordered with other operations.
class ChainOrder {
 public:
  virtual ~ChainOrder() = default;
  // Called when launch `index` with `agents` agents begins. Returns what the launch knows of other
  // operations without a wait. It knows about earlier launches of the chain only what the host
  // knows.
  virtual OtherOperations Begin(size_t index, uint32_t agents) = 0;
  // Whether the first launch of the chain began early, too: the operation before has ended, but
  // only a wait orders it before the launch.
  virtual bool FirstIsEarly() const = 0;
  // Names an agent of another operation, for reports.
  virtual std::string NameOf(uint32_t agent) = 0;
};

// Runs launches of one stream that may overlap. The blocks of overlapping launches are resident
// together and take turns. griddepcontrol.wait returns when the launch before has ended. It orders
// what that launch did, and what that launch itself waited for. Returns false if a fault ended a
// launch early; this also ends the others.
bool LaunchChain(std::span<const ChainedLaunch> chain, EarlyStart start, ChainOrder& order,
                 DeviceMemory& memory, Report& report, LaunchCounts& counts);

}  // namespace dragoman::ptx
