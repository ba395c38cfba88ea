// Plants faults in small kernels. Each fault must be found and named with its instruction, block
// and thread. Similar correct code must have no findings. planted_kernels_test.cc plants faults in
// the product's kernels.
#include <gtest/gtest.h>

#include "tests/gpu/ptx/text_kernel.h"

namespace dragoman::ptx {
namespace {

constexpr char kShared[] = ".shared .align 1024 .b8 area[2048]; .shared .align 8 .b8 bar8[16];";

struct Planted {
  const char* name;
  const char* body;
  FindingKind kind;
  const char* instruction;  // of the finding; "" for the launch as a whole
  uint32_t threads = 32;
  uint32_t blocks = 1;
  bool out_written = true;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

TextRun RunBody(const std::string& body, uint32_t threads, uint32_t blocks,
                bool out_written = true) {
  TextOptions options;
  options.grid = {{blocks, 1, 1}, {threads, 1, 1}, 0};
  options.in.assign(256, 1);
  options.out_bytes = 256;
  options.out_written = out_written;
  options.count = 1;
  return RunText(ModuleText(body, kShared), options);
}

class PtxFindings : public ::testing::TestWithParam<Planted> {};

TEST_P(PtxFindings, AreNamed) {
  const Planted& planted = GetParam();
  const TextRun run = RunBody(planted.body, planted.threads, planted.blocks, planted.out_written);
  bool found = false;
  for (const Finding& finding : run.report.findings()) {
    if (finding.kind != planted.kind) continue;
    found = found || finding.instruction.starts_with(planted.instruction);
    EXPECT_EQ(finding.kernel, "test");
  }
  EXPECT_TRUE(found) << "expected: " << FindingName(planted.kind) << " at " << planted.instruction
                     << "; found:\n"
                     << run.report.Text();
}

const Planted kPlanted[] = {
    {"LoadPastTheEnd", "ld.global.u32 %r10, [%rd1+256];", FindingKind::kOutOfBounds, "ld.global"},
    {"LoadBeforeTheBeginning", "ld.global.u32 %r10, [%rd1+-4];", FindingKind::kOutOfBounds,
     "ld.global"},
    {"StorePastTheEnd", "st.global.v4.u32 [%rd2+256], {%r1, %r1, %r1, %r1};",
     FindingKind::kOutOfBounds, "st.global.v4"},
    {"SharedPastTheEnd", "mov.u32 %r10, area; st.shared.u32 [%r10+2064], %r2;",
     FindingKind::kOutOfBounds, "st.shared"},
    {"WriteToParameters", "mov.b64 %rd10, in; cvta.param.u64 %rd11, %rd10; st.u32 [%rd11], %r2;",
     FindingKind::kOutOfBounds, "st.u32"},
    {"MisalignedVector", "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd1+8];",
     FindingKind::kMisaligned, "ld.global.v4"},
    {"MisalignedShared", "mov.u32 %r10, area; ld.shared.u32 %r11, [%r10+2];",
     FindingKind::kMisaligned, "ld.shared"},
    {"UninitialisedShared", "mov.u32 %r10, area; ld.shared.u32 %r11, [%r10];",
     FindingKind::kUninitialised, "ld.shared"},
    {"UninitialisedGlobal", "ld.global.u32 %r10, [%rd2+4];", FindingKind::kUninitialised,
     "ld.global", 32, 1, false},
    {"UninitialisedUpperHalf", "st.global.u16 [%rd2], %r2; ld.global.u32 %r10, [%rd2];",
     FindingKind::kUninitialised, "ld.global", 1, 1, false},
    // Thread 0 writes and others read, without a barrier.
    {"BarrierTakenOut",
     "setp.eq.u32 %p1, %r2, 0; mov.u32 %r10, area; @%p1 st.shared.u32 [%r10], 5; ld.shared.u32 "
     "%r11, [%r10];",
     FindingKind::kRace, "ld.shared", 64},
    // Executing together does not order the lanes of a warp.
    {"WarpBarrierTakenOut",
     "mul.lo.u32 %r9, %r2, 4; mov.u32 %r10, area; add.u32 %r11, %r10, %r9; st.shared.u32 [%r11], "
     "%r2;\n"
     "xor.b32 %r12, %r9, 4; add.u32 %r13, %r10, %r12; ld.shared.u32 %r14, [%r13];",
     FindingKind::kRace, "ld.shared"},
    {"WriteWhileOthersRead",
     "mov.u32 %r10, area; setp.eq.u32 %p1, %r2, 0; @%p1 st.shared.u32 [%r10], 5; bar.sync 0;\n"
     "ld.shared.u32 %r11, [%r10]; @%p1 st.shared.u32 [%r10], 6;",
     FindingKind::kRace, "st.shared", 64},
    {"TwoWritersOfOneWord", "st.global.u32 [%rd2], %r2;", FindingKind::kRace, "st.global"},
    {"TwoBlocksWriteOneWord",
     "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; st.global.u32 [%rd2], %r3;\n$end:\n",
     FindingKind::kRace, "st.global", 32, 2},
    // A block publishes data by an atomic, but without the fence.
    {"FenceTakenOut",
     "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; setp.eq.u32 %p2, %r3, 1; @%p2 bra $reader;\n"
     "st.global.u32 [%rd2], 7; atom.global.add.u32 %r10, [%rd2+4], 1; bra $end;\n"
     "$reader:\nld.volatile.global.u32 %r11, [%rd2+4]; setp.eq.u32 %p3, %r11, 0; @%p3 bra "
     "$reader;\n"
     "membar.gl; ld.global.u32 %r12, [%rd2];\n$end:\n",
     FindingKind::kRace, "ld.global", 32, 2},
    {"AtomicAgainstPlainWrite",
     "setp.eq.u32 %p1, %r2, 0; @%p1 st.global.u32 [%rd2], 9; setp.eq.u32 %p2, %r2, 1;\n"
     "@%p2 atom.global.add.u32 %r10, [%rd2], 1;",
     FindingKind::kRace, "atom.global"},
    {"CopyNotWaitedFor",
     "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mov.u32 %r10, area;\n"
     "cp.async.cg.shared.global [%r10], [%rd1], 16; ld.shared.u32 %r11, [%r10]; "
     "cp.async.wait_all;\n$end:\n",
     FindingKind::kRace, "ld.shared"},
    {"WaitGroupOffByOne",
     "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mov.u32 %r10, area;\n"
     "cp.async.cg.shared.global [%r10], [%rd1], 16; cp.async.commit_group; cp.async.wait_group 1;\n"
     "ld.shared.u32 %r11, [%r10]; cp.async.wait_group 0;\n$end:\n",
     FindingKind::kRace, "ld.shared"},
    {"CopyUnderWayAtTheEnd",
     "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mov.u32 %r10, area;\n"
     "cp.async.cg.shared.global [%r10], [%rd1], 16;\n$end:\n",
     FindingKind::kUnfinished, "ret"},
    {"GroupOfCopiesUnderWayAtTheEnd",
     "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mov.u32 %r10, area;\n"
     "cp.async.cg.shared.global [%r10], [%rd1], 16; cp.async.commit_group; "
     "cp.async.commit_group;\n$end:\n",
     FindingKind::kUnfinished, "ret"},
    {"CopyIsNotSeenByOthersWithoutABarrier",
     "mov.u32 %r10, area; setp.ne.u32 %p1, %r2, 0; @%p1 bra $reader;\n"
     "cp.async.cg.shared.global [%r10], [%rd1], 16; cp.async.wait_all;\n$reader:\nld.shared.u32 "
     "%r11, [%r10];",
     FindingKind::kRace, "ld.shared", 64},
    {"BarrierThatHalfAWarpSkips",
     "setp.lt.u32 %p1, %r2, 16; @%p1 bra $end; bar.sync 0;\n$end:\nbar.sync 1;",
     FindingKind::kMissingLanes, "bar.sync"},
    {"ShuffleThatHalfAWarpSkips",
     "setp.lt.u32 %p1, %r2, 16; @%p1 bra $end; shfl.sync.idx.b32 %r10, %r2, 0, 31, "
     "-1;\n$end:\nbar.warp.sync -1;",
     FindingKind::kMissingLanes, "shfl.sync"},
    {"LanesThatHaveEnded",
     "setp.lt.u32 %p1, %r2, 16; @%p1 ret; mov.u32 %r10, area;\n"
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r10];",
     FindingKind::kMissingLanes, "ldmatrix"},
    {"MaskWithoutTheLaneItself", "shfl.sync.idx.b32 %r10, %r2, 0, 31, 0xffff;",
     FindingKind::kUndefinedValue, "shfl.sync"},
    {"ShuffleFromALaneThatIsNotAMember",
     "setp.ge.u32 %p1, %r2, 16; @%p1 bra $end; shfl.sync.idx.b32 %r10, %r2, 20, 31, "
     "0xffff;\n$end:\n",
     FindingKind::kUndefinedValue, "shfl.sync"},
    {"WarpsWaitAtDifferentBarriers",
     "setp.lt.u32 %p1, %r2, 32; @%p1 bra $other; bar.sync 0; bra $end;\n$other:\nbar.sync "
     "1;\n$end:\n",
     FindingKind::kDeadlock, "bar.sync", 64},
    {"BarrierNumberTooLarge", "bar.sync 16;", FindingKind::kBarrierMisuse, "bar.sync"},
    {"BarrierForThreadsThatAreNotWarps", "bar.sync 0, 40;", FindingKind::kBarrierMisuse, "bar.sync",
     64},
    {"ArriveTakenOut",
     "mov.u32 %r10, bar8; setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mbarrier.init.shared::cta.b64 "
     "[%r10], 1;\n"
     "$wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], 0; @!%p2 bra $wait;\n$end:\n",
     FindingKind::kDeadlock, ""},
    {"WrongParity",
     "mov.u32 %r10, bar8; setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mbarrier.init.shared::cta.b64 "
     "[%r10], 1;\n"
     "mbarrier.arrive.shared::cta.b64 _, [%r10];\n"
     "$wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], 1; @!%p2 bra $wait;\n$end:\n",
     FindingKind::kDeadlock, ""},
    {"ArriveWithoutInit", "mov.u32 %r10, bar8; mbarrier.arrive.shared::cta.b64 _, [%r10];",
     FindingKind::kBarrierMisuse, "mbarrier.arrive"},
    {"StoreIntoAnMbarrier",
     "mov.u32 %r10, bar8; setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mbarrier.init.shared::cta.b64 "
     "[%r10], 1;\n"
     "st.shared.u32 [%r10], 0;\n$end:\n",
     FindingKind::kBarrierMisuse, "st.shared"},
    {"BytesExpectedThatNeverCome",
     "mov.u32 %r10, bar8; setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mbarrier.init.shared::cta.b64 "
     "[%r10], 1;\n"
     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], 128;\n$end:\n",
     FindingKind::kUnfinished, ""},
    {"LoopWithoutEnd", "$again:\nbra $again;", FindingKind::kDeadlock, ""},
    {"InstructionThatIsNotKnown", "popc.b32 %r10, %r2;", FindingKind::kUnknownProgram, ""},
    {"RegisterOfAnotherWidth", "add.s32 %r10, %r2, %rd1;", FindingKind::kUnknownProgram, ""},
};
INSTANTIATE_TEST_SUITE_P(Planted, PtxFindings, ::testing::ValuesIn(kPlanted),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(PtxFindingsOfRight, ThereAreNone) {
  const struct {
    const char* body;
    uint32_t threads;
    uint32_t blocks;
  } right[] = {
      // bar.sync orders warps, and bar.warp.sync orders the lanes of one warp.
      {"setp.eq.u32 %p1, %r2, 0; mov.u32 %r10, area; @%p1 st.shared.u32 [%r10], 5; bar.sync 0;\n"
       "ld.shared.u32 %r11, [%r10]; bar.sync 0; @%p1 st.shared.u32 [%r10], 6;",
       64, 1},
      {"mul.lo.u32 %r9, %r2, 4; mov.u32 %r10, area; add.u32 %r11, %r10, %r9; st.shared.u32 [%r11], "
       "%r2;\n"
       "bar.warp.sync -1; xor.b32 %r12, %r9, 4; add.u32 %r13, %r10, %r12; ld.shared.u32 %r14, "
       "[%r13];",
       32, 1},
      // Threads write different bytes of one word.
      {"cvt.u64.u32 %rd10, %r2; add.s64 %rd11, %rd2, %rd10; st.global.u8 [%rd11], %r2;", 64, 1},
      // Two blocks write the same bits.
      {"setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; st.global.u32 [%rd2], 3;\n$end:\n", 32, 2},
      // A block publishes data by a fence and an atomic. The other block reads the atomic and then
      // also executes a fence.
      {"setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; setp.eq.u32 %p2, %r3, 1; @%p2 bra $reader;\n"
       "st.global.u32 [%rd2], 7; membar.gl; atom.global.add.u32 %r10, [%rd2+4], 1; bra $end;\n"
       "$reader:\nld.volatile.global.u32 %r11, [%rd2+4]; setp.eq.u32 %p3, %r11, 0; @%p3 bra "
       "$reader;\n"
       "membar.gl; ld.global.u32 %r12, [%rd2];\n$end:\n",
       32, 2},
      // A barrier does not wait for threads that have ended.
      {"setp.ge.u32 %p1, %r2, 32; @%p1 ret; bar.sync 0;", 64, 1},
      // A group without a copy need not be waited for.
      {"setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mov.u32 %r10, area;\n"
       "cp.async.cg.shared.global [%r10], [%rd1], 16; cp.async.commit_group; "
       "cp.async.commit_group;\n"
       "cp.async.wait_group 1; ld.shared.u32 %r11, [%r10];\n$end:\n",
       32, 1},
      // Atomics do not race with each other.
      {"atom.global.add.u32 %r10, [%rd2], 1;", 64, 2},
  };
  for (const auto& one : right) {
    const TextRun run = RunBody(one.body, one.threads, one.blocks);
    EXPECT_TRUE(run.completed);
    EXPECT_EQ(run.report.Text(), "") << one.body;
  }
}

TEST(PtxFinding, NameBlockThreadAndLine) {
  const TextRun run = RunBody(
      "setp.ne.u32 %p1, %r2, 37; @%p1 bra $end; setp.ne.u32 %p2, %r3, 2; @%p2 bra $end;\n"
      "ld.global.u32 %r10, [%rd1+1000];\n$end:\n",
      64, 3);
  ASSERT_EQ(run.report.findings().size(), 1U);
  const Finding& finding = run.report.findings()[0];
  EXPECT_EQ(finding.block.x, 2U);
  EXPECT_EQ(finding.thread.x, 37U);
  EXPECT_EQ(finding.instruction, "ld.global.u32 %r10, [%rd1+1000]");
  const std::string text = ModuleText("\n$$", kShared);
  EXPECT_GT(finding.line, 10);
  EXPECT_NE(finding.what.find("744 bytes after the end of an allocation of 256"), std::string::npos)
      << finding.what;
}

TEST(PtxFinding, ADeadlockSaysWhoWaitsForWhat) {
  const TextRun run = RunBody(
      "setp.lt.u32 %p1, %r2, 32; @%p1 bra $other; bar.sync 3; bra $end;\n$other:\nbar.sync "
      "5;\n$end:\n",
      64, 1);
  ASSERT_EQ(run.report.findings().size(), 1U);
  const std::string& what = run.report.findings()[0].what;
  EXPECT_NE(what.find("warp 0 of block (0,0,0) waits for barrier 5, where 32 of 64 threads are"),
            std::string::npos)
      << what;
  EXPECT_NE(what.find("warp 1 of block (0,0,0) waits for barrier 3, where 32 of 64 threads are"),
            std::string::npos)
      << what;
}

TEST(PtxLaunch, LimitsAreThoseOfDeviceKernelAndAttribute) {
  const auto refused = [](const std::string& directives, const std::string& declarations,
                          const Grid& grid, const LaunchOptions& launch = {}) {
    TextOptions options;
    options.grid = grid;
    options.launch = launch;
    const TextRun run = RunText(ModuleText("", declarations, directives), options);
    return !run.completed && run.report.Has(FindingKind::kLaunchLimit);
  };
  EXPECT_FALSE(refused("", "", {{1, 1, 1}, {1024, 1, 1}, 48 << 10}));
  EXPECT_TRUE(refused("", "", {{1, 1, 1}, {1025, 1, 1}, 0}));
  EXPECT_TRUE(refused("", "", {{1, 0, 1}, {32, 1, 1}, 0}));
  EXPECT_TRUE(refused("", "", {{1, 65536, 1}, {32, 1, 1}, 0}));
  EXPECT_TRUE(refused("", "", {{1, 1, 1}, {32, 1, 1}, (48 << 10) + 1}));
  EXPECT_TRUE(refused(".maxntid 128, 1, 1", "", {{1, 1, 1}, {129, 1, 1}, 0}));
  EXPECT_FALSE(refused(".maxntid 128, 1, 1", "", {{1, 1, 1}, {128, 1, 1}, 0}));
  EXPECT_TRUE(refused(".reqntid 64", "", {{1, 1, 1}, {32, 1, 1}, 0}));
  EXPECT_TRUE(refused(".maxnreg 128", "", {{1, 1, 1}, {1024, 1, 1}, 0}));
  LaunchOptions allowed;
  allowed.max_dynamic_shared_bytes = 227 << 10;
  EXPECT_FALSE(refused("", "", {{1, 1, 1}, {32, 1, 1}, 227 << 10}, allowed));
  EXPECT_TRUE(
      refused("", ".shared .align 4 .b8 more[4];", {{1, 1, 1}, {32, 1, 1}, 227 << 10}, allowed));
}

TEST(PtxLaunch, BlocksThatWaitForLaterOnesDoSoInVainOnlyIfTheyMust) {
  // Each block waits until all 9 blocks have begun, which is more than are resident at first.
  TextOptions options;
  options.grid = {{9, 1, 1}, {32, 1, 1}, 0};
  options.out_bytes = 256;
  const TextRun run = RunText(
      ModuleText(
          "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mov.u32 %r9, bar8;\n"
          "mbarrier.init.shared::cta.b64 [%r9], 1;\n"
          "atom.global.add.u32 %r10, [%rd2], 1;\n"
          "$wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r9], 0;\n"
          "ld.volatile.global.u32 %r11, [%rd2]; setp.lt.u32 %p2, %r11, 9; @%p2 bra $wait;\n$end:\n",
          kShared),
      options);
  EXPECT_TRUE(run.completed) << run.report.Text();
  EXPECT_EQ(run.At<uint32_t>(0), 9U);
}

}  // namespace
}  // namespace dragoman::ptx
