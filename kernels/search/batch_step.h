// One step of a batch, in parts: the code that runs between the host's command and its output.
//
//   BeginStep                one group: slots leave, segments enter, the plan is made
//   PrepareStepRow           each row, one thread: its request, its newest token
//   WriteRowPages            each row, some threads: the pages of its K/V
//   ListMaterializedRows     one group: which rows have materialized logits
//   (the model)              summaries
//   FoldMaterializedStepRow  each materialized row, one group
//   StepSlot                 each slot that ran, one group: its beam steps
//   Deliver                  each slot of `order`, one group: results, settled tokens
//   EndStep                  one group: the counts
//
// A part begins when all groups have finished the part before it. Within a part the order of the
// groups changes no decision. It changes only the order of deliveries and, if the output is too
// short, which of them wait for a later step.
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

// Prepares the request, empty summary and newest token of row `row` < plan.rows. By one thread.
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

// Writes the pages of positions `first`, first + `step`, .. of row `row` < plan.rows, up to its own
// position, through the ancestry. Once for all layers of the step. By one thread.
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

// Lists the rows with `materialized(options)`, ascending, and sets now->materialized_count. Rows
// beyond BatchLimits::materialized_rows, a mistake of the host, become bad numbers.
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

// Folds materialized row number `index` with FoldMaterializedRow, if the search needs its
// materialized logits. REQUIRES: its request's `logits` are computed.
template <class ThreadGroup>
DRAGOMAN_HD void FoldMaterializedStepRow(const ThreadGroup& group, const BatchTables& tables,
                                         int32_t index, MaterializedRowWorkspace& workspace) {
  const int32_t row = tables.materialized_rows[index];
  const SlotView& slot = tables.views[tables.row_slot[row]];
  if (!slot.state->options.materialized_logits()) return;
  FoldMaterializedRow(group, slot, tables.row_lane[row], tables.requests[row],
                      tables.limits.vocabulary, workspace, tables.summaries[row]);
}

// Runs the beam steps of number `index` of the slots that ran.
template <class ThreadGroup>
DRAGOMAN_HD void StepSlot(const ThreadGroup& group, const BatchTables& tables, int32_t index,
                          BeamStepWorkspace& workspace) {
  const int32_t first = tables.first_row[index];
  BeamSteps(group, tables.views[tables.plan_slots[index]], tables.requests + first,
            tables.summaries + first, workspace);
}

// Makes carved memory an empty batch: no slot is occupied, every page is free. By one group.
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
  // Separate, because with the next loop it would take more registers than a large block has.
  each(limits.max_rows, [&](int64_t i) { tables.states[i] = SlotState{}; });
  each(limits.max_rows, [&](int64_t i) {
    tables.extras[i] = SlotExtra{};
    tables.views[i] = {tables.states + i, tables.slot_lanes + i * kMaxSlotLanes, tables.lanes};
  });
  each(int64_t{limits.lanes} * limits.pages_per_lane(),
       [&](int64_t i) { tables.lane_pages[i] = kNoPage; });
  // A stack: the lowest numbers are taken first.
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
