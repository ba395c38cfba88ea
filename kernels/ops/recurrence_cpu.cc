// The recurrent unit on the CPU. A row takes d sigmoids and 4 d other operations, and reads or
// writes 6 d floats.
#include "kernels/ops/recurrence.h"

#include <cstdint>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"

namespace dragoman::kernels {
namespace {

// A sigmoid is some ten operations.
constexpr int64_t kWorkPerElement = 8;

// Returns the state of `position` in the page that lane number `lane` of the whole batch has for
// it.
float* StateOf(const KvLayout& layout, int layer, const SelfKvTables& tables, int64_t lane,
               int position) {
  const int64_t page = tables.lane_pages[lane * tables.pages_per_lane + position / kPagePositions];
  auto* const at = static_cast<uint8_t*>(tables.pool) + page * layout.HostPageBytes();
  return reinterpret_cast<float*>(at) + StateAt(layout, position, layer);
}

}  // namespace

void Recur(OpContext& context, const KvLayout& layout, int layer, const DecodeRows& rows,
           const SelfKvTables& tables, const float* gate_x, float* y) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  const int64_t d = layout.width();
  cpu::ParallelFor(
      context, rows.count, d * kWorkPerElement, [&](int64_t begin, int64_t end, int /*thread*/) {
        end = NextLane(rows, end);
        for (int64_t r = NextLane(rows, begin); r < end; ++r) {
          const int32_t* const lanes = tables.slot_lanes + int64_t{rows.slot[r]} * kMaxSlotLanes;
          const int64_t own = lanes[rows.lane[r]];
          const int position = rows.position[r];
          const float* before = nullptr;
          if (position > 0) {
            const int lane = tables.ancestry[own * tables.max_positions + position - 1];
            before = StateOf(layout, layer, tables, lanes[lane], position - 1);
          }
          const float* const gate = gate_x + r * 2 * d;
          kernels.recur(gate, gate + d, before, d, StateOf(layout, layer, tables, own, position),
                        y + r * d);
        }
      });
}

}  // namespace dragoman::kernels
