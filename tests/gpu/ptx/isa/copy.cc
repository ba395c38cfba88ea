// Section 9.7.9.25.3 of the PTX ISA: asynchronous copies of a thread, and waits for groups of
// copies or for all.
//
// "Modifying the source memory location [...] or reading from the destination memory location
// before the asynchronous operation completes, exhibits undefined behavior" (9.7.9.25.1). The
// device reports a race, so tests can check both sides of each rule: a complete copy is accessed
// without a finding, and an incomplete one is a race.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

constexpr char kArea[] = ".shared .align 16 .b8 area[4096];";
constexpr uint32_t kCopies = 4;
constexpr uint32_t kCopyBytes = 512;  // distance between the places of two copies, for 32 threads

std::string Number(uint32_t i) { return std::to_string(i); }

TextOptions Threads(uint32_t count) {
  TextOptions options;
  options.grid.threads = {count, 1, 1};
  for (size_t i = 0; i < 8192; ++i) {
    options.in.push_back(static_cast<uint8_t>(i * 37 + i / 256 + 1));
  }
  options.out_bytes = 8192;
  return options;
}

// Each thread gets 16 bytes: at %r12 in shared memory, at %rd21 in `out` and at %rd22 in `in`. The
// bytes in shared memory have all bits set, so that zeros that a copy writes are visible. %p1 is
// true in odd threads.
std::string Begin() {
  std::string text =
      "mov.u32 %r10, area; shl.b32 %r11, %r2, 4; add.s32 %r12, %r10, %r11;"
      "mul.wide.u32 %rd20, %r2, 16; add.s64 %rd21, %rd2, %rd20; add.s64 %rd22, %rd1, %rd20;"
      "and.b32 %r13, %r2, 1; setp.ne.s32 %p1, %r13, 0; mov.u32 %r15, -1;";
  for (uint32_t word = 0; word < 4; ++word) {
    text += "st.shared.u32 [%r12+" + Number(4 * word) + "], %r15;";
  }
  return text;
}

// Returns the thread's copy i of 16 bytes. Register 30 + i has the number of bytes that come from
// the source.
std::string Copy(uint32_t i) {
  const std::string at = "+" + Number(kCopyBytes * i) + "]";
  return "cp.async.cg.shared.global [%r12" + at + ", [%rd22" + at + ", 16, %r" + Number(30 + i) +
         ";";
}

std::string Read(const std::string& guard, uint32_t i) {
  const std::string at = "+" + Number(kCopyBytes * i) + "]";
  return guard + "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r12" + at + ";" + guard +
         "st.global.v4.u32 [%rd21" + at + ", {%r20, %r21, %r22, %r23};";
}

std::string WriteSource(const std::string& guard, uint32_t i) {
  return guard + "st.global.u32 [%rd22+" + Number(kCopyBytes * i) + "], %r2;";
}

void ExpectRace(const std::string& body, const TextOptions& options) {
  const TextRun run = RunText(ModuleText(body, kArea), options);
  EXPECT_TRUE(run.report.Has(FindingKind::kRace))
      << body << "\nhas no race, but: " << run.report.Text();
}

// The steps of a thread, and which of its copies are complete after them.
struct Script {
  std::string steps;  // A to D: a copy; c: commit_group; wN: wait_group N; a: wait_all
  std::string complete;
};

// 9.7.9.25.3.2: commit_group "batches all prior cp.async instructions initiated by the executing
// thread but not committed to any cp.async-group into the new cp.async-group", which is empty if
// there are none. 9.7.9.25.3.3: wait_group waits "till only N or fewer of the most recent
// cp.async-groups are pending and all the prior cp.async-groups [...] are complete"; wait_all is
// commit_group and wait_group 0. 9.7.9.25.1.1: groups "always complete in the order in which they
// were committed". So a group before an empty group is complete if the empty one is not among the N
// most recent.
const Script kScripts[] = {
    // The example of 9.7.9.25.3.3, also with other values of N.
    {"AcBcCcw1", "AB"},
    {"AcBcCcw0", "ABC"},
    {"AcBcCcw2", "A"},
    {"AcBcCcw3", ""},
    {"AcBcCcw7", ""},
    // The order of the commits counts, not the order of the copies.
    {"CcAcBcw1", "AC"},
    {"DcCcBcAcw2", "CD"},
    // Groups with several copies.
    {"ABcCcw1", "AB"},
    {"ABcCDcw1", "AB"},
    {"AcBCDcw1", "A"},
    {"ABCDcw0", "ABCD"},
    // A copy that was not committed is in no group, and wait_group does not wait for it.
    {"Aw0", ""},
    {"ABw1", ""},
    {"AcBw0", "A"},
    {"AcBw1", ""},
    {"AcBcCw1", "A"},
    {"AcBw0c", "A"},
    {"AcBw0cw0", "AB"},
    {"AcBw0cw1", "A"},
    // wait_all waits for such a copy, too.
    {"Aa", "A"},
    {"AcBa", "AB"},
    {"AcBcCDa", "ABCD"},
    {"AcBcw1a", "AB"},
    {"aAc", ""},
    {"AaBc", "A"},
    {"AaB", "A"},
    {"AaBcw1", "A"},
    {"AaBcw0", "AB"},
    {"AcBaCcDcw1", "ABC"},
    // Groups without a copy count for N.
    {"Accw1", "A"},
    {"Acccw2", "A"},
    {"AcBccw2", "A"},
    {"AcBccw1", "AB"},
    {"AccBcw2", "A"},
    {"AccBcw1", "A"},
    {"cAcw1", ""},
    {"cccAcw1", ""},
    {"cccAcw3", ""},
    {"w0aAccw1", "A"},
    // A group that was waited for stays complete. Later waits count from the most recent group
    // again.
    {"AcBcCcw2w1", "AB"},
    {"AcBcCcw1w2", "AB"},
    {"Acw0w1", "A"},
    {"Acw0Bcw1", "A"},
    {"AcBcw1Ccw1", "AB"},
    {"AcBcw1Ccw1Dcw1", "ABC"},
    {"AcBcw1Ccw1Dw0", "ABC"},
};

// Returns a kernel in which even threads run one script and odd threads another. SourceSize gives
// the source size of copy i. Each thread's copies have their own places, so no barrier is needed.
std::string Text(const Script& even, const Script& odd) {
  const auto steps = [](const Script& script) {
    std::string text;
    for (size_t i = 0; i < script.steps.size(); ++i) {
      const char step = script.steps[i];
      if (step == 'c') {
        text += "cp.async.commit_group;";
      } else if (step == 'a') {
        text += "cp.async.wait_all;";
      } else if (step == 'w') {
        text += std::string("cp.async.wait_group ") + script.steps[++i] + ";";
      } else {
        text += Copy(static_cast<uint32_t>(step - 'A'));
      }
    }
    return text;
  };
  std::string text = Begin();
  for (uint32_t i = 0; i < kCopies; ++i) {
    text += "mul.lo.s32 %r14, %r2, 5; add.s32 %r14, %r14, " + Number(3 * i) + "; rem.u32 %r" +
            Number(30 + i) + ", %r14, 17;";
  }
  if (even.steps == odd.steps) return text + steps(even);
  return text + "@%p1 bra $odd;" + steps(even) + "@!%p1 bra $both; $odd: " + steps(odd) + "$both: ";
}

char NameOf(uint32_t copy) { return static_cast<char>('A' + copy); }
bool Has(const std::string& text, char c) { return text.find(c) != std::string::npos; }

// Bytes beyond the source size become zeros (9.7.9.25.3.1).
uint32_t SourceSize(uint32_t thread, uint32_t copy) { return (5 * thread + 3 * copy) % 17; }

// Even lanes run one script and odd lanes another, because a group is "per thread" and "an
// executing thread waits". Each lane reads its complete copies, and writes to their sources.
void CheckComplete(const std::string& name, const Script& even, const Script& odd) {
  std::string body = Text(even, odd);
  for (uint32_t i = 0; i < kCopies; ++i) {
    for (const bool is_odd : {false, true}) {
      const std::string guard = is_odd ? "@%p1 " : "@!%p1 ";
      if (Has((is_odd ? odd : even).complete, NameOf(i))) {
        body += Read(guard, i) + WriteSource(guard, i);
      }
    }
  }
  const TextOptions options = Threads(32);
  const TextRun run = RunForm(name, {body + "cp.async.wait_all;", kArea, ""}, options);
  for (uint32_t at = 0; at < kCopies * kCopyBytes; ++at) {
    const uint32_t i = at / kCopyBytes;
    const uint32_t lane = at / 16 % 32;
    const bool complete = Has((lane % 2 == 0 ? even : odd).complete, NameOf(i));
    ASSERT_EQ(run.out[at], complete && at % 16 < SourceSize(lane, i) ? options.in[at] : 0)
        << even.steps << " beside " << odd.steps << ": copy " << NameOf(i) << ", lane " << lane
        << ", byte " << at % 16;
  }
}

// The text leaves copy i of the even lanes incomplete. Accessing its destination is then a race,
// and so is writing to its source.
void CheckPendingCopy(const std::string& text, uint32_t i) {
  const std::string guard = "@!%p1 ";
  const std::string wait = "cp.async.wait_all;";
  const std::string write = "st.shared.u32 [%r12+" + Number(kCopyBytes * i) + "], %r2;";
  const TextOptions options = Threads(32);
  ExpectRace(text + Read(guard, i) + wait, options);
  ExpectRace(text + guard + write + wait, options);
  ExpectRace(text + WriteSource(guard, i) + wait, options);
}

void CheckPending(const Script& even, const Script& odd) {
  const std::string text = Text(even, odd);
  for (uint32_t i = 0; i < kCopies; ++i) {
    if (!Has(even.steps, NameOf(i)) || Has(even.complete, NameOf(i))) continue;
    SCOPED_TRACE(testing::Message()
                 << even.steps << " beside " << odd.steps << ", copy " << NameOf(i));
    CheckPendingCopy(text, i);
  }
}

void CheckScripts(const std::string& name, char step) {
  const Script* before = &kScripts[std::size(kScripts) - 1];
  for (const Script& script : kScripts) {
    if (Has(script.steps, step)) {
      CheckComplete(name, script, script);
      CheckComplete(name, script, *before);
      CheckPending(script, script);
      CheckPending(script, *before);
    }
    before = &script;
  }
}

// A ring of three places, as in a pipeline. Each round waits for its own copy, reads it, and starts
// the copy for the second next round, into the place that the round before has read. The last two
// rounds have no copy to start and commit empty groups.
void CheckRing(const std::string& name) {
  constexpr uint32_t kRounds = 11;
  const std::string bytes = Number(kCopyBytes);
  const std::string body =
      Begin() +
      "mov.u32 %r30, 16; mov.u32 %r31, 16; mov.u32 %r40, 0; mov.u32 %r41, 0; mov.u32 %r42, " +
      Number(2 * kCopyBytes) + ";" + Copy(0) + "cp.async.commit_group;" + Copy(1) +
      "cp.async.commit_group; $round: cp.async.wait_group 1;"
      "add.s32 %r43, %r12, %r41; add.s32 %r44, %r12, %r42;"
      "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r43];"
      "st.global.v4.u32 [%rd21], {%r20, %r21, %r22, %r23}; setp.lt.u32 %p2, %r40, " +
      Number(kRounds - 2) + "; @%p2 cp.async.cg.shared.global [%r44], [%rd22+" +
      Number(2 * kCopyBytes) + "], 16; cp.async.commit_group; add.s64 %rd21, %rd21, " + bytes +
      "; add.s64 %rd22, %rd22, " + bytes + "; add.s32 %r41, %r41, " + bytes +
      "; rem.u32 %r41, %r41, " + Number(3 * kCopyBytes) + "; add.s32 %r42, %r42, " + bytes +
      "; rem.u32 %r42, %r42, " + Number(3 * kCopyBytes) +
      "; add.s32 %r40, %r40, 1; setp.lt.u32 %p3, %r40, " + Number(kRounds) + "; @%p3 bra $round;";
  const TextOptions options = Threads(32);
  const TextRun run = RunForm(name, {body, kArea, ""}, options);
  for (size_t at = 0; at < kRounds * kCopyBytes; ++at) {
    ASSERT_EQ(run.out[at], options.in[at]) << "round " << at / kCopyBytes << ", byte " << at % 512;
  }
}

// A thread copies twice to one place. The second copy reads 512 bytes further on in `in`. "There is
// no ordering between two cp.async operations that are not synchronized" by a wait (9.7.9.25.3.3),
// and within a group two copies to one location are undefined behaviour (9.7.9.25.3.2).
void CheckOnePlace(const std::string& name, const std::string& wait) {
  const std::string first = Begin() + "cp.async.cg.shared.global [%r12], [%rd22], 16;";
  const std::string second = "cp.async.cg.shared.global [%r12], [%rd22+512], 16;";
  const std::string end = "cp.async.wait_all;" + Read("", 0);
  const TextOptions options = Threads(32);
  const TextRun run = RunForm(name, {first + wait + second + end, kArea, ""}, options);
  for (size_t at = 0; at < 512; ++at) ASSERT_EQ(run.out[at], options.in[512 + at]) << at;
  ExpectRace(first + second + end, options);
  ExpectRace(first + "cp.async.commit_group;" + second + "cp.async.commit_group;" + end, options);
}

// The writes of copies "are made visible to the executing thread" (9.7.9.25.3.3) after its wait.
// Another thread also needs a barrier. Thread i of 80 reads the copy of thread (i + 37) % 80.
void CheckOtherThreads(const std::string& name, const std::string& wait) {
  const auto body = [](const std::string& between) {
    return Begin() + "cp.async.cg.shared.global [%r12], [%rd22], 16;" + between +
           "add.s32 %r13, %r2, 37; rem.u32 %r13, %r13, 80; shl.b32 %r13, %r13, 4;"
           "add.s32 %r12, %r10, %r13;" +
           Read("", 0) + "cp.async.wait_all;";
  };
  const std::string barrier = "bar.sync 0;";
  const TextOptions options = Threads(80);
  const TextRun run = RunForm(name, {body(wait + barrier), kArea, ""}, options);
  for (size_t at = 0; at < 1280; ++at) {
    ASSERT_EQ(run.out[at], options.in[(at + 592) % 1280]) << at;
  }
  ExpectRace(body(wait), options);
  ExpectRace(body(barrier), options);
  ExpectRace(body(barrier + wait), options);
}

// The same within a warp: even lanes copy, and each odd lane reads the copy of the lane before it.
// The even lanes must wait, not the odd ones.
void CheckOtherLanes(const std::string& name, const std::string& wait) {
  const auto body = [&](const std::string& guard) {
    return Begin() + "@!%p1 cp.async.cg.shared.global [%r12], [%rd22], 16;" +
           "@!%p1 cp.async.commit_group;" + guard + wait + "bar.warp.sync -1;" +
           "add.s32 %r12, %r12, -16;" + Read("@%p1 ", 0) + "cp.async.wait_all;";
  };
  const TextOptions options = Threads(32);
  const TextRun run = RunForm(name, {body("@!%p1 "), kArea, ""}, options);
  for (size_t at = 0; at < 512; ++at) {
    ASSERT_EQ(run.out[at], at / 16 % 2 == 1 ? options.in[at - 16] : 0) << at;
  }
  ExpectRace(body("@%p1 "), options);
  // "[...] does not provide any ordering and visibility guarantees for any other memory operation
  // apart from cp.async" (9.7.9.25.3.3): a store of an even lane is not ordered before the load of
  // an odd lane.
  ExpectRace(Begin() + "@!%p1 st.shared.u32 [%r12], %r2;" + wait + "add.s32 %r12, %r12, -16;" +
                 Read("@%p1 ", 0),
             options);
}

// 9.7.9.25.3.1: a copy writes 16 bytes, and those beyond the source size are zeros. The thread sees
// them when wait_all returns.
void CheckCopy(const std::string& name) {
  const uint32_t sizes[] = {16, 0, 4, 8, 12, 16, 1, 15};
  const std::string body =
      Begin() +
      "and.b32 %r13, %r2, 7; mul.wide.u32 %rd23, %r13, 4; add.s64 %rd24, %rd1, %rd23;"
      "ld.global.u32 %r30, [%rd24+512];" +
      Copy(0) + "cp.async.wait_all;" + Read("", 0);
  TextOptions options = Threads(32);
  const std::vector<uint8_t> words =
      Bytes(std::vector<uint32_t>(std::begin(sizes), std::end(sizes)));
  std::copy(words.begin(), words.end(), options.in.begin() + 512);
  const TextRun run = RunForm(name, {body, kArea, ""}, options);
  for (size_t at = 0; at < 512; ++at) {
    const bool copied = at % 16 < sizes[at / 16 % 8];
    EXPECT_EQ(run.out[at], copied ? options.in[at] : 0)
        << "lane " << at / 16 << ", byte " << at % 16;
  }
}

}  // namespace

std::vector<Form> CopyForms() {
  const std::string groups = "cp.async.commit_group; cp.async.wait_group 0;";
  return {
      {"cp.async.cg.shared.global", CheckCopy},
      {"cp.async.wait_all",
       [](const std::string& name) {
         CheckCopy(name);
         CheckScripts(name, 'a');
         CheckOnePlace(name, name + ";");
         CheckOtherThreads(name, name + ";");
         CheckOtherLanes(name, name + ";");
       }},
      {"cp.async.commit_group",
       [=](const std::string& name) {
         CheckScripts(name, 'c');
         CheckRing(name);
         CheckOtherThreads(name, groups);
       }},
      {"cp.async.wait_group",
       [=](const std::string& name) {
         CheckScripts(name, 'w');
         CheckRing(name);
         CheckOnePlace(name, groups);
         CheckOtherThreads(name, groups);
         CheckOtherLanes(name, "cp.async.wait_group 0;");
       }},
  };
}

}  // namespace dragoman::ptx::isa
