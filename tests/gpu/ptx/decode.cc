#include "tests/gpu/ptx/decode.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "tests/gpu/ptx/block.h"
#include "tests/gpu/ptx/launch_state.h"

namespace dragoman::ptx {
namespace {

const Forms& AllForms() {
  static const Forms forms = [] {
    Forms all;
    AddIntegerForms(&all);
    AddFloatForms(&all);
    AddConversionForms(&all);
    AddPredicateForms(&all);
    return all;
  }();
  return forms;
}

void DecodeForm(const Form& form, const Statement& s, Names& names, Instruction* i) {
  ExpectOperands(s, form.operands.size(), form.operands.size());
  i->execute = form.execute;
  Place* const places[] = {&i->d, &i->a, &i->b, &i->c};
  for (size_t n = 0; n < form.operands.size(); ++n) {
    Width found{};
    *places[n] = n == 0 ? names.Register(s.operands[n], &found)
                        : names.Operand(s.operands[n], form.operands[n], &found);
    const bool fits = found == form.operands[n] ||
                      (form.any_width && found != Width::kPredicate && found > form.operands[n]);
    if (!fits) throw BadProgram("operand " + s.operands[n] + " has not the width of the type");
    i->widths.push_back(found);
  }
}

// Executes a fence. Later strong writes of the warp publish what the warp has done so far, and what
// earlier strong reads saw is known from here on. Fences between proxies are not modelled.
void Fence(Warp& warp, const Instruction& /*i*/, uint32_t /*lanes*/) {
  for (const VectorClock& clock : warp.acquired) warp.clock.Join(clock);
  warp.acquired.clear();
  warp.fenced = warp.clock;
  warp.clock.Advance();
}

void Nothing(Warp& /*warp*/, const Instruction& /*i*/, uint32_t /*lanes*/) {}

// Executes griddepcontrol.wait: the launch before this one has ended, and its writes are visible.
void WaitForGrid(Warp& warp, const Instruction& /*i*/, uint32_t /*lanes*/) {
  warp.clock.Wait();
  warp.block->launch->waited = true;
}

// Executes griddepcontrol.launch_dependents. The first thread that does so counts for its block.
void LetDependentsBegin(Warp& warp, const Instruction& /*i*/, uint32_t /*lanes*/) {
  if (warp.block->let_go) return;
  warp.block->let_go = true;
  ++warp.block->launch->let_go;
}

// Reads the timer. Each warp instruction counts as a nanosecond.
void ReadTimer(Warp& warp, const Instruction& i, uint32_t lanes) {
  const uint64_t now = warp.block->launch->counts->warp_instructions;
  ForLanes(lanes, [d = warp.At(i.d), now](int l) { Put<uint64_t>(d, l, now); });
}

bool DecodeTimer(const Statement& s, Names& names, Instruction* i) {
  if (s.mnemonic != "mov.u64" || s.operands.size() != 2 || s.operands[1] != "%globaltimer")
    return false;
  i->d = RegisterOf(s.operands[0], Width::k64, names);
  i->execute = &ReadTimer;
  return true;
}

bool DecodeFlow(const Statement& s, const Words& q, Instruction* i) {
  if (q[0] == "bra") {
    ExpectOperands(s, 1, 1);
    i->flow = Flow::kBranch;
  } else if (q[0] == "ret" || q[0] == "exit") {
    i->flow = Flow::kExit;
  } else if (q[0] == "fence" || q[0] == "membar") {
    const bool between_proxies = Has(q, "proxy") || Has(q, "mbarrier_init");
    i->execute = between_proxies ? &Nothing : &Fence;
  } else if (s.mnemonic == "griddepcontrol.wait") {
    i->flow = Flow::kGridWait;
    i->execute = &WaitForGrid;
  } else if (s.mnemonic == "griddepcontrol.launch_dependents") {
    i->execute = &LetDependentsBegin;
  } else if (s.mnemonic.starts_with("setmaxnreg")) {
    // This device does not limit the number of registers.
    i->execute = &Nothing;
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool Has(const Words& qualifiers, const char* one) {
  return std::find(qualifiers.begin(), qualifiers.end(), one) != qualifiers.end();
}

void ExpectOperands(const Statement& s, size_t least, size_t most) {
  if (s.operands.size() >= least && s.operands.size() <= most) return;
  throw BadProgram(std::to_string(s.operands.size()) + " operands, expected " +
                   std::to_string(least) + (most > least ? " to " + std::to_string(most) : ""));
}

Place RegisterOf(const std::string& text, Width width, Names& names) {
  Width found{};
  const Place place = names.Register(text, &found);
  if (found != width) throw BadProgram("register " + text + " has not the width of the operand");
  return place;
}

Words InBraces(const std::string& text) {
  if (text.empty() || text[0] != '{') return {text};
  return CutAt(std::string_view(text).substr(1, text.size() - 2), ',');
}

int64_t Literal(const std::string& text) {
  if (text.empty() || (std::isdigit(static_cast<unsigned char>(text[0])) == 0 && text[0] != '-')) {
    throw BadProgram("'" + text + "', expected a number");
  }
  return std::strtoll(text.c_str(), nullptr, 0);
}

Instruction Decode(const Statement& s, Names& names) {
  Instruction i;
  i.line = s.line;
  i.text = s.text;
  if (!s.guard.empty()) {
    i.guard = RegisterOf(s.guard, Width::kPredicate, names);
    i.guard_negated = s.guard_negated;
  }
  const auto form = AllForms().find(s.mnemonic);
  const Words q = Qualifiers(s.mnemonic);
  if (DecodeTimer(s, names, &i) || DecodeMove(s, q, names, &i)) return i;
  if (form != AllForms().end()) {
    DecodeForm(form->second, s, names, &i);
    return i;
  }
  if (DecodeFlow(s, q, &i) || DecodeMemory(s, q, names, &i) ||
      DecodeLaneExchange(s, q, names, &i) || DecodeBarrier(s, q, names, &i) ||
      DecodeMemoryBarrier(s, q, names, &i) || DecodeCopy(s, q, names, &i) ||
      DecodeMatrix(s, q, names, &i) || DecodeWarpgroup(s, q, names, &i)) {
    return i;
  }
  throw BadProgram("instruction '" + s.mnemonic + "' is not known");
}

Instruction EndOfKernel() {
  Instruction end;
  end.flow = Flow::kExit;
  end.text = "}";
  return end;
}

void FinishKernel(Kernel* kernel) {
  std::set<Place> accumulators;
  for (const Instruction& i : kernel->code) {
    if (!i.text.starts_with("wgmma.mma_async")) continue;
    kernel->multiplies_by_warpgroup = true;
    accumulators.insert(i.list.begin(), i.list.end());
  }
  if (accumulators.empty()) return;
  for (Instruction& i : kernel->code) {
    if (i.text.starts_with("wgmma.")) continue;
    const auto touches = [&](Place place) { return accumulators.contains(place); };
    i.touches_product = touches(i.d) || touches(i.a) || touches(i.b) || touches(i.c) ||
                        std::any_of(i.list.begin(), i.list.end(), touches);
  }
}

}  // namespace dragoman::ptx
