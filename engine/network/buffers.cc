#include "engine/network/buffers.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace dragoman::engine {
namespace {

size_t Index(BufferId buffer) { return static_cast<size_t>(buffer); }

// Returns a table: together[a][b] is true if the buffers a and b are in use at the same time, that
// is, during the same operation.
std::vector<std::vector<bool>> HeldTogether(const OpSequence& stage) {
  const size_t count = stage.buffers.size();
  std::vector<std::vector<bool>> together(count, std::vector<bool>(count, false));
  std::vector<bool> live(count, false);  // whether a later operation reads the buffer
  for (size_t i = stage.ops.size(); i-- > 0;) {
    const Operands operands = OperandsOf(stage.ops[i]);
    std::vector<bool> held = live;
    for (const BufferId b : operands.writes) held[Index(b)] = true;
    for (const BufferId b : operands.reads) held[Index(b)] = true;
    for (size_t a = 0; a < count; ++a) {
      for (size_t b = 0; b < count; ++b) {
        if (held[a] && held[b]) together[a][b] = true;
      }
    }
    for (const BufferId b : operands.writes) live[Index(b)] = false;
    for (const BufferId b : operands.reads) live[Index(b)] = true;
  }
  return together;
}

int64_t Aligned(int64_t elements) {
  return (elements + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

}  // namespace

BufferPlan PlanBuffers(const OpSequence& stage) {
  const size_t count = stage.buffers.size();
  const std::vector<std::vector<bool>> together = HeldTogether(stage);
  // Places the widest buffer first, and each buffer at the lowest offset where it overlaps no
  // buffer that is in use at the same time.
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return stage.buffers[a].width > stage.buffers[b].width;
  });
  BufferPlan plan;
  plan.offset.assign(count, 0);
  std::vector<size_t> placed;
  for (const size_t buffer : order) {
    std::vector<size_t> beside;
    std::copy_if(placed.begin(), placed.end(), std::back_inserter(beside),
                 [&](size_t other) { return together[buffer][other]; });
    std::sort(beside.begin(), beside.end(),
              [&](size_t a, size_t b) { return plan.offset[a] < plan.offset[b]; });
    const int64_t width = Aligned(stage.buffers[buffer].width);
    int64_t offset = 0;
    for (const size_t other : beside) {
      if (offset + width <= plan.offset[other]) break;
      offset = std::max(offset, plan.offset[other] + Aligned(stage.buffers[other].width));
    }
    plan.offset[buffer] = offset;
    plan.width = std::max(plan.width, offset + width);
    placed.push_back(buffer);
  }
  return plan;
}

}  // namespace dragoman::engine
