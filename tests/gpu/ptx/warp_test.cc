// Tests instructions that lanes and warps execute together against the PTX ISA 9.0: shfl.sync and
// vote.sync ("Data Movement", "Warp-level"), bar ("Parallel Synchronization"), atom, ldmatrix and
// mma ("Matrix Multiply-Accumulate", with its figures of fragments). The expected values were
// derived from those pages.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/gpu/ptx/text_kernel.h"

namespace dragoman::ptx {
namespace {

// Each thread stores %r20 at its place in `out`.
constexpr char kStoreR20[] =
    "mul.wide.u32 %rd9, %r2, 4; add.s64 %rd9, %rd2, %rd9; st.global.u32 [%rd9], %r20;";

TextRun RunRight(const std::string& body, const std::string& declarations = "",
                 const TextOptions& options = {}) {
  TextRun run = RunText(ModuleText(body, declarations), options);
  EXPECT_EQ(run.report.Text(), "") << body;
  EXPECT_TRUE(run.completed);
  return run;
}

// Shuffles lane * 10. Returns the result of each lane, plus 1000 if its predicate is false.
std::vector<uint32_t> Shuffled(const std::string& mode, const std::string& b,
                               const std::string& c) {
  const TextRun run =
      RunRight("mul.lo.u32 %r10, %r2, 10; shfl.sync." + mode + ".b32 %r20|%p1, %r10, " + b + ", " +
               c + ", -1; @!%p1 add.u32 %r20, %r20, 1000; " + kStoreR20);
  std::vector<uint32_t> found;
  for (size_t lane = 0; lane < 32; ++lane) found.push_back(run.At<uint32_t>(lane));
  return found;
}

TEST(PtxWarp, ShufflesTakeFromTheLaneThatTheIsaNames) {
  const auto up = Shuffled("up", "4", "0");
  EXPECT_EQ(up[3], 1030U);  // no lane 4 below, so the lane keeps its own value
  EXPECT_EQ(up[4], 0U);
  EXPECT_EQ(up[31], 270U);
  const auto down = Shuffled("down", "4", "31");
  EXPECT_EQ(down[0], 40U);
  EXPECT_EQ(down[28], 1280U);
  const auto butterfly = Shuffled("bfly", "16", "31");
  EXPECT_EQ(butterfly[0], 160U);
  EXPECT_EQ(butterfly[31], 150U);
  const auto index = Shuffled("idx", "5", "31");
  EXPECT_EQ(index[0], 50U);
  EXPECT_EQ(index[31], 50U);
  // Segments of 8 lanes: the mask 0x18 in bits 8 to 12, a clamp of 7.
  const auto segments = Shuffled("idx", "2", "6175");
  EXPECT_EQ(segments[1], 20U);
  EXPECT_EQ(segments[9], 100U);
  const auto short_down = Shuffled("down", "1", "6151");
  EXPECT_EQ(short_down[6], 70U);
  EXPECT_EQ(short_down[7], 1070U);
}

TEST(PtxWarp, VotesAreOfTheMembersAlone) {
  const TextRun run = RunRight(
      "setp.lt.u32 %p1, %r2, 3; vote.sync.ballot.b32 %r21, %p1, -1;\n"
      "vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1;\n"
      "vote.sync.uni.pred %p4, %p1, -1; selp.u32 %r22, 16, 0, %p2; selp.u32 %r23, 32, 0, %p3;\n"
      "selp.u32 %r24, 64, 0, %p4; or.b32 %r20, %r21, %r22; or.b32 %r20, %r20, %r23;\n"
      "or.b32 %r20, %r20, %r24;" +
      std::string(kStoreR20));
  EXPECT_EQ(run.At<uint32_t>(0), 7U + 16U);
  EXPECT_EQ(run.At<uint32_t>(31), 7U + 16U);
  const TextRun half = RunRight(
      "setp.lt.u32 %p1, %r2, 16; mov.u32 %r20, 0; @!%p1 bra $skip;\n"
      "vote.sync.ballot.b32 %r20, %p1, 0xffff;\n$skip:\n" +
      std::string(kStoreR20));
  EXPECT_EQ(half.At<uint32_t>(3), 0xffffU);
  EXPECT_EQ(half.At<uint32_t>(16), 0U);
}

TEST(PtxWarp, PathsMeetAgainWhereAllLanesAreNeeded) {
  // Odd lanes take a longer way. The shuffle needs all lanes.
  const TextRun run = RunRight(
      "and.b32 %r10, %r2, 1; setp.eq.u32 %p1, %r10, 0; mov.u32 %r11, 1; @%p1 bra $even;\n"
      "mov.u32 %r12, 0;\n$loop:\nadd.u32 %r12, %r12, 1; setp.lt.u32 %p2, %r12, %r2; @%p2 bra "
      "$loop;\n"
      "mov.u32 %r11, %r12;\n$even:\n"
      "shfl.sync.bfly.b32 %r20, %r11, 1, 31, -1;" +
      std::string(kStoreR20));
  EXPECT_EQ(run.At<uint32_t>(6), 7U);
  EXPECT_EQ(run.At<uint32_t>(7), 1U);
}

TEST(PtxWarp, BarriersOfABlockReduceOverItsThreads) {
  TextOptions options;
  options.grid.threads = {96, 1, 1};
  const TextRun run = RunRight(
      "setp.eq.u32 %p1, %r2, 70; bar.red.or.pred %p2, 0, %p1; bar.red.and.pred %p3, 0, %p1;\n"
      "setp.ne.u32 %p4, %r2, 70; bar.red.popc.u32 %r21, 0, %p4;\n"
      "selp.u32 %r22, 1000, 0, %p2; selp.u32 %r23, 2000, 0, %p3; add.u32 %r20, %r21, %r22;\n"
      "add.u32 %r20, %r20, %r23;" +
          std::string(kStoreR20),
      "", options);
  EXPECT_EQ(run.At<uint32_t>(0), 1095U);
  EXPECT_EQ(run.At<uint32_t>(95), 1095U);
}

TEST(PtxWarp, ABarrierOfSomeWarpsIsOpenedByThoseThatArriveAndGoOn) {
  // The second warp writes and arrives; the first one waits and reads.
  TextOptions options;
  options.grid.threads = {64, 1, 1};
  const TextRun run = RunRight(
      "mov.u32 %r20, 0; setp.ge.u32 %p1, %r2, 32; @%p1 bra $writer;\n"
      "bar.sync 1, 64; ld.shared.u32 %r20, [word]; bra $end;\n"
      "$writer:\nsetp.eq.u32 %p2, %r2, 32; @%p2 st.shared.u32 [word], 77; bar.arrive 1, "
      "64;\n$end:\n" +
          std::string(kStoreR20),
      ".shared .align 4 .b8 word[4];", options);
  EXPECT_EQ(run.At<uint32_t>(0), 77U);
  EXPECT_EQ(run.At<uint32_t>(31), 77U);
}

TEST(PtxWarp, AtomicsReturnWhatWasThere) {
  const TextRun run = RunRight(
      "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end;\n"
      "atom.global.add.u32 %r10, [%rd2+64], 5; atom.global.add.u32 %r11, [%rd2+64], -1;\n"
      "atom.global.cas.b32 %r12, [%rd2+64], 4, 40; atom.global.cas.b32 %r13, [%rd2+64], 4, 50;\n"
      "atom.global.exch.b32 %r14, [%rd2+68], 9; atom.global.or.b32 %r15, [%rd2+68], 6;\n"
      "atom.global.min.s32 %r16, [%rd2+72], -3; atom.global.max.u32 %r17, [%rd2+72], 1;\n"
      "atom.add.u64 %rd10, [%rd2+80], 7; red.global.add.u32 [%rd2+72], 1;\n"
      "st.global.v4.u32 [%rd2], {%r10, %r11, %r12, %r13};\n"
      "st.global.v4.u32 [%rd2+16], {%r14, %r15, %r16, %r17};\n$end:\n");
  const uint32_t expected[] = {0, 5, 4, 40, 0, 9, 0, 0xfffffffd};
  for (size_t n = 0; n < 8; ++n) EXPECT_EQ(run.At<uint32_t>(n), expected[n]) << n;
  EXPECT_EQ(run.At<uint32_t>(16), 40U);
  EXPECT_EQ(run.At<uint32_t>(17), 15U);
  EXPECT_EQ(run.At<uint32_t>(18), 0xfffffffeU);
  EXPECT_EQ(run.At<uint64_t>(10), 7U);
}

TEST(PtxWarp, LoadsExtendToTheRegisterAndVectorsAreInOrder) {
  TextOptions options;
  options.in = {0x80, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  const TextRun run = RunRight(
      "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end;\n"
      "ld.global.s8 %r10, [%rd1]; ld.global.u8 %rs10, [%rd1+1]; cvt.u32.u16 %r11, %rs10;\n"
      "ld.global.u16 %r12, [%rd1]; ld.global.s16 %rd10, [%rd1]; ld.global.v2.u32 {%r13, %r14}, "
      "[%rd1+8];\n"
      "st.global.u32 [%rd2], %r10; st.global.u32 [%rd2+4], %r11; st.global.u32 [%rd2+8], %r12;\n"
      "st.global.u64 [%rd2+16], %rd10; st.global.v2.u32 [%rd2+24], {%r13, %r14};\n"
      "st.global.v2.u8 [%rd2+32], {%rs10, %rs10}; st.global.u16 [%rd2+34], %r11;\n$end:\n",
      "", options);
  EXPECT_EQ(run.At<uint32_t>(0), 0xffffff80U);
  EXPECT_EQ(run.At<uint32_t>(1), 0xffU);
  EXPECT_EQ(run.At<uint32_t>(2), 0xff80U);
  EXPECT_EQ(run.At<uint64_t>(2), 0xffffffffffffff80U);
  EXPECT_EQ(run.At<uint32_t>(6), 0x0a090807U);
  EXPECT_EQ(run.At<uint32_t>(7), 0x0e0d0c0bU);
  EXPECT_EQ(run.At<uint32_t>(8), 0x00ffffffU);
}

TEST(PtxWarp, GenericAddressesReachSharedAndLocalMemory) {
  const TextRun run = RunRight(
      "mov.u64 %rd10, word; cvta.shared.u64 %rd11, %rd10; mov.u64 %rd12, mine; cvta.local.u64 "
      "%rd13, %rd12;\n"
      "setp.eq.u32 %p1, %r2, 0; @%p1 st.u32 [%rd11], 12; bar.sync 0; ld.u32 %r10, [%rd11];\n"
      "st.u32 [%rd13+4], %r2; ld.local.u32 %r11, [mine+4]; cvta.to.shared.u64 %rd14, %rd11;\n"
      "cvt.u32.u64 %r12, %rd14; ld.shared.u32 %r13, [%r12]; add.u32 %r20, %r10, %r11;\n"
      "add.u32 %r20, %r20, %r13;" +
          std::string(kStoreR20),
      ".shared .align 4 .b8 word[4]; .local .align 4 .b8 mine[8];");
  EXPECT_EQ(run.At<uint32_t>(0), 24U);
  EXPECT_EQ(run.At<uint32_t>(9), 33U);
}

// Fills an 8 x 8 matrix in shared memory with 16 row + column + 1. Rows have 16 bytes. Each lane
// writes two of the 64 elements.
constexpr char kFillMatrix[] =
    "mov.u32 %r30, tile; shl.b32 %r31, %r2, 2; add.u32 %r32, %r30, %r31;\n"
    "shr.u32 %r33, %r2, 2; and.b32 %r34, %r2, 3; shl.b32 %r35, %r33, 4; shl.b32 %r36, %r34, 1;\n"
    "add.u32 %r37, %r35, %r36; add.u32 %r38, %r37, 1; add.u32 %r39, %r37, 2; shl.b32 %r39, %r39, "
    "16;\n"
    "or.b32 %r38, %r38, %r39; st.shared.u32 [%r32], %r38; bar.warp.sync -1;\n"
    "and.b32 %r40, %r2, 7; shl.b32 %r40, %r40, 4; add.u32 %r40, %r30, %r40;\n";

TEST(PtxWarp, MatricesAreLoadedByRowsAndTransposed) {
  // "Thread T0 has r0 c0,1; T1 r0 c2,3; ... T4 r1 c0,1 ..."
  const std::string tile = ".shared .align 16 .b8 tile[128];";
  const TextRun straight =
      RunRight(std::string(kFillMatrix) +
                   "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r40];" + kStoreR20,
               tile);
  const TextRun transposed =
      RunRight(std::string(kFillMatrix) +
                   "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r20}, [%r40];" + kStoreR20,
               tile);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t major = lane / 4;
    const uint32_t minor = lane % 4 * 2;
    EXPECT_EQ(straight.At<uint32_t>(lane), (16 * major + minor + 1) | (16 * major + minor + 2)
                                                                          << 16)
        << lane;
    EXPECT_EQ(transposed.At<uint32_t>(lane),
              (16 * minor + major + 1) | (16 * (minor + 1) + major + 1) << 16)
        << lane;
  }
}

// The rows and columns of an mma's elements as the ISA's figures assign them to lanes and
// registers: groupID is lane >> 2, threadID_in_group is lane % 4.
int RowOfA(int lane, int i) { return lane / 4 + ((i < 2 || (i >= 4 && i < 6)) ? 0 : 8); }
int ColumnOfA(int lane, int i) { return lane % 4 * 2 + (i & 1) + (i < 4 ? 0 : 8); }
int RowOfB(int lane, int i) { return lane % 4 * 2 + (i & 1) + (i < 2 ? 0 : 8); }
int ColumnOfB(int lane) { return lane / 4; }

TEST(PtxWarp, MmaMultipliesTheMatricesOfItsFragments) {
  // Small integers, exact in both types: A[r][k] = (r + 2 k) % 7 - 3, B[k][c] = (3 k + c) % 5 - 2,
  // C = r + c.
  const auto a = [](int row, int k) { return (row + 2 * k) % 7 - 3; };
  const auto b = [](int k, int column) { return (3 * k + column) % 5 - 2; };
  const struct {
    const char* type;
    uint16_t (*bits)(int);
  } kinds[] = {
      {"f16",
       [](int x) {
         const auto half = static_cast<_Float16>(x);
         uint16_t bits = 0;
         std::memcpy(&bits, &half, 2);
         return bits;
       }},
      {"bf16", [](int x) {
         return static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(x)) >> 16);
       }}};
  for (const auto& kind : kinds) {
    TextOptions options;
    options.in.resize(32 * 40);
    for (int lane = 0; lane < 32; ++lane) {
      uint16_t halves[12];
      for (int i = 0; i < 8; ++i) halves[i] = kind.bits(a(RowOfA(lane, i), ColumnOfA(lane, i)));
      for (int i = 0; i < 4; ++i) halves[8 + i] = kind.bits(b(RowOfB(lane, i), ColumnOfB(lane)));
      std::memcpy(options.in.data() + lane * 40, halves, sizeof(halves));
      for (int i = 0; i < 4; ++i) {
        const auto c = static_cast<float>(lane / 4 + (i < 2 ? 0 : 8) + lane % 4 * 2 + (i & 1));
        std::memcpy(options.in.data() + lane * 40 + 24 + 4 * i, &c, 4);
      }
    }
    std::string body = "mul.wide.u32 %rd3, %r2, 40; add.s64 %rd3, %rd1, %rd3;\n";
    for (int n = 0; n < 6; ++n) {
      body +=
          "ld.global.u32 %r" + std::to_string(10 + n) + ", [%rd3+" + std::to_string(4 * n) + "];\n";
    }
    for (int n = 0; n < 4; ++n) {
      body += "ld.global.f32 %f" + std::to_string(10 + n) + ", [%rd3+" +
              std::to_string(24 + 4 * n) + "];\n";
    }
    const std::string type = kind.type;
    body +=
        "mma.sync.aligned.m16n8k16.row.col.f32." + type + "." + type +
        ".f32 {%f20,%f21,%f22,%f23}, {%r10,%r11,%r12,%r13}, {%r14,%r15}, {%f10,%f11,%f12,%f13};\n"
        "mul.wide.u32 %rd4, %r2, 16; add.s64 %rd4, %rd2, %rd4; st.global.v4.f32 [%rd4], "
        "{%f20,%f21,%f22,%f23};";
    const TextRun run = RunRight(body, "", options);
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + (i < 2 ? 0 : 8);
        const int column = lane % 4 * 2 + (i & 1);
        int sum = row + column;
        for (int k = 0; k < 16; ++k) sum += a(row, k) * b(k, column);
        EXPECT_EQ(run.At<float>(static_cast<size_t>(4 * lane + i)), static_cast<float>(sum))
            << type << " lane " << lane << " register " << i;
      }
    }
  }
}

TEST(PtxWarp, AsynchronousCopiesArriveWithZerosAfterTheirSource) {
  TextOptions options;
  for (uint8_t n = 0; n < 16; ++n) options.in.push_back(n + 1);
  const TextRun run = RunRight(
      "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mov.u32 %r10, piece; mov.u32 %r11, 6;\n"
      "cp.async.cg.shared.global [%r10], [%rd1], 16; cp.async.commit_group;\n"
      "cp.async.cg.shared.global [%r10+16], [%rd1], 16, %r11; cp.async.commit_group;\n"
      "cp.async.wait_group 1; ld.shared.u32 %r12, [piece]; cp.async.wait_all;\n"
      "ld.shared.v4.u32 {%r13, %r14, %r15, %r16}, [piece+16];\n"
      "st.global.v4.u32 [%rd2], {%r12, %r13, %r14, %r15};\n$end:\n",
      ".shared .align 16 .b8 piece[32];", options);
  EXPECT_EQ(run.At<uint32_t>(0), 0x04030201U);
  EXPECT_EQ(run.At<uint32_t>(1), 0x04030201U);
  EXPECT_EQ(run.At<uint32_t>(2), 0x00000605U);
  EXPECT_EQ(run.At<uint32_t>(3), 0U);
}

TEST(PtxWarp, AnMbarrierEndsItsPhaseWithTheLastArrivalOfIts) {
  // With a count of 2, lane 0 arrives twice in each of two phases. test_wait.parity P is true once
  // the phase with parity P is complete. For a fresh barrier, the phase with parity 1 counts as
  // complete.
  const TextRun run = RunRight(
      "setp.ne.u32 %p1, %r2, 0; @%p1 bra $end; mov.u32 %r10, bar8; mov.u32 %r20, 0;\n"
      "mbarrier.init.shared::cta.b64 [%r10], 2;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r10], 1; @%p2 or.b32 %r20, %r20, 1;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r10], 0; @%p3 or.b32 %r20, %r20, 2;\n"
      "mbarrier.arrive.shared::cta.b64 _, [%r10];\n"
      "mbarrier.test_wait.parity.shared::cta.b64 %p4, [%r10], 0; @%p4 or.b32 %r20, %r20, 4;\n"
      "mbarrier.arrive.shared::cta.b64 _, [%r10];\n"
      "mbarrier.test_wait.parity.shared::cta.b64 %p5, [%r10], 0; @%p5 or.b32 %r20, %r20, 8;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 %p6, [%r10], 1; @%p6 or.b32 %r20, %r20, 16;\n"
      "mbarrier.arrive.shared::cta.b64 _, [%r10]; mbarrier.arrive.shared::cta.b64 _, [%r10];\n"
      "mbarrier.test_wait.parity.shared::cta.b64 %p7, [%r10], 1; @%p7 or.b32 %r20, %r20, 32;\n"
      "st.global.u32 [%rd2], %r20;\n$end:\n",
      ".shared .align 8 .b8 bar8[8];");
  EXPECT_EQ(run.At<uint32_t>(0), 1U + 8U + 32U);
}

}  // namespace
}  // namespace dragoman::ptx
