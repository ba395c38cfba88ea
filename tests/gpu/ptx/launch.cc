#include "tests/gpu/ptx/launch.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "tests/gpu/ptx/block.h"
#include "tests/gpu/ptx/launch_state.h"
#include "tests/gpu/ptx/run_warp.h"

namespace dragoman::ptx {
namespace {

// Blocks that run at a time while they get on.
constexpr size_t kResidentBlocks = 3;
// Instructions of a warp in a turn, at most.
constexpr uint64_t kLongestTurn = 400;
// Warp instructions without anything that another warp could wait for, after which a loop counts as
// endless: half a minute.
constexpr uint64_t kPatience = uint64_t{1} << 27;

uint64_t Product(const Index3& index) { return uint64_t{index.x} * index.y * index.z; }

// Compares what the launch asks for with what kernel and device allow; "" if it may run.
std::string Refusal(const Kernel& kernel, const Grid& grid, const LaunchOptions& options) {
  const auto found = [](const std::string& what, uint64_t value, uint64_t most) {
    return std::to_string(value) + " " + what + ", at most " + std::to_string(most) + " can be";
  };
  const uint64_t threads = Product(grid.threads);
  const DeviceLimits& limits = options.limits;
  if (threads == 0 || Product(grid.blocks) == 0) return "a grid without threads";
  if (threads > limits.threads_per_block) {
    return found("threads in a block", threads, limits.threads_per_block);
  }
  if (kernel.max_threads != 0 && threads > kernel.max_threads) {
    return found("threads in a block of a kernel with .maxntid", threads, kernel.max_threads);
  }
  if (kernel.required_threads != 0 && threads != kernel.required_threads) {
    return std::to_string(threads) + " threads in a block, .reqntid says " +
           std::to_string(kernel.required_threads);
  }
  if (grid.blocks.y > limits.blocks_y) return found("blocks in y", grid.blocks.y, limits.blocks_y);
  if (grid.blocks.z > limits.blocks_z) return found("blocks in z", grid.blocks.z, limits.blocks_z);
  if (grid.dynamic_shared_bytes > options.max_dynamic_shared_bytes) {
    return found("bytes of dynamic shared memory", grid.dynamic_shared_bytes,
                 options.max_dynamic_shared_bytes);
  }
  const uint64_t shared = grid.dynamic_shared_bytes + kernel.static_shared_bytes;
  if (shared > limits.shared_bytes_per_block) {
    return found("bytes of shared memory", shared, limits.shared_bytes_per_block);
  }
  if (threads * kernel.max_registers > limits.registers_per_block) {
    return found("registers in a block (.maxnreg)", threads * kernel.max_registers,
                 limits.registers_per_block);
  }
  return "";
}

uint32_t ValueOfSpecial(const std::string& name, const LaunchState& launch, const Index3& block,
                        uint32_t thread) {
  const Index3& threads = launch.grid.threads;
  const Index3& blocks = launch.grid.blocks;
  if (name == "%tid.x") return thread % threads.x;
  if (name == "%tid.y") return thread / threads.x % threads.y;
  if (name == "%tid.z") return thread / threads.x / threads.y;
  if (name == "%ntid.x") return threads.x;
  if (name == "%ntid.y") return threads.y;
  if (name == "%ntid.z") return threads.z;
  if (name == "%ctaid.x") return block.x;
  if (name == "%ctaid.y") return block.y;
  if (name == "%ctaid.z") return block.z;
  if (name == "%nctaid.x") return blocks.x;
  if (name == "%nctaid.y") return blocks.y;
  if (name == "%nctaid.z") return blocks.z;
  if (name == "%laneid") return thread % kLanes;
  if (name == "%warpid") return thread / kLanes;
  throw BadProgram("special register " + name + " is not known");
}

class Scheduler {
 public:
  explicit Scheduler(LaunchState& launch)
      : launch_(launch), quiet_since_(launch.counts->warp_instructions) {}

  void Run() {
    order_.resize(Product(launch_.grid.blocks));
    std::iota(order_.begin(), order_.end(), uint64_t{0});
    std::shuffle(order_.begin(), order_.end(), launch_.random);
    size_t wanted = kResidentBlocks;
    while (next_ < order_.size() || !resident_.empty()) {
      while (resident_.size() < wanted && next_ < order_.size()) {
        resident_.push_back(Begin(order_[next_++]));
      }
      const size_t which = launch_.random() % resident_.size();
      const bool stepped = StepBlock(*resident_[which]);
      if (resident_[which]->LiveThreads() == 0) {
        End(which);
        continue;
      }
      const bool endless = launch_.counts->warp_instructions - quiet_since_ > kPatience;
      if (!endless && (stepped || AnyCanStep())) continue;
      if (next_ == order_.size()) RaiseDeadlock();
      // Perhaps they wait for one that has not begun.
      ++wanted;
      quiet_since_ = launch_.counts->warp_instructions;
    }
  }

 private:
  std::unique_ptr<Block> NewBlock() const {
    const Kernel& kernel = *launch_.kernel;
    auto block = std::make_unique<Block>();
    block->launch = &launch_;
    block->kernel = &kernel;
    const uint32_t dynamic_begin = DynamicBegin();
    block->shared =
        std::make_unique<Piece>(dynamic_begin + launch_.grid.dynamic_shared_bytes, 1024);
    const uint64_t threads = Product(launch_.grid.threads);
    for (uint64_t w = 0; w < (threads + kLanes - 1) / kLanes; ++w) {
      auto warp = std::make_unique<Warp>();
      warp->block = block.get();
      warp->kernel = &kernel;
      warp->index = static_cast<int>(w);
      const uint64_t lanes = std::min<uint64_t>(kLanes, threads - w * kLanes);
      warp->existing = lanes == kLanes ? kAllLanes : (1U << lanes) - 1;
      warp->file.resize(kernel.file_words);
      const auto preset = [&](const std::vector<Preset>& presets, uint64_t base) {
        for (const Preset& p : presets) SetAll(*warp, p.place, p.width, base + p.value);
      };
      preset(kernel.immediates, 0);
      preset(kernel.parameter_addresses, launch_.parameter_piece->address());
      preset(kernel.shared_addresses, kSharedBegin);
      preset(kernel.dynamic_shared_addresses, kSharedBegin + dynamic_begin);
      preset(kernel.local_addresses, 0);
      block->warps.push_back(std::move(warp));
    }
    if (kernel.local_bytes != 0) {
      for (uint64_t t = 0; t < block->warps.size() * kLanes; ++t) {
        block->local.push_back(std::make_unique<Piece>(kernel.local_bytes, 16));
      }
    }
    return block;
  }

  uint32_t DynamicBegin() const {
    constexpr uint32_t kAlignment = 16;
    return (launch_.kernel->static_shared_bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  static void SetAll(Warp& warp, Place place, Width width, uint64_t value) {
    if (width == Width::kPredicate) {
      warp.Predicate(place) = value != 0 ? kAllLanes : 0;
    } else {
      for (int lane = 0; lane < kLanes; ++lane) PutBits(warp.At(place), width, lane, value);
    }
  }

  // A block begins, in the memory of one that has ended if there is one.
  std::unique_ptr<Block> Begin(uint64_t number) {
    std::unique_ptr<Block> block;
    if (idle_.empty()) {
      block = NewBlock();
    } else {
      block = std::move(idle_.back());
      idle_.pop_back();
      block->shared->Reset();
      for (const auto& local : block->local) local->Reset();
    }
    const Index3& blocks = launch_.grid.blocks;
    block->index = {static_cast<uint32_t>(number % blocks.x),
                    static_cast<uint32_t>(number / blocks.x % blocks.y),
                    static_cast<uint32_t>(number / blocks.x / blocks.y)};
    block->barriers = {};
    block->memory_barriers.clear();
    block->bulk_copies.clear();
    // Agents of a block: its warps, then the engine of its bulk copies.
    const auto agents = static_cast<uint32_t>(block->warps.size()) + 1;
    const uint32_t first = 1 + static_cast<uint32_t>(number) * agents;
    block->engine = VectorClock(first + agents - 1, first, agents);
    for (const auto& warp : block->warps) {
      warp->clock = VectorClock(first + static_cast<uint32_t>(warp->index), first, agents);
      warp->fenced = {};
      warp->acquired.clear();
      warp->live = warp->existing;
      warp->paths = {{0, warp->existing, false}};
      warp->turn = Turn::kGoesOn;
      warp->now = nullptr;
      warp->polled.clear();
      warp->polls_in_vain = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        warp->copies[lane].clear();
        warp->copy_groups[lane].clear();
      }
      warp->products.clear();
      warp->product_groups.clear();
      // The first product needs a fence before it, too.
      warp->accumulators_touched = true;
      for (const SpecialRegister& special : launch_.kernel->special) {
        for (int lane = 0; lane < kLanes; ++lane) {
          PutBits(warp->At(special.place), special.width, lane,
                  ValueOfSpecial(special.name, launch_, block->index,
                                 static_cast<uint32_t>(warp->index * kLanes + lane)));
        }
      }
    }
    ++launch_.counts->blocks;
    return block;
  }

  void End(size_t which) {
    resident_[which]->Finish();
    idle_.push_back(std::move(resident_[which]));
    resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  // Whether the warp has anything to do: one that has asked in vain again and again asks when something
  // has happened.
  bool IsReady(const Warp& warp) const {
    if (warp.live == 0 || warp.turn == Turn::kWaits) return false;
    constexpr int kPolls = 16;
    return warp.turn != Turn::kPolls || warp.polled_at != launch_.progress ||
           warp.polls_in_vain < kPolls;
  }

  bool AnyCanStep() const {
    return std::any_of(resident_.begin(), resident_.end(), [this](const auto& block) {
      return !block->bulk_copies.empty() ||
             std::any_of(block->warps.begin(), block->warps.end(),
                         [this](const auto& warp) { return IsReady(*warp); });
    });
  }

  // A turn of one of the block's warps, or one of its bulk copies, or both. False: there was neither.
  bool StepBlock(Block& block) {
    const uint64_t progress = launch_.progress;
    ready_.clear();
    for (const auto& warp : block.warps) {
      if (IsReady(*warp)) ready_.push_back(warp.get());
    }
    const bool copies = !block.bulk_copies.empty() && (ready_.empty() || launch_.random() % 4 == 0);
    if (copies) PerformBulkCopy(block, launch_.random() % block.bulk_copies.size());
    if (!ready_.empty()) {
      Warp& warp = *ready_[launch_.random() % ready_.size()];
      RunTurn(warp, static_cast<int>(1 + launch_.random() % kLongestTurn));
    }
    if (launch_.progress != progress) quiet_since_ = launch_.counts->warp_instructions;
    return copies || !ready_.empty();
  }

  [[noreturn]] void RaiseDeadlock() const {
    constexpr int kShown = 12;
    std::string what = "nothing can happen any more";
    int shown = 0;
    const Warp* first = nullptr;
    for (const auto& block : resident_) {
      for (const auto& warp : block->warps) {
        if (warp->live == 0) continue;
        if (first == nullptr) first = warp.get();
        if (shown++ >= kShown) continue;
        what += "; warp " + std::to_string(warp->index) + " of block (" +
                std::to_string(block->index.x) + "," + std::to_string(block->index.y) + "," +
                std::to_string(block->index.z) + ") waits for ";
        if (warp->turn == Turn::kWaits) {
          const BlockBarrier& barrier = block->barriers[warp->barrier];
          what += "barrier " + std::to_string(warp->barrier) + ", where " +
                  std::to_string(barrier.arrived) + " of " +
                  std::to_string(barrier.expected != 0 ? barrier.expected : block->LiveThreads()) +
                  " threads are";
        } else if (!warp->polled.empty()) {
          what += warp->polled;
        } else {
          what += "something that it loops for";
        }
        if (warp->now != nullptr) what += " (line " + std::to_string(warp->now->line) + ")";
      }
    }
    if (shown > kShown) what += "; and " + std::to_string(shown - kShown) + " warps more";
    throw Fault(first->At(FindingKind::kDeadlock, std::countr_zero(first->live), what));
  }

  LaunchState& launch_;
  std::vector<uint64_t> order_;
  size_t next_ = 0;
  std::vector<std::unique_ptr<Block>> resident_;
  std::vector<std::unique_ptr<Block>> idle_;
  std::vector<Warp*> ready_;
  uint64_t quiet_since_;
};

Finding OfLaunch(const Kernel& kernel, FindingKind kind, std::string what) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = kernel.readable;
  finding.what = std::move(what);
  return finding;
}

}  // namespace

bool Launch(const Kernel& kernel, const Grid& grid, std::span<const void* const> arguments,
            DeviceMemory& memory, const LaunchOptions& options, Report& report,
            LaunchCounts& counts) {
  const std::string refusal = Refusal(kernel, grid, options);
  if (!refusal.empty()) {
    report.Add(OfLaunch(kernel, FindingKind::kLaunchLimit, refusal));
    return false;
  }
  memory.BeginLaunch();
  Piece& parameters = memory.Allocate(std::max<size_t>(kernel.parameter_bytes, 1));
  for (size_t n = 0; n < kernel.parameters.size(); ++n) {
    const Parameter& parameter = kernel.parameters[n];
    std::memcpy(parameters.bytes() + parameter.offset, arguments[n], parameter.bytes);
  }
  parameters.Mark(0, parameters.size(), ByteState::kData);
  parameters.writable = false;

  LaunchState launch;
  launch.kernel = &kernel;
  launch.grid = grid;
  launch.memory = &memory;
  launch.report = &report;
  launch.counts = &counts;
  launch.parameter_piece = &parameters;
  launch.random.seed(options.seed);
  bool completed = true;
  try {
    Scheduler(launch).Run();
  } catch (const Fault& fault) {
    report.Add(fault.finding());
    completed = false;
  } catch (const BadProgram& error) {
    report.Add(OfLaunch(kernel, FindingKind::kUnknownProgram, error.what()));
    completed = false;
  }
  memory.Free(parameters.address());
  return completed;
}

}  // namespace dragoman::ptx
