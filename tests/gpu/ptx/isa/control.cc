// 9.7.12, control flow, and chapter 10, special registers.
#include <gtest/gtest.h>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

// Blocks of 48 threads, so that the second warp is half empty.
constexpr uint32_t kThreadsX = 8;
constexpr uint32_t kThreadsY = 6;
constexpr uint32_t kBlocksX = 2;
constexpr uint32_t kBlocksY = 3;
constexpr uint32_t kBlocksZ = 4;

struct Place {
  Index3 thread;
  Index3 block;
};

// Each thread writes the register's value to the place of its coordinates, x first.
Form SpecialRegister(const std::string& name, uint32_t (*expected)(const Place&)) {
  return {
      name, [=](const std::string& form) {
        const std::string body =
            "mov.u32 %r20, " + form +
            "; mov.u32 %r10, %tid.x; mov.u32 %r11, %tid.y; mov.u32 %r12, %ctaid.x;"
            "mov.u32 %r13, %ctaid.y; mov.u32 %r14, %ctaid.z; mad.lo.s32 %r21, %r14, 3, %r13;"
            "mad.lo.s32 %r21, %r21, 2, %r12; mad.lo.s32 %r21, %r21, 6, %r11; mad.lo.s32 %r21, "
            "%r21, 8, %r10;"
            "mul.wide.u32 %rd20, %r21, 4; add.s64 %rd21, %rd2, %rd20; st.global.u32 [%rd21], %r20;";
        TextOptions options;
        options.grid = {{kBlocksX, kBlocksY, kBlocksZ}, {kThreadsX, kThreadsY, 1}, 0};
        options.in.resize(16);
        options.out_bytes = 4 * kThreadsX * kThreadsY * kBlocksX * kBlocksY * kBlocksZ;
        const TextRun run = RunForm(form, {body, "", ""}, options);
        size_t at = 0;
        for (uint32_t bz = 0; bz < kBlocksZ; ++bz) {
          for (uint32_t by = 0; by < kBlocksY; ++by) {
            for (uint32_t bx = 0; bx < kBlocksX; ++bx) {
              for (uint32_t ty = 0; ty < kThreadsY; ++ty) {
                for (uint32_t tx = 0; tx < kThreadsX; ++tx, ++at) {
                  ASSERT_EQ(run.At<uint32_t>(at), expected({{tx, ty, 0}, {bx, by, bz}})) << at;
                }
              }
            }
          }
        }
      }};
}

// Runs one warp, and expects that %r20 of each lane has the value `expected`.
void ExpectByLane(const std::string& name, const std::string& body,
                  const std::function<uint32_t(uint32_t lane)>& expected) {
  TextOptions options;
  options.in.resize(16);
  const TextRun run = RunForm(
      name, {"mul.wide.u32 %rd20, %r2, 4; add.s64 %rd21, %rd2, %rd20;" + body, "", ""}, options);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.At<uint32_t>(lane), expected(lane)) << name << ", lane " << lane;
  }
}

constexpr char kStore[] = "st.global.u32 [%rd21], %r20;";

}  // namespace

std::vector<Form> ControlForms() {
  return {
      // 9.7.12.3: each lane takes its own way, forwards and backwards. Lane l adds up 0 .. l in a
      // loop of l + 1 turns, and then takes one of two branches by a predicate and its complement.
      {"bra",
       [](const std::string& name) {
         ExpectByLane(
             name,
             "mov.u32 %r20, 0; mov.u32 %r21, 0;"
             "$loop: add.s32 %r20, %r20, %r21; add.s32 %r21, %r21, 1; setp.le.s32 %p1, %r21, %r2;"
             "@%p1 bra $loop; and.b32 %r22, %r2, 1; setp.eq.s32 %p2, %r22, 0; @!%p2 bra $odd;"
             "add.s32 %r20, %r20, 1000; bra $end; $odd: add.s32 %r20, %r20, 2000; $end:" +
                 std::string(kStore),
             [](uint32_t lane) { return lane * (lane + 1) / 2 + (lane % 2 == 0 ? 1000 : 2000); });
       }},
      // All lanes branch, and the instructions that are skipped must not be executed.
      {"bra.uni",
       [](const std::string& name) {
         ExpectByLane(
             name,
             "mov.u32 %r20, 5; bra.uni $over; mov.u32 %r20, 7; $over: mov.u32 %r21, 0;"
             "$again: add.s32 %r21, %r21, 1; add.s32 %r20, %r20, %r2; setp.lt.s32 %p1, %r21, 3;"
             "@%p1 bra.uni $again;" +
                 std::string(kStore),
             [](uint32_t lane) { return 5 + 3 * lane; });
       }},
      // 9.7.12.6: in a kernel, ret ends the thread, and the other threads continue.
      {"ret",
       [](const std::string& name) {
         ExpectByLane(name,
                      "mov.u32 %r20, 1;" + std::string(kStore) +
                          "setp.lt.s32 %p1, %r2, 7; @%p1 ret; mov.u32 %r20, 2;" + kStore +
                          "ret; mov.u32 %r20, 3;" + kStore,
                      [](uint32_t lane) { return lane < 7 ? 1 : 2; });
       }},
      SpecialRegister("%tid.x", [](const Place& at) { return at.thread.x; }),
      SpecialRegister("%tid.y", [](const Place& at) { return at.thread.y; }),
      SpecialRegister("%ntid.x", [](const Place&) { return kThreadsX; }),
      SpecialRegister("%ctaid.x", [](const Place& at) { return at.block.x; }),
      SpecialRegister("%ctaid.y", [](const Place& at) { return at.block.y; }),
      SpecialRegister("%ctaid.z", [](const Place& at) { return at.block.z; }),
      SpecialRegister("%nctaid.x", [](const Place&) { return kBlocksX; }),
      SpecialRegister("%nctaid.y", [](const Place&) { return kBlocksY; }),
      SpecialRegister("%nctaid.z", [](const Place&) { return kBlocksZ; }),
      // 10.28: nanoseconds, which never decrease. The machine decides how fast they increase.
      {"%globaltimer",
       [](const std::string& name) {
         ExpectByLane(name,
                      "mov.u64 %rd10, " + name + "; mov.u64 %rd11, " + name +
                          "; setp.ge.u64 %p1, %rd11, %rd10; selp.u32 %r20, 1, 0, %p1;" + kStore,
                      [](uint32_t) { return 1; });
       }},
  };
}

}  // namespace dragoman::ptx::isa
