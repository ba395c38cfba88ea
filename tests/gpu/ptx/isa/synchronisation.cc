// Section 9.7.13 of the PTX ISA: barriers, fences and mbarriers. Also 9.7.12 and 9.7.19,
// griddepcontrol and setmaxnreg, for which a single kernel can only show that nothing else changes.
// runtime_cases.cu tests copies of tensors and dependent grids, which need the runtime.
#include <gtest/gtest.h>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

constexpr char kArea[] = ".shared .align 16 .b8 area[4096]; .shared .align 8 .b64 phase;";

TextOptions Threads(uint32_t count) {
  TextOptions options;
  options.grid.threads = {count, 1, 1};
  options.in.resize(16);
  return options;
}

// %rd21 is the address of the thread's word in `out`.
constexpr char kWord[] = "mul.wide.u32 %rd20, %r2, 4; add.s64 %rd21, %rd2, %rd20;";

// 9.7.13.1: all threads of the block arrive, and then see what the others wrote before. Each thread
// reads what the thread 37 further on, in another warp, has written. This happens twice, so that
// the barrier is reused.
void CheckBlockBarrier(const std::string& name) {
  const std::string body =
      std::string(kWord) +
      "mov.u32 %r10, area; shl.b32 %r11, %r2, 2; add.s32 %r12, %r10, %r11; add.s32 %r13, %r2, 37;"
      "rem.u32 %r13, %r13, 80; shl.b32 %r13, %r13, 2; add.s32 %r13, %r13, %r10;"
      "add.s32 %r14, %r2, 500; st.shared.u32 [%r12], %r14;" +
      name + " 0; ld.shared.u32 %r20, [%r13];" + name +
      " 0; add.s32 %r14, %r2, 9000; st.shared.u32 [%r12], %r14;" + name +
      " 0; ld.shared.u32 %r21, [%r13]; add.s32 %r20, %r20, %r21; st.global.u32 [%rd21], %r20;";
  const TextRun run = RunForm(name, {body, kArea, ""}, Threads(80));
  for (uint32_t thread = 0; thread < 80; ++thread) {
    EXPECT_EQ(run.At<uint32_t>(thread), 9500 + 2 * ((thread + 37) % 80)) << thread;
  }
}

// 9.7.13.1, .red: every thread learns whether the predicate is true in any thread. It is true in
// one thread, or in none.
void CheckBarrierOr(const std::string& name, uint32_t of_thread) {
  const std::string body = std::string(kWord) + "setp.eq.s32 %p1, %r2, " +
                           std::to_string(of_thread) + ";" + name +
                           " %p2, 0, %p1; selp.u32 %r20, 1, 0, %p2; st.global.u32 [%rd21], %r20;";
  const TextRun run = RunForm(name, {body, kArea, ""}, Threads(80));
  for (uint32_t thread = 0; thread < 80; ++thread) {
    EXPECT_EQ(run.At<uint32_t>(thread), of_thread < 80 ? 1U : 0U) << of_thread << ", " << thread;
  }
}

// A step of one thread on an mbarrier at [%r10], after which the thread tests both parities. The
// expected answers are one bit for parity 0 and one for parity 1.
struct Step {
  std::string text;
  uint32_t parity_0_is_over;
  uint32_t parity_1_is_over;
};

// 9.7.13.15: for a new barrier, the phase with parity 1 counts as the phase before, which is
// complete. A phase is complete when its last arrival has come. Then the count is reset, and the
// next phase begins.
void CheckPhases(const std::string& name, const std::string& arrive) {
  const Step steps[] = {
      {"mov.u32 %r11, 3; mbarrier.init.shared::cta.b64 [%r10], %r11;", 0, 1},
      {arrive, 0, 1},
      {arrive, 0, 1},
      {arrive, 1, 0},
      {arrive + arrive, 1, 0},
      {arrive, 0, 1},
      {arrive + arrive + arrive, 1, 0},
  };
  std::string body = "mov.u32 %r10, phase; mov.u32 %r12, 0; mov.u32 %r13, 1;";
  size_t at = 0;
  for (const Step& step : steps) {
    body += step.text;
    for (const char* parity : {"%r12", "%r13"}) {
      body += std::string("mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r10], ") + parity +
              "; selp.u32 %r20, 1, 0, %p1; st.global.u32 [%rd2+" + std::to_string(4 * at++) +
              "], %r20;";
    }
  }
  const TextRun run = RunForm(name, {body, kArea, ""}, Threads(1));
  at = 0;
  for (const Step& step : steps) {
    EXPECT_EQ(run.At<uint32_t>(at), step.parity_0_is_over) << step.text << " step " << at / 2;
    EXPECT_EQ(run.At<uint32_t>(at + 1), step.parity_1_is_over) << step.text << " step " << at / 2;
    at += 2;
  }
}

// An arrival releases what its thread wrote before, and a successful wait acquires it.
void CheckHandOver(const std::string& name) {
  const std::string body =
      std::string(kWord) +
      "mov.u32 %r10, phase; mov.u32 %r11, area; mov.u32 %r12, 64; mov.u32 %r13, 0;"
      "setp.ne.s32 %p1, %r2, 0; @%p1 bra $ready; mbarrier.init.shared::cta.b64 [%r10], %r12;"
      "fence.mbarrier_init.release.cluster; $ready: bar.sync 0; shl.b32 %r14, %r2, 2;"
      "add.s32 %r15, %r11, %r14; add.s32 %r16, %r2, 700; setp.ge.s32 %p2, %r2, 64; @%p2 bra $wait;"
      "st.shared.u32 [%r15], %r16; mbarrier.arrive.shared::cta.b64 _, [%r10];"
      "$wait: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r10], %r13; @!%p3 bra $wait;"
      "and.b32 %r17, %r2, 31; shl.b32 %r17, %r17, 3; add.s32 %r17, %r17, %r11;"
      "ld.shared.u32 %r20, [%r17]; st.global.u32 [%rd21], %r20;";
  const TextRun run = RunForm(name, {body, kArea, ""}, Threads(96));
  for (uint32_t thread = 0; thread < 96; ++thread) {
    EXPECT_EQ(run.At<uint32_t>(thread), 700 + 2 * (thread % 32)) << thread;
  }
}

// Checks that an instruction without a result leaves memory and registers unchanged.
void CheckNoEffect(const std::string& name, const std::string& text, uint32_t threads,
                   const std::string& directives) {
  const std::string body =
      std::string(kWord) +
      "mov.u32 %r10, area; shl.b32 %r11, %r2, 2; add.s32 %r12, %r10, %r11; add.s32 %r13, %r2, 41;"
      "mul.lo.s32 %r14, %r2, 3; st.shared.u32 [%r12], %r13;" +
      text + "ld.shared.u32 %r20, [%r12]; add.s32 %r20, %r20, %r14; st.global.u32 [%rd21], %r20;";
  const TextRun run = RunForm(name, {body, kArea, directives}, Threads(threads));
  for (uint32_t thread = 0; thread < threads; ++thread) {
    EXPECT_EQ(run.At<uint32_t>(thread), 41 + 4 * thread) << thread;
  }
}

Form NoEffect(const std::string& name, const std::string& text, uint32_t threads = 32,
              const std::string& directives = "") {
  return {name, [=](const std::string& form) { CheckNoEffect(form, text, threads, directives); }};
}

}  // namespace

std::vector<Form> SynchronisationForms() {
  const std::string arrive = "mbarrier.arrive.shared::cta.b64 _, [%r10];";
  // It announces no bytes, and so behaves like any other arrival. Announced bytes would need a
  // copy.
  const std::string announce = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], %r12;";
  const std::string registers =
      "setmaxnreg.dec.sync.aligned.u32 40; setmaxnreg.inc.sync.aligned.u32 232;";
  const std::string launch = ".maxntid 128, 1, 1 .minnctapersm 1";
  return {
      {"bar.sync", CheckBlockBarrier},
      {"bar.red.or.pred",
       [](const std::string& name) {
         for (const uint32_t thread : {0U, 40U, 79U, 1000U}) CheckBarrierOr(name, thread);
       }},
      {"mbarrier.init.shared::cta.b64",
       [=](const std::string& name) { CheckPhases(name, arrive); }},
      {"mbarrier.arrive.shared::cta.b64",
       [=](const std::string& name) {
         CheckPhases(name, arrive);
         CheckHandOver(name);
       }},
      {"mbarrier.try_wait.parity.shared::cta.b64",
       [=](const std::string& name) {
         CheckPhases(name, arrive);
         CheckHandOver(name);
       }},
      {"mbarrier.arrive.expect_tx.shared::cta.b64",
       [=](const std::string& name) { CheckPhases(name, announce); }},
      {"fence.mbarrier_init.release.cluster", CheckHandOver},
      NoEffect("fence.proxy.async.shared::cta", "fence.proxy.async.shared::cta;"),
      NoEffect("griddepcontrol.wait", "griddepcontrol.launch_dependents; griddepcontrol.wait;"),
      NoEffect("griddepcontrol.launch_dependents", "griddepcontrol.launch_dependents;"),
      NoEffect("setmaxnreg.dec.sync.aligned.u32", registers, 128, launch),
      NoEffect("setmaxnreg.inc.sync.aligned.u32", registers, 128, launch),
  };
}

}  // namespace dragoman::ptx::isa
