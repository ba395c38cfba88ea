// Runs a kernel on a device that is a program: every block, its warps a few instructions at a time in a
// random order that the seed decides.
//
// Blocks are resident a few at a time; when none of them gets on, others join them, so that blocks which
// wait for each other do so in vain only if a card's would.
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

// The limits of a card of an architecture.
struct DeviceLimits {
  uint32_t shared_bytes_per_block = 227 << 10;
  uint32_t threads_per_block = 1024;
  uint32_t registers_per_block = 65536;
  uint32_t blocks_y = 65535;
  uint32_t blocks_z = 65535;
};

struct LaunchOptions {
  DeviceLimits limits;
  // The bytes that cudaFuncSetAttribute allowed the kernel; 48 KiB without it.
  size_t max_dynamic_shared_bytes = 48 << 10;
  uint64_t seed = 1;
};

// The size of what ran.
struct LaunchCounts {
  uint64_t blocks = 0;
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
};

// Runs to the end. `arguments` points at the value of each parameter. What is found goes to `report`;
// false if the launch ended early by a fault, which is the last of the findings. What was accessed before it is ordered
// before it.
bool Launch(const Kernel& kernel, const Grid& grid, std::span<const void* const> arguments,
            DeviceMemory& memory, const LaunchOptions& options, Report& report,
            LaunchCounts& counts);

// Why the launch cannot be: more than kernel and device allow; "" if it may run.
std::string WhyNoLaunch(const Kernel& kernel, const Grid& grid, const LaunchOptions& options);

// When a launch that may begin early does: as soon as every block of the one before it has let it
// (griddepcontrol.launch_dependents) or has ended; at any time from then on; or when that one has ended.
enum class EarlyStart : uint8_t { kEarliest, kRandom, kLatest };

// A launch of a chain: each but the first may begin early.
struct ChainedLaunch {
  const Kernel* kernel = nullptr;
  Grid grid;
  std::span<const void* const> arguments;
  LaunchOptions options;
};

// Answers what a chain asks of whoever orders operations.
class ChainOrder {
 public:
  virtual ~ChainOrder() = default;
  // Launch `index` begins and has so many agents. What it knows of others without a wait; of earlier ones of the
  // chain that is nothing but what the host knows.
  virtual OtherOperations Begin(size_t index, uint32_t agents) = 0;
  // Whether the first of the chain may begin early, too: the one before it has ended, but only a wait orders it.
  virtual bool FirstIsEarly() const = 0;
  // Names an agent of another operation, for reports.
  virtual std::string NameOf(uint32_t agent) = 0;
};

// Runs launches of one stream, of which those that may begin while the one before them runs: their blocks are resident
// together, and take turns. griddepcontrol.wait returns when the launch before has ended, and orders what that one did;
// and what that one has waited for itself. False if one of them ended early by a fault: so do the others.
bool LaunchChain(std::span<const ChainedLaunch> chain, EarlyStart start, ChainOrder& order,
                 DeviceMemory& memory, Report& report, LaunchCounts& counts);

}  // namespace dragoman::ptx
