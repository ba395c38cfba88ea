// Instructions on predicates (32 lanes in a word), and mov between a register and the parts of
// another.
#include <string>

#include "tests/gpu/ptx/lane_operations.h"

namespace dragoman::ptx {
namespace {

template <auto f>
void OfPredicates(Warp& warp, const Instruction& i, uint32_t lanes) {
  const uint32_t a = warp.Predicate(i.a);
  const uint32_t b = i.b == kNowhere ? 0 : warp.Predicate(i.b);
  uint32_t& d = warp.Predicate(i.d);
  d = (d & ~lanes) | (f(a, b) & lanes);
}

template <auto f>
Form PredicateForm(size_t operands) {
  return {&OfPredicates<f>, std::vector<Width>(operands, Width::kPredicate), false};
}

// mov.b32 d, {lower, upper} of 16 bits each; mov.b64 of 32 each.
void Pack16(Warp& warp, const Instruction& i, uint32_t lanes) {
  uint32_t* const d = warp.At(i.d);
  const uint32_t* const lower = warp.At(i.list[0]);
  const uint32_t* const upper = warp.At(i.list[1]);
  ForLanes(lanes, [=](int l) { d[l] = lower[l] | upper[l] << 16; });
}
void Pack32(Warp& warp, const Instruction& i, uint32_t lanes) {
  uint32_t* const d = warp.At(i.d);
  const uint32_t* const lower = warp.At(i.list[0]);
  const uint32_t* const upper = warp.At(i.list[1]);
  ForLanes(lanes, [=](int l) { Put<uint64_t>(d, l, lower[l] | uint64_t{upper[l]} << 32); });
}
void Unpack16(Warp& warp, const Instruction& i, uint32_t lanes) {
  const uint32_t* const a = warp.At(i.a);
  uint32_t* const lower = warp.At(i.list[0]);
  uint32_t* const upper = warp.At(i.list[1]);
  ForLanes(lanes, [=](int l) {
    const uint32_t both = a[l];
    lower[l] = both & 0xffffU;
    upper[l] = both >> 16;
  });
}
void Unpack32(Warp& warp, const Instruction& i, uint32_t lanes) {
  const uint32_t* const a = warp.At(i.a);
  uint32_t* const lower = warp.At(i.list[0]);
  uint32_t* const upper = warp.At(i.list[1]);
  ForLanes(lanes, [=](int l) {
    const auto both = Get<uint64_t>(a, l);
    lower[l] = static_cast<uint32_t>(both);
    upper[l] = static_cast<uint32_t>(both >> 32);
  });
}

}  // namespace

void AddPredicateForms(Forms* forms) {
  (*forms)["mov.pred"] = PredicateForm<[](uint32_t a, uint32_t) { return a; }>(2);
  (*forms)["not.pred"] = PredicateForm<[](uint32_t a, uint32_t) { return ~a; }>(2);
  (*forms)["and.pred"] = PredicateForm<[](uint32_t a, uint32_t b) { return a & b; }>(3);
  (*forms)["or.pred"] = PredicateForm<[](uint32_t a, uint32_t b) { return a | b; }>(3);
  (*forms)["xor.pred"] = PredicateForm<[](uint32_t a, uint32_t b) { return a ^ b; }>(3);
}

bool DecodeMove(const Statement& s, const Words& q, Names& names, Instruction* i) {
  if (q[0] != "mov" || s.operands.size() != 2) return false;
  const bool unpacks = s.operands[0][0] == '{';
  const bool packs = s.operands[1][0] == '{';
  if (!unpacks && !packs) return false;
  const bool wide = s.mnemonic == "mov.b64";
  if (!wide && s.mnemonic != "mov.b32") throw BadProgram("expected mov.b32 or mov.b64");
  const Words parts = InBraces(s.operands[unpacks ? 0 : 1]);
  if (parts.size() != 2) throw BadProgram("expected two parts");
  const Width whole = wide ? Width::k64 : Width::k32;
  const Width part = wide ? Width::k32 : Width::k16;
  for (const std::string& text : parts) {
    i->list.push_back(unpacks ? RegisterOf(text, part, names) : names.Operand(text, part));
  }
  if (unpacks) {
    i->a = RegisterOf(s.operands[1], whole, names);
    i->execute = wide ? &Unpack32 : &Unpack16;
  } else {
    i->d = RegisterOf(s.operands[0], whole, names);
    i->execute = wide ? &Pack32 : &Pack16;
  }
  return true;
}

}  // namespace dragoman::ptx
