// Instructions by which the lanes of a warp exchange values (shfl.sync, vote.sync) or wait for each
// other (bar.warp.sync). Their member masks are in Instruction::e.
#include <algorithm>
#include <string>

#include "tests/gpu/ptx/decode.h"
#include "tests/gpu/ptx/warp.h"

namespace dragoman::ptx {
namespace {

enum ShuffleMode { kUp, kDown, kButterfly, kIndex };
enum VoteMode { kAny, kAll, kUniform, kBallot };

// d|predicate = a of another lane, which b and c (segments) select: the ISA's own pseudocode.
// list[0] is the predicate, if there is one.
void Shuffle(Warp& warp, const Instruction& i, uint32_t lanes) {
  uint32_t* const d = warp.At(i.d);
  uint32_t values[kLanes];
  std::copy_n(warp.At(i.a), kLanes, values);
  const uint32_t* const b = warp.At(i.b);
  const uint32_t* const c = warp.At(i.c);
  const uint32_t members = warp.At(i.e)[std::countr_zero(lanes)];
  uint32_t in_range = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int by = static_cast<int>(b[lane] & 31U);
    const int clamp = static_cast<int>(c[lane] & 31U);
    const int segment = static_cast<int>(c[lane] >> 8 & 31U);
    const int highest = (lane & segment) | (clamp & ~segment);
    const int lowest = lane & segment;
    int source = 0;
    bool valid = false;
    switch (i.mode) {
      case kUp:
        source = lane - by;
        valid = source >= highest;
        break;
      case kDown:
        source = lane + by;
        valid = source <= highest;
        break;
      case kButterfly:
        source = lane ^ by;
        valid = source <= highest;
        break;
      default:
        source = lowest | (by & ~segment);
        valid = source <= highest;
        break;
    }
    if (!valid) source = lane;
    if ((lanes >> source & 1U) == 0) {
      const bool member = (members >> source & 1U) != 0;
      Raise(warp, FindingKind::kUndefinedValue, 1U << lane,
            "shfl from lane " + std::to_string(source) + ", which " +
                (member ? "does not take part" : "is not in the mask of members"));
    }
    d[lane] = values[source];
    if (valid) in_range |= 1U << lane;
  }
  if (!i.list.empty()) {
    uint32_t& predicate = warp.Predicate(i.list[0]);
    predicate = (predicate & ~lanes) | in_range;
  }
}

// d = the vote on the predicates a of the members; negated predicates for mode + 4.
void Vote(Warp& warp, const Instruction& i, uint32_t lanes) {
  constexpr int kNegated = 4;
  const uint32_t a = warp.Predicate(i.a);
  const uint32_t votes = ((i.mode & kNegated) != 0 ? ~a : a) & lanes;
  if ((i.mode & ~kNegated) == kBallot) {
    ForLanes(lanes, [d = warp.At(i.d), votes](int l) { d[l] = votes; });
    return;
  }
  bool holds = false;
  switch (i.mode & ~kNegated) {
    case kAny:
      holds = votes != 0;
      break;
    case kAll:
      holds = votes == lanes;
      break;
    default:
      holds = votes == 0 || votes == lanes;
      break;
  }
  uint32_t& d = warp.Predicate(i.d);
  d = holds ? d | lanes : d & ~lanes;
}

// "Guarantees memory ordering among the participating threads."
void SyncWarp(Warp& warp, const Instruction& /*i*/, uint32_t /*lanes*/) { warp.clock.Advance(); }

void DecodeShuffle(const Statement& s, const Words& q, Names& names, Instruction* i) {
  ExpectOperands(s, 5, 5);
  if (q.size() != 4 || q[1] != "sync" || q[3] != "b32")
    throw BadProgram("expected shfl.sync.MODE.b32");
  i->mode = q[2] == "up"     ? kUp
            : q[2] == "down" ? kDown
            : q[2] == "bfly" ? kButterfly
            : q[2] == "idx"  ? kIndex
                             : -1;
  if (i->mode < 0) throw BadProgram("shfl mode '" + q[2] + "' is not known");
  const Words results = CutAt(s.operands[0], '|');
  i->d = RegisterOf(results[0], Width::k32, names);
  if (results.size() > 1) i->list.push_back(RegisterOf(results[1], Width::kPredicate, names));
  i->a = names.Operand(s.operands[1], Width::k32);
  i->b = names.Operand(s.operands[2], Width::k32);
  i->c = names.Operand(s.operands[3], Width::k32);
  i->e = names.Operand(s.operands[4], Width::k32);
  i->execute = &Shuffle;
}

void DecodeVote(const Statement& s, const Words& q, Names& names, Instruction* i) {
  ExpectOperands(s, 3, 3);
  const bool ballot = s.mnemonic == "vote.sync.ballot.b32";
  i->mode = ballot                               ? kBallot
            : s.mnemonic == "vote.sync.any.pred" ? kAny
            : s.mnemonic == "vote.sync.all.pred" ? kAll
            : s.mnemonic == "vote.sync.uni.pred" ? kUniform
                                                 : -1;
  if (i->mode < 0 || q.size() != 4) throw BadProgram("this vote is not known");
  i->d = RegisterOf(s.operands[0], ballot ? Width::k32 : Width::kPredicate, names);
  std::string source = s.operands[1];
  if (source[0] == '!') {
    i->mode += 4;
    source.erase(0, 1);
  }
  i->a = names.Operand(source, Width::kPredicate);
  i->e = names.Operand(s.operands[2], Width::k32);
  i->execute = &Vote;
}

}  // namespace

bool DecodeLaneExchange(const Statement& s, const Words& q, Names& names, Instruction* i) {
  if (q[0] == "shfl") {
    DecodeShuffle(s, q, names, i);
  } else if (q[0] == "vote") {
    DecodeVote(s, q, names, i);
  } else if (s.mnemonic == "bar.warp.sync") {
    ExpectOperands(s, 1, 1);
    i->e = names.Operand(s.operands[0], Width::k32);
    i->execute = &SyncWarp;
  } else {
    return false;
  }
  i->flow = Flow::kMembers;
  return true;
}

}  // namespace dragoman::ptx
