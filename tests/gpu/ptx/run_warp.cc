#include "tests/gpu/ptx/run_warp.h"

#include <algorithm>
#include <climits>
#include <string>

#include "tests/gpu/ptx/launch_state.h"

namespace dragoman::ptx {
namespace {

std::string LanesText(uint32_t lanes) {
  std::string text;
  for (; lanes != 0; lanes &= lanes - 1) {
    text += (text.empty() ? "" : ",") + std::to_string(std::countr_zero(lanes));
  }
  return text;
}

class TurnOfWarp {
 public:
  TurnOfWarp(Warp& warp, int instructions)
      : warp_(warp), code_(warp.kernel->code.data()), left_(instructions) {}

  void Run() {
    while (left_ > 0 && warp_.live != 0 && warp_.turn == Turn::kGoesOn) {
      const size_t path = Choose();
      RunPath(path);
    }
  }

 private:
  // Joins paths that have met. Returns the path that is furthest behind.
  size_t Choose() {
    std::vector<Path>& paths = warp_.paths;
    for (size_t i = 0; i < paths.size(); ++i) {
      for (size_t j = paths.size() - 1; j > i; --j) {
        if (paths[j].pc != paths[i].pc) continue;
        paths[i].lanes |= paths[j].lanes;
        paths[i].parked = false;
        paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
    size_t best = paths.size();
    for (size_t i = 0; i < paths.size(); ++i) {
      if (!paths[i].parked && (best == paths.size() || paths[i].pc < paths[best].pc)) best = i;
    }
    if (best == paths.size()) RaiseMissing();
    return best;
  }

  // Raises a finding: all remaining paths wait for lanes that do not come.
  [[noreturn]] void RaiseMissing() {
    std::string what;
    for (const Path& path : warp_.paths) {
      what += (what.empty() ? "" : "; ") + std::string("lanes ") + LanesText(path.lanes) +
              " wait at line " + std::to_string(code_[path.pc].line) +
              " for all lanes that it names";
    }
    const uint32_t gone = warp_.existing & ~warp_.live;
    if (gone != 0) what += "; lanes " + LanesText(gone) + " have ended";
    const Path& last = *std::min_element(warp_.paths.begin(), warp_.paths.end(),
                                         [](const Path& x, const Path& y) { return x.pc < y.pc; });
    warp_.now = &code_[last.pc];
    Raise(warp_, FindingKind::kMissingLanes, last.lanes, what);
  }

  // Runs until the path meets another path, splits, parks or ends.
  void RunPath(size_t which) {
    const bool alone = warp_.paths.size() == 1;
    int limit = INT_MAX;
    int pc = warp_.paths[which].pc;
    for (const Path& other : warp_.paths) {
      if (other.pc > pc) limit = std::min(limit, other.pc);
    }
    uint32_t lanes = warp_.paths[which].lanes;
    LaunchCounts& counts = *warp_.block->launch->counts;
    while (left_-- > 0) {
      const Instruction& i = code_[pc];
      uint32_t active = lanes;
      if (i.guard != kNowhere) {
        const uint32_t guard = warp_.Predicate(i.guard);
        active &= i.guard_negated ? ~guard : guard;
      }
      ++counts.warp_instructions;
      counts.thread_instructions += static_cast<uint64_t>(std::popcount(active));
      if (i.flow == Flow::kPlain) {
        if (active != 0) {
          warp_.now = &i;
          if (i.touches_product) TouchProduct(i, active);
          i.execute(warp_, i, active);
        }
        ++pc;
      } else if (i.flow == Flow::kBranch) {
        if (active == lanes) {
          pc = i.target;
        } else if (active == 0) {
          ++pc;
        } else {
          warp_.paths[which] = {i.target, active, false};
          warp_.paths.push_back({pc + 1, lanes & ~active, false});
          return;
        }
        if (!alone) break;
      } else if (i.flow == Flow::kExit) {
        warp_.now = &i;
        if (End(which, pc, lanes, active)) return;
        lanes &= ~active;
        ++pc;
      } else if (active == 0) {
        ++pc;
      } else if (i.flow == Flow::kGridWait) {
        warp_.now = &i;
        if (!warp_.block->launch->one_before_ended) {
          AwaitGrid();
          break;
        }
        i.execute(warp_, i, active);
        ++pc;
      } else if (!AllThere(i, active)) {
        warp_.paths[which] = {pc, active, true};
        if (active != lanes) warp_.paths.push_back({pc + 1, lanes & ~active, false});
        return;
      } else {
        warp_.now = &i;
        if (i.touches_product) TouchProduct(i, active);
        i.execute(warp_, i, active);
        ++pc;
      }
      if (pc >= limit || warp_.turn != Turn::kGoesOn) break;
    }
    warp_.paths[which].pc = pc;
  }

  // Makes the warp execute the instruction again when the launch before this one has ended.
  void AwaitGrid() {
    warp_.turn = Turn::kPolls;
    warp_.polled = "the launch before this one";
    warp_.polled_at = warp_.block->launch->progress;
    warp_.polls_in_vain = INT_MAX;
  }

  // Ends lanes. Returns true if the path has no lanes left.
  bool End(size_t which, int pc, uint32_t lanes, uint32_t active) {
    if (active == 0) return false;
    warp_.live &= ~active;
    // Paths that wait for these lanes may now go on, or will never be able to.
    for (Path& path : warp_.paths) path.parked = false;
    if (lanes == active) {
      warp_.paths.erase(warp_.paths.begin() + static_cast<std::ptrdiff_t>(which));
    } else {
      warp_.paths[which] = {pc + 1, lanes & ~active, false};
    }
    ++warp_.block->launch->progress;
    warp_.block->OpenBarriers();
    return lanes == active;
  }

  // Whether all lanes that a .sync instruction needs have come to it.
  bool AllThere(const Instruction& i, uint32_t active) {
    if (i.flow == Flow::kBarrier) return (warp_.live & ~active) == 0;
    warp_.now = &i;
    if (i.flow == Flow::kAligned) {
      if (warp_.live != kAllLanes) {
        Raise(warp_, FindingKind::kMissingLanes, active,
              "an instruction of the whole warp, of which lanes " + LanesText(~warp_.live) +
                  " have ended");
      }
      return active == kAllLanes;
    }
    const uint32_t* const masks = warp_.At(i.e);
    const uint32_t members = masks[std::countr_zero(active)];
    for (uint32_t rest = active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (masks[lane] != members) {
        Raise(warp_, FindingKind::kUndefinedValue, 1U << lane,
              "the mask of members differs between lanes that execute it together");
      }
    }
    if ((active & ~members) != 0) {
      Raise(warp_, FindingKind::kUndefinedValue, active & ~members,
            "lanes " + LanesText(active & ~members) +
                " are not in the mask of members that they give");
    }
    return (members & warp_.live & ~active) == 0;
  }

  void TouchProduct(const Instruction& i, uint32_t lanes) {
    bool early = false;
    const auto touch = [&](Place place) {
      if (place == kNowhere) return;
      warp_.accessed_after_fences[place] = warp_.product_fences + 1;
      early = early || warp_.IsUnderWay(place);
    };
    for (const Place place : {i.d, i.a, i.b, i.c}) touch(place);
    for (const Place place : i.list) touch(place);
    if (!early) return;
    warp_.block->launch->report->Add(
        warp_.At(FindingKind::kUndefinedValue, std::countr_zero(lanes),
                 "an accumulator of wgmma is accessed before its product was waited for"));
  }

  Warp& warp_;
  const Instruction* const code_;
  int left_;
};

}  // namespace

void RunTurn(Warp& warp, int instructions) {
  warp.turn = Turn::kGoesOn;
  TurnOfWarp(warp, instructions).Run();
}

}  // namespace dragoman::ptx
