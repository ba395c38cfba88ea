// Section 9.7.13.5 of the PTX ISA: atom.
#include <gtest/gtest.h>

#include <set>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

constexpr size_t kLanes = 32;
constexpr size_t kLaneBytes = 64;

// %rd33 and %rd34 are the addresses of the lane's 64 bytes of `in` and `out`.
constexpr char kAddresses[] =
    "mul.wide.u32 %rd30, %r2, 64; add.s64 %rd31, %rd1, %rd30; add.s64 %rd32, %rd2, %rd30;"
    "cvta.to.global.u64 %rd33, %rd31; cvta.to.global.u64 %rd34, %rd32;";
constexpr char kShared[] = ".shared .align 16 .b8 area[16];";

// Checks that there is an order in which the lanes may have changed a word: each lane must have
// seen what the lanes before it had made of the word. If several lanes saw the same value, the lane
// that changed the word came last.
void ExpectChain(uint64_t first, uint64_t last, const std::vector<uint64_t>& seen,
                 const std::function<uint64_t(uint64_t before, size_t lane)>& next) {
  std::set<size_t> left;
  for (size_t lane = 0; lane < seen.size(); ++lane) left.insert(lane);
  uint64_t now = first;
  while (!left.empty()) {
    auto found = left.end();
    for (auto lane = left.begin(); lane != left.end(); ++lane) {
      if (seen[*lane] != now) continue;
      found = lane;
      if (next(now, *lane) == now) break;
    }
    ASSERT_NE(found, left.end()) << "no lane has seen " << now;
    now = next(now, *found);
    left.erase(found);
  }
  EXPECT_EQ(now, last);
}

// Lets all lanes change one word, in global or in shared memory. Operands have `bits` bits. A word
// in global memory is the first word of `out`.
void CheckAtomic(const std::string& name, size_t bits, const std::vector<uint64_t>& operands,
                 const std::function<uint64_t(uint64_t, uint64_t)>& operation) {
  const bool wide = bits == 64;
  const bool shared = name.find(".shared") != std::string::npos;
  const std::string reg = wide ? "%rd" : "%r";
  const std::string type = wide ? ".u64" : ".u32";
  const std::string at = shared ? "%r29" : "%rd29";
  std::string body = kAddresses;
  body += shared ? "mov.u32 %r29, area; mov.u32 %r28, 0; setp.eq.s32 %p1, %r2, 0;"
                   "@%p1 st.shared.u32 [%r29], %r28; bar.warp.sync -1;"
                 : "cvta.to.global.u64 %rd29, %rd2; add.s64 %rd29, %rd29, 2048;";
  body += "ld.global" + type + " " + reg + "21, [%rd33];";
  body += name + " " + reg + "20, [" + at + "], " + reg + "21;";
  body += "bar.warp.sync -1;";
  body += (shared ? "ld.shared" : "ld.global") + type + " " + reg + "22, [" + at + "];";
  body += "st.global" + type + " [%rd34], " + reg + "20; st.global" + type + " [%rd34+8], " + reg +
          "22;";
  TextOptions options;
  options.in.resize(kLanes * kLaneBytes);
  for (size_t lane = 0; lane < kLanes; ++lane) {
    std::memcpy(options.in.data() + lane * kLaneBytes, &operands[lane], 8);
  }
  const TextRun run = RunForm(name, {body, kShared, ""}, options);
  std::vector<uint64_t> seen;
  for (size_t lane = 0; lane < kLanes; ++lane) seen.push_back(run.At<uint64_t>(lane * 8));
  const uint64_t mask = wide ? ~uint64_t{0} : 0xffffffff;
  const uint64_t last = run.At<uint64_t>(1);
  ExpectChain(0, last, seen, [&](uint64_t before, size_t lane) {
    return operation(before, operands[lane]) & mask;
  });
}

std::vector<uint64_t> Addends(bool wide) {
  std::vector<uint64_t> values;
  for (uint64_t lane = 0; lane < kLanes; ++lane) {
    // The sums wrap several times, and all partial sums are different.
    values.push_back(wide ? 0x5000000100000001 * (lane + 1) + lane
                          : 0x30000001 * (lane + 1) & 0xffffffff);
  }
  return values;
}
// Every two lanes have the same two bits, so that the second of them finds both bits set.
std::vector<uint64_t> PairsOfBits() {
  std::vector<uint64_t> values;
  for (uint64_t lane = 0; lane < kLanes; ++lane) values.push_back(uint64_t{3} << lane / 2 * 2);
  return values;
}

Form Atomic(const std::string& name, size_t bits, const std::vector<uint64_t>& operands,
            const std::function<uint64_t(uint64_t, uint64_t)>& operation) {
  return {name, [=](const std::string& form) { CheckAtomic(form, bits, operands, operation); }};
}

// 9.7.13.5, .cas: if the word equals the second operand, it becomes the third. First all lanes
// expect zero and write their number plus one. Then lane 0 alone expects a value that the word does
// not have.
void CheckCompareAndSwap(const std::string& name) {
  std::string body = kAddresses;
  body +=
      "cvta.to.global.u64 %rd29, %rd2; add.s64 %rd29, %rd29, 2048; mov.u32 %r20, 0; add.s32 %r21, "
      "%r2, 1;";
  body += name +
          " %r22, [%rd29], %r20, %r21; bar.warp.sync -1; setp.ne.s32 %p1, %r2, 0; st.global.u32 "
          "[%rd34], %r22;";
  body += "@%p1 bra $done; mov.u32 %r23, 77;" + name +
          " %r24, [%rd29], %r23, %r23; st.global.u32 [%rd34+4], %r24;";
  body += "ld.global.u32 %r25, [%rd29]; st.global.u32 [%rd34+8], %r25; $done: ret;";
  TextOptions options;
  options.in.resize(16);
  const TextRun run = RunForm(name, {body, kShared, ""}, options);
  const auto word = run.At<uint32_t>(2);
  ASSERT_GE(word, 1U);
  ASSERT_LE(word, kLanes);
  EXPECT_EQ(run.At<uint32_t>(1), word);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(run.At<uint32_t>(lane * kLaneBytes / 4), lane + 1 == word ? 0 : word) << lane;
  }
}

}  // namespace

std::vector<Form> AtomicForms() {
  const auto sum = [](uint64_t a, uint64_t b) { return a + b; };
  return {
      Atomic("atom.add.u64", 64, Addends(true), sum),
      Atomic("atom.global.add.u32", 32, Addends(false), sum),
      Atomic("atom.shared.add.u32", 32, Addends(false), sum),
      Atomic("atom.shared.or.b32", 32, PairsOfBits(), std::bit_or<uint64_t>()),
      {"atom.global.cas.b32", CheckCompareAndSwap},
  };
}

}  // namespace dragoman::ptx::isa
