#include "tests/kernels/cuda_emulation/emulation.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

// dragoman_switch_fiber(save, to): pushes the callee-saved registers, stores the stack pointer in
// *save, and continues on the stack `to`.
extern "C" void dragoman_switch_fiber(void** save, void* to);
#ifdef __x86_64__
asm(R"(
.text
.globl dragoman_switch_fiber
.type dragoman_switch_fiber, @function
dragoman_switch_fiber:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size dragoman_switch_fiber, .-dragoman_switch_fiber
.section .note.GNU-stack,"",@progbits
.text
)");
#else
// This file must compile on other processors too, because tests of the CPU's kernels link it.
extern "C" void dragoman_switch_fiber(void** /*save*/, void* /*to*/) {
  dragoman::emulation::Fail("kernels are emulated on x86-64 only");
}
#endif

namespace dragoman::emulation {

Current current;
unsigned char* dynamic_shared = nullptr;
size_t dynamic_shared_bytes = 0;
void (*end_of_block)() = nullptr;

[[noreturn]] void Fail(const char* why) {
  std::fprintf(stderr, "emulated kernel, block (%u, %u, %u), thread (%u, %u, %u): %s\n",
               current.block.x, current.block.y, current.block.z, current.thread.x,
               current.thread.y, current.thread.z, why);
  std::abort();
}

namespace {

constexpr int kWarp = 32;
constexpr size_t kStackBytes = 256 << 10;
constexpr size_t kSharedBytes = 227 << 10;

struct Barrier {
  int members = 0;
  int arrived = 0;
  int64_t generation = 0;
};

struct Warp {
  Barrier barrier;
  // The values of two exchanges, because a thread may be one exchange ahead of its warp's slowest.
  uint64_t values[2][kWarp] = {};
  bool whole = false;
};

struct Fiber {
  std::unique_ptr<unsigned char[]> memory = std::make_unique<unsigned char[]>(kStackBytes);
  void* stack = nullptr;
  Current place;
  int number = 0;  // index in the block
  bool done = false;
};

// The one block that is being run: its threads, and whose turn it is.
struct Block {
  std::vector<Fiber> fibers;  // never shrinks; later blocks reuse it
  std::vector<int> order;     // of turns; the lanes of a warp are neighbours
  bool warp_by_warp = false;  // each warp runs as far as it can before the next warp's turn
  std::vector<Warp> warps;
  Barrier barrier;
  size_t turn = 0;
  int live = 0;
  int64_t idle_turns = 0;  // since any thread made progress
  int idle_in_warp = 0;    // since any thread of the current warp made progress
  bool any = false;        // BlockAny's result; `any_readers` threads have read it
  int any_readers = 0;
  void* home = nullptr;  // the stack pointer of Run
  const std::function<void()>* thread = nullptr;
};
Block block;

Fiber& Me() { return block.fibers[static_cast<size_t>(block.order[block.turn])]; }

void Resume(void** save) {
  Fiber& next = Me();
  current = next.place;
  dragoman_switch_fiber(save, next.stack);
}

void GotOn() { block.idle_turns = block.idle_in_warp = 0; }

// Advances the turn to the next thread that has not ended.
void NextTurn() {
  if (block.warp_by_warp) {
    const size_t first = block.turn / kWarp * kWarp;
    const size_t lanes = std::min<size_t>(kWarp, block.order.size() - first);
    for (size_t i = 0; i < lanes && block.idle_in_warp <= kWarp; ++i) {
      block.turn = first + (block.turn - first + 1) % lanes;
      if (!Me().done) return;
    }
    block.idle_in_warp = 0;
    block.turn = first + lanes - 1;
  }
  do {
    block.turn = (block.turn + 1) % block.order.size();
  } while (Me().done);
}

void Yield() {
  Fiber& me = Me();
  ++block.idle_in_warp;
  if (++block.idle_turns > 4 * static_cast<int64_t>(block.order.size())) {
    Fail("waits for threads that wait elsewhere");
  }
  NextTurn();
  if (&Me() != &me) Resume(&me.stack);
}

void Arrive(Barrier& barrier) {
  const int64_t generation = barrier.generation;
  if (++barrier.arrived == barrier.members) {
    barrier.arrived = 0;
    ++barrier.generation;
    GotOn();
    return;
  }
  while (barrier.generation == generation) Yield();
  GotOn();
}

// The function that a fiber runs. Never returns.
void Begin() {
  (*block.thread)();
  Fiber& me = Me();
  me.done = true;
  GotOn();
  if (--block.live == 0) {
    dragoman_switch_fiber(&me.stack, block.home);
  } else {
    NextTurn();
    Resume(&me.stack);
  }
  std::abort();
}

void Prepare(Fiber& fiber, int number, dim3 size, dim3 grid, dim3 at) {
  const auto n = static_cast<unsigned>(number);
  fiber.number = number;
  fiber.done = false;
  fiber.place = {.thread = {n % size.x, n / size.x % size.y, n / size.x / size.y},
                 .block = at,
                 .block_size = size,
                 .grid_size = grid,
                 .lane = number % kWarp};
  // Prepares the stack as a call does: when Begin starts, the stack pointer is 8 beyond a multiple
  // of 16.
  unsigned char* top = fiber.memory.get() + kStackBytes;
  top -= reinterpret_cast<uintptr_t>(top) % 16;
  auto* words = reinterpret_cast<uintptr_t*>(top) - 8;
  std::fill_n(words, 8, 0);
  words[6] = reinterpret_cast<uintptr_t>(&Begin);
  fiber.stack = words;
}

// Sets a random order of turns: of the full warps, with a partial warp last, and of the lanes in
// each warp.
void MakeOrder(int threads, std::mt19937& random) {
  block.warp_by_warp = random() % 2 == 0;
  std::vector<int> warps(static_cast<size_t>(threads / kWarp));
  std::iota(warps.begin(), warps.end(), 0);
  std::shuffle(warps.begin(), warps.end(), random);
  if (threads % kWarp != 0) warps.push_back(threads / kWarp);
  block.order.clear();
  for (const int warp : warps) {
    const auto first = static_cast<std::ptrdiff_t>(block.order.size());
    for (int i = warp * kWarp; i < threads && i < (warp + 1) * kWarp; ++i) block.order.push_back(i);
    std::shuffle(block.order.begin() + first, block.order.end(), random);
  }
}

void RunBlock(dim3 grid, dim3 size, dim3 at, std::mt19937& random) {
  const int threads = static_cast<int>(size.x * size.y * size.z);
  MakeOrder(threads, random);
  while (block.fibers.size() < block.order.size()) block.fibers.emplace_back();
  for (int i = 0; i < threads; ++i) {
    Prepare(block.fibers[static_cast<size_t>(i)], i, size, grid, at);
  }
  block.warps.assign(static_cast<size_t>((threads + kWarp - 1) / kWarp), {});
  for (size_t w = 0; w < block.warps.size(); ++w) {
    block.warps[w].whole = (static_cast<int>(w) + 1) * kWarp <= threads;
    block.warps[w].barrier.members = kWarp;
  }
  block.barrier = {.members = threads};
  block.live = threads;
  block.turn = 0;
  GotOn();
  Resume(&block.home);
  if (end_of_block != nullptr) end_of_block();
}

Warp& MyWarp() {
  Warp& warp = block.warps[static_cast<size_t>(Me().number / kWarp)];
  if (!warp.whole) Fail("a shuffle in a warp of fewer than 32 threads");
  return warp;
}

}  // namespace

void BlockBarrier() { Arrive(block.barrier); }

void WarpBarrier() { Arrive(MyWarp().barrier); }

void WaitUntil(const std::function<bool()>& over) {
  while (!over()) Yield();
  GotOn();
}

uint64_t Exchange(uint64_t mine, int from) {
  Warp& warp = MyWarp();
  uint64_t* values = warp.values[warp.barrier.generation % 2];
  values[current.lane] = mine;
  Arrive(warp.barrier);
  return values[from];
}

uint32_t Ballot(bool mine) {
  Warp& warp = MyWarp();
  const uint64_t* values = warp.values[warp.barrier.generation % 2];
  Exchange(mine ? 1 : 0, current.lane);
  uint32_t all = 0;
  for (int lane = 0; lane < kWarp; ++lane) all |= static_cast<uint32_t>(values[lane]) << lane;
  return all;
}

bool BlockAny(bool mine) {
  block.any = block.any || mine;
  BlockBarrier();
  const bool any = block.any;
  if (++block.any_readers == block.barrier.members) {
    block.any_readers = 0;
    block.any = false;
  }
  BlockBarrier();
  return any;
}

int64_t launches = 0;
int64_t awaits = 0;

int Run(dim3 grid, dim3 size, size_t shared, const std::function<void()>& thread) {
  const int64_t blocks = int64_t{grid.x} * grid.y * grid.z;
  const int64_t threads = int64_t{size.x} * size.y * size.z;
  if (blocks == 0 || grid.x > 0x7fffffffU || grid.y > 65535 || grid.z > 65535 || threads == 0 ||
      threads > 1024 || size.z > 64) {
    return cudaErrorInvalidConfiguration;
  }
  if (shared > kSharedBytes) return cudaErrorInvalidValue;
  ++launches;
  static std::mt19937 random(1);
  std::vector<int64_t> order(static_cast<size_t>(blocks));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<uint4> memory(shared / sizeof(uint4) + 1);
  dynamic_shared = reinterpret_cast<unsigned char*>(memory.data());
  dynamic_shared_bytes = shared;
  block.thread = &thread;
  for (const int64_t i : order) {
    std::memset(dynamic_shared, 0xff, memory.size() * sizeof(uint4));
    RunBlock(grid, size,
             {static_cast<unsigned>(i % grid.x), static_cast<unsigned>(i / grid.x % grid.y),
              static_cast<unsigned>(i / grid.x / grid.y)},
             random);
  }
  return cudaSuccess;
}

}  // namespace dragoman::emulation
