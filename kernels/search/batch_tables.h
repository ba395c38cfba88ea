// The state of a whole decoding batch as plain arrays in one block of memory, for code that the
// host cannot observe: on a device, or on another thread (batch_step.h). Between the steps the host
// does not touch this memory: it sends commands and reads outputs (step_mailbox.h).
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/beam_step.h"
#include "kernels/search/materialized_row.h"
#include "kernels/search/plan.h"
#include "kernels/search/row.h"
#include "kernels/search/slot.h"
#include "kernels/search/step_mailbox.h"

namespace dragoman::kernels {

// The limits of a batch. All counts > 0.
struct BatchLimits {
  int32_t max_rows = 0;    // rows of a step; slots; < 2^16
  int32_t lanes = 0;       // hypotheses at a time, >= max_rows; < 2^21
  int32_t positions = 0;   // the most input positions of a hypothesis: max_tokens + 1
  int32_t self_pages = 0;  // pages of self-attention K/V, numbered from 0
  int32_t vocabulary = 0;  // of the target
  int32_t start_token = 0;
  int32_t workspaces = 0;  // slots whose beam steps run at a time
  // Rows of a step that may ask for materialized logits, or for more than the fused output layer
  // gives: the sum of the beams of all such segments in slots.
  int32_t materialized_rows = 0;
  int32_t materialized_workspaces = 0;  // materialized rows that are folded at a time
  int32_t rules_words = 0;              // 32-bit words for the tables of all segments in slots

  DRAGOMAN_HD int64_t stride() const { return int64_t{positions} + 1; }
  DRAGOMAN_HD int32_t pages_per_lane() const {
    return static_cast<int32_t>(KvLayout::PagesFor(positions));
  }
  // Whole pages, so that a warp may read the entries of all positions of a page.
  DRAGOMAN_HD int64_t row_page_stride() const { return int64_t{pages_per_lane()} * kPagePositions; }
};

// The scalars that change from step to step.
struct BatchScalars {
  int64_t step = 0;                // number of the current step: the steps that have ended
  StepCommand command;             // of this step, once it has begun
  int32_t order_count = 0;         // entries of BatchTables::order
  int32_t runnable_count = 0;      // ... of `runnable`
  int32_t waiting_count = 0;       // ... of `waiting`
  int64_t worst_case = 0;          // the largest WorstCasePages of the slots in `runnable`
  PlanOutput plan;                 // its arrays are those of the tables
  PagePool pages;                  // the same
  LanePages lane_pages;            // the same
  int32_t materialized_count = 0;  // rows of this step in `materialized_rows`
  int32_t deliveries = 0;          // claimed entries of this step's output
  int32_t delivered_words = 0;     // claimed words of it
};

// The state of a slot that the search does not need.
struct SlotExtra {
  bool occupied = false;  // by a segment that is not cancelled and has not reported its end
  bool wants_partials = false;
  int32_t settled = 0;  // tokens reported as settled
};

// The memory of the workspaces: [workspaces, ...] and [materialized_workspaces, ...]. Sizes are
// those of BasicBeamStepWorkspace for kMaxBeam and of MaterializedRowWorkspace.
struct WorkspaceArrays {
  Extra* extras = nullptr;
  int32_t* extra_count = nullptr;
  RowCursor* cursors = nullptr;
  bool* entry_open = nullptr;
  Candidate* chosen = nullptr;
  Candidate* pool = nullptr;
  int32_t* shared = nullptr;
  int32_t* banks = nullptr;
  ConstraintState* constraints = nullptr;
  int32_t* forbidden = nullptr;
  uint8_t* ancestry = nullptr;

  float* scores = nullptr;
  float* weights = nullptr;
  uint64_t* bins = nullptr;
  float* block_best = nullptr;
  float* block_sums = nullptr;
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
  int32_t* order = nullptr;          // [slots] slots that have begun and not left, by age
  int32_t* runnable = nullptr;       // [slots] slots of `order` that run, by age
  int32_t* waiting = nullptr;        // [slots] occupied slots that lack pages to begin, by age
  int32_t* scratch = nullptr;        // [slots]

  LaneArrays lanes;
  int32_t* lane_pages = nullptr;  // [lanes, pages_per_lane]
  int32_t* free_pages = nullptr;  // [self_pages]

  int32_t* rules = nullptr;  // [rules_words] images of the segments' rules; allotted by the host

  // Rows of a step.
  int32_t* row_slot = nullptr;      // [max_rows]
  int32_t* row_lane = nullptr;      // [max_rows]
  int32_t* row_position = nullptr;  // [max_rows]
  int32_t* plan_slots = nullptr;    // [slots]
  int32_t* first_row = nullptr;     // [slots]
  int32_t* row_token = nullptr;     // [max_rows] the newest token of each hypothesis
  // [max_rows, row_page_stride] the K/V page of each position that a row attends to, its new one
  // included; later entries are undefined.
  int32_t* row_pages = nullptr;
  LogitRequest* requests = nullptr;   // [max_rows]
  LogitSummary* summaries = nullptr;  // [max_rows] they point into the next two arrays
  TokenScore* top = nullptr;          // [max_rows, kMaxBeam]
  float* wanted_logits = nullptr;     // [max_rows, kMaxWantedIds]
  int32_t* wanted = nullptr;          // [max_rows, kMaxWantedIds]
  int32_t* masked = nullptr;          // [max_rows, row_masks]
  int64_t row_masks = 0;
  int32_t* materialized_rows = nullptr;  // [materialized_rows] rows of this step, ascending

  // LogitRequest::logits of a row with materialized logits, until the model sets their address.
  float* unplaced = nullptr;  // [1]

  // [workspaces] and [materialized_workspaces].
  BeamStepWorkspace* step_workspaces = nullptr;
  MaterializedRowWorkspace* materialized_workspaces = nullptr;
  WorkspaceArrays workspace_arrays;
};

// Sets all pointers of `tables` to places within `memory`, or to null if it is nullptr. Returns the
// size in bytes, a multiple of 256. `memory` and each array are aligned to 256 bytes. FormatBatch
// (batch_step.h) writes the pointers in the memory itself (views, plan, workspaces).
int64_t CarveBatch(const BatchLimits& limits, void* memory, BatchTables* tables);

}  // namespace dragoman::kernels
