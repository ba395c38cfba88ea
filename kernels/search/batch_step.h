// One step of a batch, in parts: the code that runs after the host has written a step's command and
// before it reads the step's output (step_mailbox.h). A group is a ThreadGroup (thread_group.h).
//
//   BeginStep                one group: slots leave, segments enter, the plan is made
//   PrepareStepRow           each row, one thread: its request, its newest token
//   WriteRowPages            each row, some threads: the pages of its K/V
//   ListMaterializedRows     one group: which rows have materialized logits
//   (the model)              computes the rows' summaries
//   FoldMaterializedStepRow  each materialized row, one group: computes its summary again from its
//                            logits
//   StepSlot                 each slot that ran, one group: its beam steps
//   Deliver                  each slot of `order`, one group: results, settled tokens
//   EndStep                  one group: the counts
//
// REQUIRES: a part begins after all groups have finished the part before it. Within a part groups
// may run in any order. The order affects no decision of the search. It affects only the order of
// deliveries and, if the output is too short for all, which deliveries wait for a later step.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/batch_tables.h"
#include "kernels/search/beam_step.h"
#include "kernels/search/begin_step.h"
#include "kernels/search/deliver.h"
#include "kernels/search/materialized_row.h"
#include "kernels/search/prepare_row.h"
#include "kernels/search/step_mailbox.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {

// Prepares the request, an empty summary and the newest token of row `row` < plan.rows. Called by
// one thread.
DRAGOMAN_HD inline void PrepareStepRow(const BatchTables& tables, int32_t row) {
  const SlotView& slot = tables.views[tables.row_slot[row]];
  const int32_t lane = tables.row_lane[row];
  tables.row_token[row] = tables.lanes.tokens[slot.At(lane, tables.row_position[row])];
  LogitRequest& request = tables.requests[row];
  request.logits = slot.state->options.materialized_logits() ? tables.unplaced : nullptr;
  PrepareRow(slot, lane, tables.row_position[row], tables.wanted + int64_t{row} * kMaxWantedIds,
             tables.masked + row * tables.row_masks, request);
  LogitSummary& summary = tables.summaries[row];
  summary = LogitSummary{};
  summary.top = tables.top + int64_t{row} * kMaxBeam;
  summary.wanted = tables.wanted_logits + int64_t{row} * kMaxWantedIds;
}

// Writes the row's table of pages (BatchTables::row_pages): the page of each of the positions
// `first`, first + `step`, .. up to the position of row `row` < plan.rows. Finds each page through
// the ancestry of the row's lane. All layers of the step use the table. Called by one thread.
DRAGOMAN_HD inline void WriteRowPages(const BatchTables& tables, int32_t row, int32_t first,
                                      int32_t step) {
  const int32_t* const lanes = tables.slot_lanes + int64_t{tables.row_slot[row]} * kMaxSlotLanes;
  const int64_t own = lanes[tables.row_lane[row]];
  const int32_t position = tables.row_position[row];
  const uint8_t* const ancestry = tables.lanes.ancestry + own * tables.lanes.stride;
  const int64_t pages_per_lane = tables.limits.pages_per_lane();
  int32_t* const to = tables.row_pages + row * tables.limits.row_page_stride();
  for (int32_t p = first; p <= position; p += step) {
    const int64_t lane = p < position ? lanes[ancestry[p]] : own;
    to[p] = tables.lane_pages[lane * pages_per_lane + p / kPagePositions];
  }
}

// Lists the rows with `materialized(options)` in ascending order and sets now->materialized_count.
// If there are more than BatchLimits::materialized_rows, the host has made a mistake: the summaries
// of the further rows get `nan`, so their segments fail.
template <class ThreadGroup, class Materialized>
DRAGOMAN_HD void ListMaterializedRows(const ThreadGroup& group, const BatchTables& tables,
                                      Materialized materialized) {
  BatchScalars& now = *tables.now;
  const auto is_materialized = [&](int32_t row) {
    return materialized(tables.states[tables.row_slot[row]].options);
  };
  const Share mine = ShareOf(group, now.plan.rows);
  int32_t count = 0;
  for (int32_t row = mine.begin; row < mine.end; ++row) count += is_materialized(row) ? 1 : 0;
  int32_t all = 0;
  int32_t at = group.ExclusiveSum(count, &all);
  for (int32_t row = mine.begin; row < mine.end; ++row) {
    if (!is_materialized(row)) continue;
    if (at < tables.limits.materialized_rows) {
      tables.materialized_rows[at++] = row;
    } else {
      tables.summaries[row].nan = true;
    }
  }
  if (group.rank() == 0) {
    now.materialized_count =
        all < tables.limits.materialized_rows ? all : tables.limits.materialized_rows;
  }
  group.Sync();
}

// Computes the summary of row materialized_rows[index] again from its logits (FoldMaterializedRow)
// if the search needs them. A row that is listed only because the fused output layer cannot compute
// it keeps its summary. REQUIRES: the `logits` of the row's request are computed.
template <class ThreadGroup>
DRAGOMAN_HD void FoldMaterializedStepRow(const ThreadGroup& group, const BatchTables& tables,
                                         int32_t index, MaterializedRowWorkspace& workspace) {
  const int32_t row = tables.materialized_rows[index];
  const SlotView& slot = tables.views[tables.row_slot[row]];
  if (!slot.state->options.materialized_logits()) return;
  FoldMaterializedRow(group, slot, tables.row_lane[row], tables.requests[row],
                      tables.limits.vocabulary, workspace, tables.summaries[row]);
}

// Runs the beam steps of slot number `index` among the slots that ran in this step.
template <class ThreadGroup>
DRAGOMAN_HD void StepSlot(const ThreadGroup& group, const BatchTables& tables, int32_t index,
                          BeamStepWorkspace& workspace) {
  const int32_t first = tables.first_row[index];
  BeamSteps(group, tables.views[tables.plan_slots[index]], tables.requests + first,
            tables.summaries + first, workspace);
}

// Writes an empty batch to memory that CarveBatch has divided: no slot is occupied, every page is
// free. Called by one group.
template <class ThreadGroup>
DRAGOMAN_HD void FormatBatch(const ThreadGroup& group, const BatchTables& tables) {
  const BatchLimits& limits = tables.limits;
  const auto each = [&](int64_t count, auto write) {
    for (int64_t i = group.rank(); i < count; i += group.size()) write(i);
  };
  if (group.rank() == 0) {
    BatchScalars& now = *tables.now;
    now = BatchScalars{};
    now.plan = {tables.row_slot,
                tables.row_lane,
                tables.row_position,
                tables.plan_slots,
                tables.first_row,
                0,
                0};
    now.pages = {tables.free_pages, limits.self_pages};
    now.lane_pages = {tables.lane_pages, limits.pages_per_lane()};
  }
  // A loop of its own, because together with the next loop it would take more registers than a
  // thread of a large block has.
  each(limits.max_rows, [&](int64_t i) { tables.states[i] = SlotState{}; });
  each(limits.max_rows, [&](int64_t i) {
    tables.extras[i] = SlotExtra{};
    tables.views[i] = {tables.states + i, tables.slot_lanes + i * kMaxSlotLanes, tables.lanes};
  });
  each(int64_t{limits.lanes} * limits.pages_per_lane(),
       [&](int64_t i) { tables.lane_pages[i] = kNoPage; });
  // The list is a stack whose top is taken first, so pages with the lowest numbers are taken first.
  each(limits.self_pages,
       [&](int64_t i) { tables.free_pages[i] = limits.self_pages - 1 - static_cast<int32_t>(i); });
  const WorkspaceArrays& arrays = tables.workspace_arrays;
  each(limits.workspaces, [&](int64_t i) {
    BeamStepWorkspace& w = tables.step_workspaces[i];
    w = BeamStepWorkspace{};
    w.offers.extras = arrays.extras + i * kMaxBeam * kMaxWantedIds;
    w.offers.extra_count = arrays.extra_count + i * kMaxBeam;
    w.offers.cursor = arrays.cursors + i * kMaxBeam;
    w.offers.entry_open = arrays.entry_open + i * kMaxBeam;
    w.chosen = arrays.chosen + i * kMaxBeam;
    w.pool = arrays.pool + i * MaxConstrainedCandidates(kMaxBeam);
    w.shared = arrays.shared + i;
    w.banks = arrays.banks + i * kBanks;
    w.constraints = arrays.constraints + i * kMaxBeam;
    w.forbidden = arrays.forbidden + i * kMaxBeam;
    w.ancestry = arrays.ancestry + i * kMaxBeam * limits.stride();
  });
  const int64_t blocks = MaterializedRowWorkspace::Blocks(limits.vocabulary);
  each(limits.materialized_workspaces, [&](int64_t i) {
    MaterializedRowWorkspace& w = tables.materialized_workspaces[i];
    w.scores = arrays.scores + i * limits.vocabulary;
    w.block_best = arrays.block_best + i * blocks;
    w.block_sums = arrays.block_sums + i * blocks;
    w.draw = {arrays.weights + i * limits.vocabulary, arrays.bins + i * DrawWorkspace::kBins};
  });
  group.Sync();
}

}  // namespace dragoman::kernels
