// Sections 9.7.9.6, 9.7.13.10 and 9.7.13.2 of the PTX ISA: shfl.sync, vote.sync and bar.warp.sync.
#include <gtest/gtest.h>

#include <optional>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

constexpr uint32_t kLanes = 32;

// Returns the lane whose value a lane gets, by the ISA's pseudocode, or nothing if the lane keeps
// its own.
std::optional<uint32_t> Source(const std::string& mode, int lane, uint32_t b, uint32_t c) {
  const int bval = static_cast<int>(b & 31);
  const int cval = static_cast<int>(c & 31);
  const int segmask = static_cast<int>(c >> 8 & 31);
  const int max_lane = (lane & segmask) | (cval & ~segmask);
  const int min_lane = lane & segmask;
  int from = 0;
  bool in_range = false;
  if (mode == "up") {
    from = lane - bval;
    in_range = from >= max_lane;
  } else if (mode == "bfly") {
    from = lane ^ bval;
    in_range = from <= max_lane;
  } else {
    from = min_lane | (bval & ~segmask);
    in_range = from <= max_lane;
  }
  if (!in_range) return std::nullopt;
  return static_cast<uint32_t>(from);
}

struct Shuffle {
  uint32_t b;
  uint32_t c;
};

// Distances and clamps as compilers write them for segments of 32, 16, 8 and 4 lanes, and some
// others: only five bits of the distance count, and the clamp may be within a segment.
std::vector<Shuffle> Shuffles() {
  std::vector<Shuffle> all;
  for (const uint32_t b : {0, 1, 2, 3, 7, 8, 16, 17, 31, 32, 37}) {
    for (const uint32_t c :
         {0x001f, 0x0000, 0x101f, 0x181f, 0x1c1f, 0x1c00, 0x1003, 0x0014, 0x1f00})
      all.push_back({b, c});
  }
  return all;
}

// Lane l contributes 1000 + 3 l. With `by_lane`, the distance is the shuffle's plus 5 l, which
// differs in each lane.
void CheckShuffle(const std::string& name, const std::string& mode, bool by_lane) {
  const std::vector<Shuffle> shuffles = Shuffles();
  std::string body =
      "mad.lo.s32 %r10, %r2, 3, 1000; mul.wide.u32 %rd20, %r2, 8; add.s64 %rd21, %rd2, %rd20; "
      "mul.lo.s32 %r15, %r2, 5;"
      "mov.u32 %r13, -1;";
  for (size_t i = 0; i < shuffles.size(); ++i) {
    body += "ld.global.v2.u32 {%r11, %r12}, [%rd1+" + std::to_string(8 * i) + "];";
    if (by_lane) body += "add.s32 %r11, %r11, %r15;";
    body += name + " %r20|%p1, %r10, %r11, %r12, %r13; selp.u32 %r21, 1, 0, %p1;";
    body += "st.global.v2.u32 [%rd21+" + std::to_string(8 * kLanes * i) + "], {%r20, %r21};";
  }
  TextOptions options;
  options.in = Bytes(shuffles);
  options.out_bytes = shuffles.size() * kLanes * 8;
  const TextRun run = RunForm(name, {body, "", ""}, options);
  for (size_t i = 0; i < shuffles.size(); ++i) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t b = shuffles[i].b + (by_lane ? 5 * lane : 0);
      const std::optional<uint32_t> from = Source(mode, static_cast<int>(lane), b, shuffles[i].c);
      const size_t at = 2 * (i * kLanes + lane);
      ASSERT_EQ(run.At<uint32_t>(at), 1000 + 3 * from.value_or(lane))
          << name << " lane " << lane << std::hex << " b " << b << " c " << shuffles[i].c;
      ASSERT_EQ(run.At<uint32_t>(at + 1), from.has_value() ? 1U : 0U)
          << name << " lane " << lane << std::hex << " b " << b << " c " << shuffles[i].c;
    }
  }
}

// The halves of a warp take different branches. Each half shuffles by itself, without waiting for
// the other. The lower half takes the value of lane 2 or of the lane two further on, and the upper
// half that of lane 17 or of the next lane.
void CheckHalves(const std::string& name, const std::string& mode) {
  const uint32_t upper_b = mode == "idx" ? 17 : 1;
  const std::string body =
      "mad.lo.s32 %r10, %r2, 3, 1000; mul.wide.u32 %rd20, %r2, 4; add.s64 %rd21, %rd2, %rd20;"
      "mov.u32 %r11, 2; mov.u32 %r12, 31; mov.u32 %r13, 65535; setp.lt.s32 %p2, %r2, 16; @!%p2 bra "
      "$upper;" +
      name +
      " %r20|%p1, %r10, %r11, %r12, %r13; bra $end; $upper: mov.u32 %r13, -65536; mov.u32 %r11, " +
      std::to_string(upper_b) + ";" + name +
      " %r20|%p1, %r10, %r11, %r12, %r13; $end: st.global.u32 [%rd21], %r20;";
  TextOptions options;
  options.in.resize(16);
  const TextRun run = RunForm(name, {body, "", ""}, options);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t from = *Source(mode, static_cast<int>(lane), lane < 16 ? 2 : upper_b, 31);
    EXPECT_EQ(run.At<uint32_t>(lane), 1000 + 3 * from) << name << " lane " << lane;
  }
}

Form ShuffleForm(const std::string& mode) {
  return {"shfl.sync." + mode + ".b32", [mode](const std::string& name) {
            CheckShuffle(name, mode, false);
            CheckShuffle(name, mode, true);
            if (mode != "up") CheckHalves(name, mode);
          }};
}

// A vote whose predicates are the bits of a word. Lanes outside of the mask take another branch.
void CheckVote(const std::string& name, uint32_t predicates, uint32_t mask) {
  const bool ballot = name.find("ballot") != std::string::npos;
  const std::string result = ballot ? "%r20" : "%p3";
  const std::string body =
      "mul.wide.u32 %rd20, %r2, 4; add.s64 %rd21, %rd2, %rd20; ld.global.v2.u32 {%r10, %r11}, "
      "[%rd1];"
      "shr.u32 %r12, %r10, %r2; and.b32 %r12, %r12, 1; setp.ne.s32 %p1, %r12, 0; shr.u32 %r13, "
      "%r11, %r2;"
      "and.b32 %r13, %r13, 1; setp.eq.s32 %p2, %r13, 0; mov.u32 %r20, 12345; @%p2 bra $out;" +
      name + " " + result + ", %p1, %r11;" + (ballot ? "" : "selp.u32 %r20, 1, 0, %p3;") +
      "$out: st.global.u32 [%rd21], %r20;";
  TextOptions options;
  options.in = Bytes<uint32_t>({predicates, mask});
  const TextRun run = RunForm(name, {body, "", ""}, options);
  // Lanes outside of the mask count as zeros.
  const uint32_t votes = predicates & mask;
  const uint32_t outcome = ballot ? votes : votes != 0 ? 1 : 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(run.At<uint32_t>(lane), (mask >> lane & 1) != 0 ? outcome : 12345U)
        << name << " of " << std::hex << predicates << " with mask " << mask << ", lane " << lane;
  }
}

Form Vote(const std::string& name) {
  return {name, [](const std::string& form) {
            for (const uint32_t predicates :
                 {0U, 1U, 0x80000000U, 0xffffffffU, 0xdeadbeefU, 0x00ff0000U}) {
              for (const uint32_t mask : {0xffffffffU, 0x0000ffffU, 0xff00ff00U, 0x00000001U}) {
                CheckVote(form, predicates, mask);
              }
            }
          }};
}

// The lanes of a mask wait for each other, and then see what the others wrote to memory before:
// each lane reads what the lane `distance` further on has written. The mask is in a register or in
// the text.
void CheckWarpBarrier(const std::string& name, uint32_t mask, const std::string& operand) {
  const std::string body =
      "mul.wide.u32 %rd20, %r2, 4; add.s64 %rd21, %rd2, %rd20; mov.u32 %r10, area; shl.b32 %r11, "
      "%r2, 2;"
      "add.s32 %r12, %r10, %r11; add.s32 %r13, %r2, 1; and.b32 %r13, %r13, 15; and.b32 %r14, %r2, "
      "16;"
      "or.b32 %r13, %r13, %r14; shl.b32 %r13, %r13, 2; add.s32 %r13, %r13, %r10; mov.u32 %r15, " +
      std::to_string(mask) +
      "; shr.u32 %r16, %r15, %r2; and.b32 %r16, %r16, 1; setp.eq.s32 %p1, %r16, 0;"
      "mov.u32 %r20, 12345; @%p1 bra $out; add.s32 %r17, %r2, 500; st.shared.u32 [%r12], %r17;" +
      name + " " + operand + "; ld.shared.u32 %r20, [%r13];" + name + " " + operand +
      "; add.s32 %r17, %r2, 900; st.shared.u32 [%r12], %r17; $out: st.global.u32 [%rd21], %r20;";
  TextOptions options;
  options.in.resize(16);
  const TextRun run = RunForm(name, {body, ".shared .align 4 .b8 area[128];", ""}, options);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t next = (lane & 16) | ((lane + 1) & 15);
    EXPECT_EQ(run.At<uint32_t>(lane), (mask >> lane & 1) != 0 ? 500 + next : 12345U) << lane;
  }
}

}  // namespace

std::vector<Form> WarpForms() {
  return {
      ShuffleForm("bfly"),
      ShuffleForm("idx"),
      ShuffleForm("up"),
      Vote("vote.sync.any.pred"),
      Vote("vote.sync.ballot.b32"),
      {"bar.warp.sync",
       [](const std::string& name) {
         CheckWarpBarrier(name, 0xffffffff, "-1");
         CheckWarpBarrier(name, 0xffffffff, "%r15");
         CheckWarpBarrier(name, 0x0000ffff, "%r15");
         CheckWarpBarrier(name, 0xffff0000, "%r15");
       }},
  };
}

}  // namespace dragoman::ptx::isa
