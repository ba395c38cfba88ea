#include "tests/gpu/ptx/launch.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "tests/gpu/ptx/block.h"
#include "tests/gpu/ptx/launch_state.h"
#include "tests/gpu/ptx/run_warp.h"

namespace dragoman::ptx {
namespace {

// The number of blocks that run at a time as long as they make progress.
constexpr size_t kResidentBlocks = 3;
// The maximum number of resident blocks of a launch that began early, until the launch before has
// ended.
constexpr size_t kEarlyBlocks = 16;
// The maximum number of instructions in one turn of a warp.
constexpr uint64_t kLongestTurn = 400;
// After this many warp instructions without an event for which another warp could wait, a loop
// counts as endless. This takes half a minute.
constexpr uint64_t kPatience = uint64_t{1} << 27;

uint64_t Product(const Index3& index) { return uint64_t{index.x} * index.y * index.z; }

}  // namespace

std::string WhyNoLaunch(const Kernel& kernel, const Grid& grid, const LaunchOptions& options) {
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

namespace {

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

// Returns the number of agents of a block: its warps, and the engine of its bulk copies.
uint32_t AgentsOfBlock(const Grid& grid) {
  return static_cast<uint32_t>((Product(grid.threads) + kLanes - 1) / kLanes) + 1;
}

Finding OfLaunch(const Kernel& kernel, FindingKind kind, std::string what) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = kernel.readable;
  finding.what = std::move(what);
  return finding;
}

// A launch that is running.
class GridRun {
 public:
  enum class Step { kGoesOn, kStuck, kEnded };

  GridRun(const ChainedLaunch& of, DeviceMemory& memory, Report& report, LaunchCounts& counts)
      : memory_(memory) {
    const Kernel& kernel = *of.kernel;
    Piece& parameters = memory.Allocate(std::max<size_t>(kernel.parameter_bytes, 1));
    for (size_t n = 0; n < kernel.parameters.size(); ++n) {
      const Parameter& parameter = kernel.parameters[n];
      std::memcpy(parameters.bytes() + parameter.offset, of.arguments[n], parameter.bytes);
    }
    parameters.Mark(0, parameters.size(), ByteState::kData);
    parameters.writable = false;
    launch_.kernel = &kernel;
    launch_.grid = of.grid;
    launch_.memory = &memory;
    launch_.report = &report;
    launch_.counts = &counts;
    launch_.parameter_piece = &parameters;
    launch_.random.seed(of.options.seed);
    quiet_since_ = counts.warp_instructions;
    order_.resize(Product(of.grid.blocks));
    std::iota(order_.begin(), order_.end(), uint64_t{0});
    std::shuffle(order_.begin(), order_.end(), launch_.random);
  }
  ~GridRun() { memory_.Free(launch_.parameter_piece->address()); }
  GridRun(const GridRun&) = delete;
  GridRun& operator=(const GridRun&) = delete;

  LaunchState& launch() { return launch_; }
  uint32_t agents() const {
    return static_cast<uint32_t>(order_.size()) * AgentsOfBlock(launch_.grid);
  }
  bool HasEnded() const { return next_ == order_.size() && resident_.empty(); }
  bool LetsNextBegin() const { return launch_.let_go == order_.size(); }

  // Runs a turn of one block.
  Step TakeStep() {
    if (HasEnded()) return Step::kEnded;
    while (resident_.size() < wanted_ && next_ < order_.size()) {
      resident_.push_back(Begin(order_[next_++]));
    }
    const size_t which = launch_.random() % resident_.size();
    const bool stepped = StepBlock(*resident_[which]);
    if (resident_[which]->LiveThreads() == 0) {
      End(which);
      return HasEnded() ? Step::kEnded : Step::kGoesOn;
    }
    const bool endless = launch_.counts->warp_instructions - quiet_since_ > kPatience;
    if (!endless && (stepped || AnyCanStep())) return Step::kGoesOn;
    const bool early = !launch_.one_before_ended;
    if (next_ == order_.size() || (early && resident_.size() >= kEarlyBlocks)) return Step::kStuck;
    // They may wait for a block that has not begun.
    ++wanted_;
    quiet_since_ = launch_.counts->warp_instructions;
    return Step::kGoesOn;
  }

  // Notes that the launch before this one has ended.
  void EndWait() {
    launch_.one_before_ended = true;
    ++launch_.progress;
    quiet_since_ = launch_.counts->warp_instructions;
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

 private:
  std::unique_ptr<Block> NewBlock() {
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

  // Begins a block. Reuses the memory of a block that has ended, if there is one.
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
    block->let_go = false;
    const auto agents = static_cast<uint32_t>(block->warps.size()) + 1;
    const uint32_t first = launch_.others.first + static_cast<uint32_t>(number) * agents;
    const auto clock_of = [&](uint32_t index) {
      return VectorClock(first + index, first, agents, &launch_.others, !launch_.early);
    };
    block->engine = clock_of(agents - 1);
    for (const auto& warp : block->warps) {
      warp->clock = clock_of(static_cast<uint32_t>(warp->index));
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
      warp->product_fences = 0;
      if (launch_.kernel->multiplies_by_warpgroup) {
        warp->accessed_after_fences.assign(launch_.kernel->file_words, 0);
      }
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
    if (!resident_[which]->let_go) ++launch_.let_go;
    idle_.push_back(std::move(resident_[which]));
    resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  // Whether the warp has anything to do. A warp that has polled in vain many times polls again only
  // when something has happened.
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

  // Runs a turn of one of the block's warps, or performs one of its bulk copies, or both. Returns
  // false if neither was possible.
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

  DeviceMemory& memory_;
  LaunchState launch_;
  std::vector<uint64_t> order_;  // numbers of the blocks, in the order in which they begin
  size_t next_ = 0;
  size_t wanted_ = kResidentBlocks;
  std::vector<std::unique_ptr<Block>> resident_;
  std::vector<std::unique_ptr<Block>> idle_;
  std::vector<Warp*> ready_;
  uint64_t quiet_since_ = 0;
};

// A chain that is running: the launches that have begun and not ended, oldest first.
class ChainRun {
 public:
  ChainRun(std::span<const ChainedLaunch> chain, EarlyStart start, ChainOrder& order,
           DeviceMemory& memory, Report& report, LaunchCounts& counts)
      : chain_(chain),
        start_(start),
        order_(order),
        memory_(memory),
        report_(report),
        counts_(counts) {
    random_.seed(chain[0].options.seed);
  }

  void Run() {
    while (begun_ < chain_.size() || !running_.empty()) {
      if (MayBegin()) Begin();
      StepOne();
    }
  }

 private:
  static constexpr size_t kTogether = 3;

  bool MayBegin() {
    if (begun_ == chain_.size() || running_.size() == kTogether) return false;
    if (running_.empty()) return true;
    if (start_ == EarlyStart::kLatest || !running_.back().run->LetsNextBegin()) return false;
    constexpr uint64_t kOneIn = 8;
    return start_ == EarlyStart::kEarliest || random_() % kOneIn == 0;
  }

  void Begin() {
    auto run = std::make_unique<GridRun>(chain_[begun_], memory_, report_, counts_);
    LaunchState& launch = run->launch();
    launch.others = order_.Begin(begun_, run->agents());
    launch.name_other = [this](uint32_t agent) { return order_.NameOf(agent); };
    launch.early = begun_ > 0 || order_.FirstIsEarly();
    launch.one_before_ended = begun_ == 0 || ended_[begun_ - 1].has_value();
    if (begun_ > 0 && launch.one_before_ended) TellWhatEnded(*ended_[begun_ - 1], launch);
    running_.push_back({begun_++, std::move(run)});
  }

  // Mostly runs the youngest launch, so that its blocks overtake the others unless they wait for
  // them.
  void StepOne() {
    constexpr uint64_t kOneIn = 16;
    size_t which = random_() % running_.size();
    if (start_ == EarlyStart::kEarliest && random_() % kOneIn != 0) which = running_.size() - 1;
    GridRun::Step step = running_[which].run->TakeStep();
    for (size_t other = 0; step == GridRun::Step::kStuck && other < running_.size(); ++other) {
      which = other;
      step = running_[which].run->TakeStep();
    }
    if (step == GridRun::Step::kStuck) running_.front().run->RaiseDeadlock();
    if (step == GridRun::Step::kEnded) End(which);
  }

  struct Ended {
    bool waited = false;
    OtherOperations others;
  };
  struct Running {
    size_t index = 0;
    std::unique_ptr<GridRun> run;
  };

  void End(size_t which) {
    const size_t index = running_[which].index;
    LaunchState& launch = running_[which].run->launch();
    ended_[index] = {launch.waited || !launch.early, launch.others};
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(which));
    // The next launch may be running already.
    if (which == running_.size() || running_[which].index != index + 1) return;
    TellWhatEnded(*ended_[index], running_[which].run->launch());
    running_[which].run->EndWait();
  }

  // Tells the next launch what a wait orders: the launch that has ended, and what that launch has
  // itself waited for.
  static void TellWhatEnded(const Ended& ended, LaunchState& after) {
    using Known = OtherOperations::Known;
    for (OtherOperations::Span& span : after.others.spans) {
      if (span.known == Known::kAlways) continue;
      const bool itself = span.first == ended.others.first;
      const bool waited_for = !itself && span.first < ended.others.first &&
                              ended.others.Knows(span.first, ended.waited);
      if (itself || waited_for) span.known = Known::kAfterWait;
    }
  }

  const std::span<const ChainedLaunch> chain_;
  const EarlyStart start_;
  ChainOrder& order_;
  DeviceMemory& memory_;
  Report& report_;
  LaunchCounts& counts_;
  std::mt19937_64 random_;
  std::vector<Running> running_;
  size_t begun_ = 0;
  std::vector<std::optional<Ended>> ended_{chain_.size()};
};

// The order for a launch without other operations.
class NoOthers : public ChainOrder {
 public:
  OtherOperations Begin(size_t /*index*/, uint32_t /*agents*/) override { return {}; }
  bool FirstIsEarly() const override { return false; }
  std::string NameOf(uint32_t /*agent*/) override { return "another operation"; }
};

}  // namespace

bool LaunchChain(std::span<const ChainedLaunch> chain, EarlyStart start, ChainOrder& order,
                 DeviceMemory& memory, Report& report, LaunchCounts& counts) {
  for (const ChainedLaunch& launch : chain) {
    const std::string refusal = WhyNoLaunch(*launch.kernel, launch.grid, launch.options);
    if (refusal.empty()) continue;
    report.Add(OfLaunch(*launch.kernel, FindingKind::kLaunchLimit, refusal));
    return false;
  }
  try {
    ChainRun(chain, start, order, memory, report, counts).Run();
    return true;
  } catch (const Fault& fault) {
    report.Add(fault.finding());
  } catch (const BadProgram& error) {
    report.Add(OfLaunch(*chain[0].kernel, FindingKind::kUnknownProgram, error.what()));
  }
  return false;
}

bool Launch(const Kernel& kernel, const Grid& grid, std::span<const void* const> arguments,
            DeviceMemory& memory, const LaunchOptions& options, Report& report,
            LaunchCounts& counts) {
  memory.ForgetAccesses();
  const ChainedLaunch launch{&kernel, grid, arguments, options};
  NoOthers order;
  return LaunchChain({&launch, 1}, EarlyStart::kLatest, order, memory, report, counts);
}

}  // namespace dragoman::ptx
