// Other instructions access accumulators of wgmma at the wrong time. Each such access must be
// found. isa/matrix.cc tests what may be done during a product.
#include <gtest/gtest.h>

#include "tests/gpu/ptx/text_kernel.h"

namespace dragoman::ptx {
namespace {

// Runs a product of zeros between `before` and `after`, which may use the accumulators %f0 ..
// %f127.
TextRun RunAround(const std::string& before, const std::string& after) {
  std::string accumulators;
  for (int i = 0; i < 128; ++i) accumulators += (i == 0 ? "{%f" : ", %f") + std::to_string(i);
  const std::string body =
      "mov.u32 %r10, tiles; mov.u32 %r11, 0; shl.b32 %r12, %r2, 2; add.s32 %r12, %r12, %r10;\n"
      "$zero: st.shared.u32 [%r12], %r11; add.s32 %r12, %r12, 512; add.s32 %r13, %r12, -32768;\n"
      "setp.lt.s32 %p1, %r13, %r10; @%p1 bra $zero;\n"
      "fence.proxy.async.shared::cta; bar.sync 0; cvt.u64.u32 %rd20, %r10; shr.u64 %rd20, %rd20, "
      "4;\n"
      "or.b64 %rd20, %rd20, 4611686293305360384;\n"  // 128-byte swizzle, a stride of 1,024 bytes
      "setp.ne.b32 %p2, %r11, 0; mov.f32 %f0, 0f00000000; mov.u32 %r14, 31; mov.u32 %r15, 1; "
      "mov.u32 %r16, -1;\n" +
      before + "\nwgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 " + accumulators +
      "}, %rd20, %rd20, %p2, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n" + after +
      "\nwgmma.wait_group.sync.aligned 0;\n";
  TextOptions options;
  options.grid.threads = {128, 1, 1};
  options.in.resize(16);
  return RunText(ModuleText(body, ".shared .align 1024 .b8 tiles[32768];"), options);
}

constexpr char kFence[] = "wgmma.fence.sync.aligned;";

TEST(PtxProductFindings, NothingIsFoundBesideAProductThatIsLeftAlone) {
  EXPECT_EQ(RunAround(kFence, "mov.f32 %f200, 0f00000000;").report.Text(), "");
}

TEST(PtxProductFindings, AnAccumulatorUnderWayIsNotToBeAccessed) {
  for (const char* access : {"add.f32 %f200, %f127, %f127;", "mov.f32 %f64, 0f00000000;",
                             "shfl.sync.bfly.b32 %r20, %f5, %r15, %r14, %r16;"}) {
    const TextRun run = RunAround(kFence, access);
    ASSERT_EQ(run.report.findings().size(), 1U) << access << ": " << run.report.Text();
    EXPECT_EQ(run.report.findings()[0].kind, FindingKind::kUndefinedValue) << access;
    EXPECT_EQ(run.report.findings()[0].instruction + ";", access);
  }
}

TEST(PtxProductFindings, AFenceIsNeededBeforeTheFirstProductAndAfterAccesses) {
  for (const std::string before : {"", "wgmma.fence.sync.aligned; mov.f32 %f127, 0f00000000;",
                                   "wgmma.fence.sync.aligned; add.f32 %f200, %f1, %f1;"}) {
    const TextRun run = RunAround(before, "");
    EXPECT_FALSE(run.completed) << before;
    EXPECT_TRUE(run.report.Has(FindingKind::kUndefinedValue))
        << before << ": " << run.report.Text();
  }
}

TEST(PtxProductFindings, AccessesToOtherRegistersNeedNoFence) {
  EXPECT_EQ(RunAround("wgmma.fence.sync.aligned; mov.f32 %f128, 0f00000000;", "").report.Text(),
            "");
}

}  // namespace
}  // namespace dragoman::ptx
