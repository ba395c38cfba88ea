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
// false if the launch ended early by a fault, which is the last of the findings.
bool Launch(const Kernel& kernel, const Grid& grid, std::span<const void* const> arguments,
            DeviceMemory& memory, const LaunchOptions& options, Report& report,
            LaunchCounts& counts);

}  // namespace dragoman::ptx
