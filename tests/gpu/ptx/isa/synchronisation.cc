// 9.7.13, barriers, fences and mbarriers; 9.7.12 and 9.7.19, griddepcontrol and setmaxnreg, of which
// a kernel by itself shows only that nothing else changes. What the copies of tensors and dependent
// grids do is in runtime_cases.cu, for they need the runtime.
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

// %rd21 is the thread's word of `out`.
constexpr char kWord[] = "mul.wide.u32 %rd20, %r2, 4; add.s64 %rd21, %rd2, %rd20;";

// 9.7.13.1: all threads of the block come, and see what the others have written before. Each reads
// what the thread 37 further has written, in another warp; twice, so that the barrier is used anew.
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

// 9.7.13.1, .red: every thread gets whether the predicate is true of any. It is true of one thread,
// or of none.
void CheckBarrierOr(const std::string& name, uint32_t of_thread) {
  const std::string body = std::string(kWord) + "setp.eq.s32 %p1, %r2, " +
                           std::to_string(of_thread) + ";" + name +
                           " %p2, 0, %p1; selp.u32 %r20, 1, 0, %p2; st.global.u32 [%rd21], %r20;";
  const TextRun run = RunForm(name, {body, kArea, ""}, Threads(80));
  for (uint32_t thread = 0; thread < 80; ++thread) {
    EXPECT_EQ(run.At<uint32_t>(thread), of_thread < 80 ? 1U : 0U) << of_thread << ", " << thread;
  }
}

// One thread's steps on an mbarrier at [%r10], each followed by asking for both parities. Of each
// step the answers are two bits: that of parity 0, and of parity 1.
struct Step {
  std::string text;
  uint32_t parity_0_is_over;
  uint32_t parity_1_is_over;
};

// 9.7.13.15: of a barrier that has just begun, the phase of parity 1 counts as the one before,
// which is over. A phase is over when the last arrival has come; then the count is what it was, and
// the next phase runs.
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

// An arrival releases what its thread has written before, and a wait that succeeds acquires it.
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

// An instruction without a result leaves the memory and the registers around it as they are.
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
  // It announces no bytes, and so is an arrival like any other; bytes need a copy that brings them.
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
