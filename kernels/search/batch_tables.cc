#include "kernels/search/batch_tables.h"

#include "kernels/search/prepare_row.h"

namespace dragoman::kernels {
namespace {

constexpr int64_t kAlignment = 256;

// Divides a block of memory into arrays. If the memory is nullptr, it only adds up their sizes.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<unsigned char*>(memory)) {}

  template <class T>
  void Take(int64_t count, T** array) {
    *array = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += (count * static_cast<int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
  }
  int64_t bytes() const { return bytes_; }

 private:
  unsigned char* const memory_;
  int64_t bytes_ = 0;
};

void CarveLanes(const BatchLimits& limits, Carver& carver, LaneArrays& lanes) {
  const int64_t entries = limits.lanes * limits.stride();
  carver.Take(entries, &lanes.tokens);
  carver.Take(entries, &lanes.token_log_probs);
  carver.Take(entries, &lanes.aligned);
  carver.Take(entries, &lanes.ancestry);
  carver.Take(limits.lanes, &lanes.log_prob);
  carver.Take(limits.lanes, &lanes.rank);
  carver.Take(limits.lanes, &lanes.constraints);
  carver.Take(limits.lanes, &lanes.forbidden);
  carver.Take(limits.lanes, &lanes.finished);
  carver.Take(entries, &lanes.finished_ancestry);
  lanes.stride = limits.stride();
}

void CarveWorkspaces(const BatchLimits& limits, Carver& carver, WorkspaceArrays& arrays) {
  const int64_t n = limits.workspaces;
  carver.Take(n * kMaxBeam * kMaxWantedIds, &arrays.extras);
  carver.Take(n * kMaxBeam, &arrays.extra_count);
  carver.Take(n * kMaxBeam, &arrays.cursors);
  carver.Take(n * kMaxBeam, &arrays.entry_open);
  carver.Take(n * kMaxBeam, &arrays.chosen);
  carver.Take(n * MaxConstrainedCandidates(kMaxBeam), &arrays.pool);
  carver.Take(n, &arrays.shared);
  carver.Take(n * kBanks, &arrays.banks);
  carver.Take(n * kMaxBeam, &arrays.constraints);
  carver.Take(n * kMaxBeam, &arrays.forbidden);
  carver.Take(n * kMaxBeam * limits.stride(), &arrays.ancestry);
  const int64_t materialized = limits.materialized_workspaces;
  const int64_t blocks = MaterializedRowWorkspace::Blocks(limits.vocabulary);
  carver.Take(materialized * limits.vocabulary, &arrays.scores);
  carver.Take(materialized * limits.vocabulary, &arrays.weights);
  carver.Take(materialized * DrawWorkspace::kBins, &arrays.bins);
  carver.Take(materialized * blocks, &arrays.block_best);
  carver.Take(materialized * blocks, &arrays.block_sums);
}

}  // namespace

int64_t CarveBatch(const BatchLimits& limits, void* memory, BatchTables* tables) {
  Carver carver(memory);
  BatchTables& t = *tables;
  t.limits = limits;
  const int64_t slots = limits.max_rows;
  const int64_t rows = limits.max_rows;
  carver.Take(1, &t.now);
  carver.Take(slots, &t.states);
  carver.Take(slots, &t.views);
  carver.Take(slots, &t.extras);
  carver.Take(slots * kMaxSlotLanes, &t.slot_lanes);
  carver.Take(slots * limits.pages_per_lane(), &t.cross_pages);
  carver.Take(slots, &t.source_length);
  carver.Take(slots, &t.order);
  carver.Take(slots, &t.runnable);
  carver.Take(slots, &t.waiting);
  carver.Take(slots, &t.scratch);

  CarveLanes(limits, carver, t.lanes);
  carver.Take(int64_t{limits.lanes} * limits.pages_per_lane(), &t.lane_pages);
  carver.Take(limits.self_pages, &t.free_pages);
  carver.Take(limits.rules_words, &t.rules);

  carver.Take(rows, &t.row_slot);
  carver.Take(rows, &t.row_lane);
  carver.Take(rows, &t.row_position);
  carver.Take(slots, &t.plan_slots);
  carver.Take(slots, &t.first_row);
  carver.Take(rows, &t.row_token);
  carver.Take(rows * limits.row_page_stride(), &t.row_pages);
  carver.Take(rows, &t.requests);
  carver.Take(rows, &t.summaries);
  carver.Take(rows * kMaxBeam, &t.top);
  carver.Take(rows * kMaxWantedIds, &t.wanted_logits);
  carver.Take(rows * kMaxWantedIds, &t.wanted);
  t.row_masks = MaxRowMasks(limits.positions, kMaxForbiddenNodes);
  carver.Take(rows * t.row_masks, &t.masked);
  carver.Take(limits.materialized_rows, &t.materialized_rows);
  carver.Take(1, &t.unplaced);

  carver.Take(limits.workspaces, &t.step_workspaces);
  carver.Take(limits.materialized_workspaces, &t.materialized_workspaces);
  CarveWorkspaces(limits, carver, t.workspace_arrays);
  return carver.bytes();
}

}  // namespace dragoman::kernels
