#include "tests/gpu/ptx/warp.h"

#include <algorithm>
#include <bit>

#include "tests/gpu/ptx/block.h"
#include "tests/gpu/ptx/launch_state.h"

namespace dragoman::ptx {

Finding Warp::At(FindingKind kind, int lane, std::string what) const {
  const Index3& threads = block->launch->grid.threads;
  const auto thread = static_cast<uint32_t>(index * kLanes + lane);
  Finding finding;
  finding.kind = kind;
  finding.kernel = kernel->readable;
  if (now != nullptr) {
    finding.line = now->line;
    finding.instruction = now->text;
  }
  finding.block = block->index;
  finding.thread = {thread % threads.x, thread / threads.x % threads.y,
                    thread / threads.x / threads.y};
  finding.what = std::move(what);
  return finding;
}

bool Warp::IsUnderWay(Place accumulator) const {
  const auto accumulates = [&](const PendingProduct& product) {
    return std::ranges::find(product.instruction->list, accumulator) !=
           product.instruction->list.end();
  };
  return std::ranges::any_of(products, accumulates) ||
         std::ranges::any_of(product_groups, [&](const std::vector<PendingProduct>& group) {
           return std::ranges::any_of(group, accumulates);
         });
}

void Raise(const Warp& warp, FindingKind kind, uint32_t lanes, std::string what) {
  throw Fault(warp.At(kind, lanes == 0 ? 0 : std::countr_zero(lanes), std::move(what)));
}

}  // namespace dragoman::ptx
