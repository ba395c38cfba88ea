// The state of a whole decoding batch as plain arrays in one block of memory, for decision text
// that runs where the host cannot look: on a device, or on another thread (batch_step.h).
//
// The same carving serves every memory: CarveBatch with no memory gives the size, with a block of
// that size the pointers. Nothing here is touched by the host between the steps: it sends commands
// and reads outputs (step_port.h).
#pragma once

#include <cstdint>

#include "kernels/decide/beam_step.h"
#include "kernels/decide/host_device.h"
#include "kernels/decide/plan.h"
#include "kernels/decide/row.h"
#include "kernels/decide/slot.h"
#include "kernels/decide/stored_row.h"

namespace dragoman {

// What a batch is made for. All counts > 0.
struct BatchLimits {
  int32_t max_rows = 0;    // rows of a step; slots
  int32_t lanes = 0;       // hypotheses held at a time, >= max_rows
  int32_t positions = 0;   // input positions of a hypothesis at most: max_tokens + 1
  int32_t self_pages = 0;  // pages of self-attention K/V, numbered from 0
  int32_t vocabulary = 0;  // of the target
  int32_t start_token = 0;
  int32_t workspaces = 0;   // slots whose beam steps run at a time
  int32_t stored_rows = 0;  // rows of a step that may ask for their logits whole, or for more than
                            // the fused output layer gives
  int32_t stored_workspaces = 0;  // of those, how many are folded at a time
  int32_t rules_words = 0;        // 32-bit words for the tables of all segments in slots

  DRAGOMAN_HD int64_t stride() const { return int64_t{positions} + 1; }
  DRAGOMAN_HD int32_t pages_per_lane() const {
    return static_cast<int32_t>(KvLayout::PagesFor(positions));
  }
};

// What changes from step to step besides the arrays.
struct BatchScalars {
  int64_t step = 0;            // steps begun; the next one's number
  int32_t order_count = 0;     // entries of BatchTables::order
  int32_t runnable_count = 0;  // ... of `runnable`
  int32_t waiting_count = 0;   // ... of `waiting`
  PlanOutput plan;             // its arrays are those of the tables
  PagePool pages;              // the same
  int32_t stored_count = 0;    // rows of this step in `stored_rows`
  int32_t deliveries = 0;      // claimed of this step's output
  int32_t delivered_words = 0;
};

// A slot's matters beyond the search.
struct SlotExtra {
  bool delivered = false;  // its end was reported
  bool wants_partials = false;
  int32_t settled = 0;  // tokens reported as settled
};

// Pointers into one block of memory. [slots] is [max_rows].
struct BatchTables {
  BatchLimits limits;
  BatchScalars* now = nullptr;  // [1]

  SlotState* states = nullptr;       // [slots]
  SlotView* views = nullptr;         // [slots]
  SlotExtra* extras = nullptr;       // [slots]
  int32_t* slot_lanes = nullptr;     // [slots, kMaxSlotLanes]
  int32_t* cross_pages = nullptr;    // [slots, pages_per_lane]
  int32_t* source_length = nullptr;  // [slots]
  int32_t* order = nullptr;          // [slots] occupied and begun, by age
  int32_t* runnable = nullptr;       // [slots] those of them that run, by age
  int32_t* waiting = nullptr;        // [slots] occupied, but for want of pages not begun; by age
  int32_t* scratch = nullptr;        // [slots]

  LaneArrays lanes;
  int32_t* lane_pages = nullptr;  // [lanes, pages_per_lane]

  int32_t* rules = nullptr;  // [rules_words] images of the segments' rules; the host allots it

  // Rows of a step.
  int32_t* row_token = nullptr;  // [max_rows]
  RowQuery* queries = nullptr;   // [max_rows]
  RowFold* folds = nullptr;      // [max_rows] with memory for what a query may ask
  int32_t* wanted = nullptr;     // [max_rows, kMaxWantedIds]
  int32_t* masked = nullptr;     // [max_rows, row_masks]
  int64_t row_masks = 0;
  int32_t* stored_rows = nullptr;  // [stored_rows] rows of this step, ascending

  // [workspaces] and [stored_workspaces].
  BeamStepWorkspace* step_workspaces = nullptr;
  StoredRowWorkspace* stored_workspaces = nullptr;
};

// Sets all pointers of `tables` to places within `memory` (nullptr: leaves them null) and returns
// the bytes that it takes, a multiple of 256. memory: aligned to 256 bytes. The pointers that lie
// inside the memory itself (views, plan, workspaces, folds) are for FormatBatch, run where the
// memory can be written.
int64_t CarveBatch(const BatchLimits& limits, void* memory, BatchTables* tables);

// Makes carved memory an empty batch: no slot is occupied, every page is free. By one team.
template <class Team>
DRAGOMAN_HD void FormatBatch(const Team& team, const BatchTables& tables);

}  // namespace dragoman
