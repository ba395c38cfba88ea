// Streams, events and launches that begin early: tests what orders two kernels, in every order that
// operations may have. A missing ordering must be reported no matter in which order the kernels
// ran.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tests/gpu/ptx/module.h"
#include "tests/gpu/ptx/stream_order.h"
#include "tests/gpu/ptx/text_kernel.h"

namespace dragoman::ptx {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kBlocks = 3;  // all resident at the same time
constexpr uint32_t kThreads = 32;
constexpr size_t kBytes = sizeof(uint32_t) * kThreads * kBlocks;
constexpr uint32_t kSeven = 7;

// Sets %rd4 and %rd5 to the thread's addresses in `in` and `out`.
constexpr char kPlaces[] =
    "mad.lo.s32 %r4, %r3, 32, %r2; mul.wide.u32 %rd3, %r4, 4;"
    "add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;";
constexpr char kLetGo[] = "griddepcontrol.launch_dependents;";
constexpr char kWait[] = "griddepcontrol.wait;";
constexpr char kWriteSeven[] = "mov.u32 %r5, 7; st.global.u32 [%rd5], %r5;";
constexpr char kCopy[] = "ld.global.u32 %r5, [%rd4]; st.global.u32 [%rd5], %r5;";

struct Choice {
  StreamOrder::When when = StreamOrder::When::kNow;
  EarlyStart early = EarlyStart::kEarliest;
  uint64_t seed = 1;
};

std::vector<Choice> AllChoices() {
  std::vector<Choice> choices;
  for (const auto when :
       {StreamOrder::When::kNow, StreamOrder::When::kLate, StreamOrder::When::kRandom}) {
    for (const auto early : {EarlyStart::kEarliest, EarlyStart::kRandom, EarlyStart::kLatest}) {
      const uint64_t seeds = when == StreamOrder::When::kRandom ? 8 : 2;
      for (uint64_t seed = 1; seed <= seeds; ++seed) choices.push_back({when, early, seed});
    }
  }
  return choices;
}

// A device with three buffers, all unwritten.
class Program {
 public:
  explicit Program(const Choice& choice)
      : choice_(choice),
        order_(choice.when, choice.early, choice.seed, memory_,
               [this](const auto& chain, EarlyStart start, ChainOrder& order) {
                 Run(chain, start, order);
               }) {
    for (Piece*& buffer : buffers_) buffer = &memory_.Allocate(kBytes);
  }

  StreamOrder& order() { return order_; }
  const Report& report() const { return report_; }
  Piece& buffer(int n) { return *buffers_[n]; }
  bool HasSevens(int n) {
    std::vector<uint32_t> values(kBytes / sizeof(uint32_t));
    std::copy_n(buffer(n).bytes(), kBytes, reinterpret_cast<uint8_t*>(values.data()));
    return std::all_of(values.begin(), values.end(), [](uint32_t v) { return v == kSeven; });
  }

  // Returns a kernel with this text that reads buffer `in` and writes buffer `out`.
  Work Kernel(const std::string& name, const std::string& body, int in, int out,
              bool early = false) {
    modules_.push_back(std::make_unique<Module>(ModuleText(kPlaces + body)));
    auto held = std::make_shared<HeldLaunch>();
    held->kernel = modules_.back()->Find("test");
    held->grid = {{kBlocks, 1, 1}, {kThreads, 1, 1}, 0};
    held->options.seed = choice_.seed;
    for (const uint64_t address : {buffer(in).address(), buffer(out).address(), uint64_t{0}}) {
      const auto* const bytes = reinterpret_cast<const uint8_t*>(&address);
      held->arguments.emplace_back(bytes, bytes + sizeof(address));
    }
    return {name, std::move(held), early, nullptr};
  }

 private:
  void Run(const std::vector<const HeldLaunch*>& chain, EarlyStart start, ChainOrder& order) {
    std::vector<std::vector<const void*>> arguments(chain.size());
    std::vector<ChainedLaunch> launches;
    for (size_t i = 0; i < chain.size(); ++i) {
      for (const auto& argument : chain[i]->arguments) arguments[i].push_back(argument.data());
      launches.push_back({chain[i]->kernel, chain[i]->grid, arguments[i], chain[i]->options});
    }
    LaunchChain(launches, start, order, memory_, report_, counts_);
  }

  const Choice choice_;
  DeviceMemory memory_;
  Report report_;
  LaunchCounts counts_;
  std::vector<std::unique_ptr<Module>> modules_;
  Piece* buffers_[3];
  StreamOrder order_;
};

// Runs a program in every order. Returns how many runs had no findings and left sevens in buffer 2.
template <class Build>
size_t RightRuns(Build build, std::vector<std::string>* reports) {
  size_t right = 0;
  for (const Choice& choice : AllChoices()) {
    Program program(choice);
    build(program);
    program.order().WaitForAll();
    const bool clean = program.report().findings().empty();
    if (clean && program.HasSevens(2)) ++right;
    if (!clean) reports->push_back(program.report().Text());
  }
  return right;
}

const size_t kAll = AllChoices().size();

void BetweenStreams(Program& program, bool waits) {
  const uint32_t one = program.order().NewStream();
  const uint32_t other = program.order().NewStream();
  program.order().Put(one, {program.Kernel("the producer", kWriteSeven, 0, 1)});
  const StreamPlace place = program.order().PlaceOf(one);
  if (waits) program.order().PutWait(other, place, program.order().ClockOf(one));
  program.order().Put(other, {program.Kernel("the consumer", kCopy, 1, 2)});
}

TEST(PtxStreams, AnEventOrdersTwoStreamsInEveryOrder) {
  std::vector<std::string> reports;
  EXPECT_EQ(RightRuns([](Program& p) { BetweenStreams(p, true); }, &reports), kAll);
  EXPECT_THAT(reports, ::testing::IsEmpty());
}

// The race must be found even if the kernels happened to run in the right order.
TEST(PtxStreams, AMissingEventIsARaceInEveryOrder) {
  std::vector<std::string> reports;
  EXPECT_EQ(RightRuns([](Program& p) { BetweenStreams(p, false); }, &reports), 0U);
  ASSERT_EQ(reports.size(), kAll);
  size_t read_first = 0;
  for (const std::string& report : reports) {
    const bool consumer_last =
        report.find("by the producer that nothing orders") != std::string::npos;
    const bool producer_last =
        report.find("by the consumer that nothing orders") != std::string::npos;
    EXPECT_TRUE(consumer_last || producer_last) << report;
    if (report.find("uninitialised") != std::string::npos) ++read_first;
  }
  // In some orders, the consumer ran first.
  EXPECT_GT(read_first, 0U);
  EXPECT_LT(read_first, kAll);
}

TEST(PtxStreams, AWaitOfTheHostOrdersWhatComesAfterIt) {
  std::vector<std::string> reports;
  EXPECT_EQ(RightRuns(
                [](Program& p) {
                  const uint32_t one = p.order().NewStream();
                  const uint32_t other = p.order().NewStream();
                  p.order().Put(one, {p.Kernel("the producer", kWriteSeven, 0, 1)});
                  p.order().Wait(p.order().PlaceOf(one), p.order().ClockOf(one));
                  p.order().Put(other, {p.Kernel("the consumer", kCopy, 1, 2)});
                },
                &reports),
            kAll);
  EXPECT_THAT(reports, ::testing::IsEmpty());
}

// The consumer was put on its stream before the host waited, so that wait does not order the
// consumer.
TEST(PtxStreams, AWaitThatComesTooLateOrdersNothing) {
  std::vector<std::string> reports;
  EXPECT_EQ(RightRuns(
                [](Program& p) {
                  const uint32_t one = p.order().NewStream();
                  const uint32_t other = p.order().NewStream();
                  p.order().Put(one, {p.Kernel("the producer", kWriteSeven, 0, 1)});
                  p.order().Put(other, {p.Kernel("the consumer", kCopy, 1, 2)});
                  p.order().Wait(p.order().PlaceOf(one), p.order().ClockOf(one));
                },
                &reports),
            0U);
  EXPECT_EQ(reports.size(), kAll);
}

void Early(Program& program, const std::string& consumer) {
  const uint32_t stream = program.order().NewStream();
  program.order().Put(stream,
                      {program.Kernel("the producer", std::string(kLetGo) + kWriteSeven, 0, 1),
                       program.Kernel("the consumer", consumer, 1, 2, true)});
}

TEST(PtxEarlyLaunch, AWaitOrdersTheOneBefore) {
  std::vector<std::string> reports;
  EXPECT_EQ(RightRuns([](Program& p) { Early(p, std::string(kLetGo) + kWait + kCopy); }, &reports),
            kAll);
  EXPECT_THAT(reports, ::testing::IsEmpty());
}

TEST(PtxEarlyLaunch, AMissingWaitIsARaceWheneverItBegins) {
  std::vector<std::string> reports;
  EXPECT_EQ(RightRuns([](Program& p) { Early(p, std::string(kLetGo) + kCopy); }, &reports), 0U);
  ASSERT_EQ(reports.size(), kAll);
  for (const std::string& report : reports) EXPECT_THAT(report, HasSubstr("that nothing orders"));
}

// Each kernel is put there by itself. With "now", the first has ended before the second begins, but
// that alone does not order them.
TEST(PtxEarlyLaunch, SoItIsWhereTheyDoNotOverlap) {
  for (const bool waits : {true, false}) {
    std::vector<std::string> reports;
    const size_t right = RightRuns(
        [waits](Program& p) {
          const uint32_t stream = p.order().NewStream();
          const std::string wait = waits ? kWait : "";
          p.order().Put(stream,
                        {p.Kernel("the producer", std::string(kLetGo) + kWriteSeven, 0, 1)});
          p.order().Put(stream, {p.Kernel("the consumer", wait + kCopy, 1, 2, true)});
        },
        &reports);
    EXPECT_EQ(right, waits ? kAll : 0);
    EXPECT_EQ(reports.size(), waits ? 0 : kAll);
  }
}

TEST(PtxEarlyLaunch, AReadBeforeTheWaitIsARace) {
  std::vector<std::string> reports;
  EXPECT_EQ(RightRuns([](Program& p) { Early(p, std::string(kCopy) + kWait); }, &reports), 0U);
  EXPECT_EQ(reports.size(), kAll);
}

// The third kernel waits only for the second. Only the second kernel's own wait orders what the
// first did.
void ThreeInAChain(Program& program, bool second_waits) {
  const uint32_t stream = program.order().NewStream();
  const std::string wait = second_waits ? kWait : "";
  program.order().Put(
      stream, {program.Kernel("the first", std::string(kLetGo) + kWriteSeven, 0, 1),
               program.Kernel("the second", kLetGo + wait, 0, 0, true),
               program.Kernel("the third", std::string(kLetGo) + kWait + kCopy, 1, 2, true)});
}

TEST(PtxEarlyLaunch, WaitsAreHandedOn) {
  std::vector<std::string> reports;
  EXPECT_EQ(RightRuns([](Program& p) { ThreeInAChain(p, true); }, &reports), kAll);
  EXPECT_THAT(reports, ::testing::IsEmpty());
  EXPECT_EQ(RightRuns([](Program& p) { ThreeInAChain(p, false); }, &reports), 0U);
  ASSERT_EQ(reports.size(), kAll);
  for (const std::string& report : reports)
    EXPECT_THAT(report, HasSubstr("the first that nothing"));
}

// The first kernel loops until the second reports, before its wait, that it has begun. This ends
// only if both run together.
TEST(PtxEarlyLaunch, ReallyBeginsEarly) {
  const std::string first =
      std::string(kLetGo) +
      "LOOP: ld.relaxed.gpu.global.u32 %r5, [%rd1]; setp.ne.u32 %p1, %r5, 7; @%p1 bra LOOP;";
  const std::string second =
      std::string(kLetGo) + "mov.u32 %r5, 7; st.relaxed.gpu.global.u32 [%rd2], %r5;" + kWait;
  for (const EarlyStart early : {EarlyStart::kEarliest, EarlyStart::kRandom}) {
    Program program({StreamOrder::When::kLate, early, 1});
    std::fill_n(program.buffer(1).bytes(), kBytes, uint8_t{0});
    program.buffer(1).Mark(0, kBytes, ByteState::kData);
    const uint32_t stream = program.order().NewStream();
    program.order().Put(stream, {program.Kernel("the first", first, 1, 0),
                                 program.Kernel("the second", second, 0, 1, true)});
    program.order().WaitForAll();
    EXPECT_EQ(program.report().Text(), "");
  }
}

// A kernel that does not begin early waits for everything before it, even if the kernels before it
// did not wait.
TEST(PtxEarlyLaunch, APlainLaunchComesAfterAll) {
  std::vector<std::string> reports;
  EXPECT_EQ(RightRuns(
                [](Program& p) {
                  const uint32_t stream = p.order().NewStream();
                  p.order().Put(stream,
                                {p.Kernel("the first", std::string(kLetGo) + kWriteSeven, 0, 1),
                                 p.Kernel("the second", kLetGo, 0, 0, true),
                                 p.Kernel("the third", kCopy, 1, 2)});
                },
                &reports),
            kAll);
  EXPECT_THAT(reports, ::testing::IsEmpty());
}

}  // namespace
}  // namespace dragoman::ptx
