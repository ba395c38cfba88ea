// The state of a whole decoding batch as plain arrays in one block of memory, for code that runs on
// a device or on another host thread (batch_step.h). The host does not access this memory after
// FormatBatch: it sends commands and reads outputs (step_mailbox.h).
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

// The limits of a decoding batch. All counts are > 0.
struct BatchLimits {
  int32_t max_rows = 0;    // limit of a step's rows and of the batch's slots; < 2^16
  int32_t lanes = 0;       // limit of the sum of all slots' beams, >= max_rows; < 2^21
  int32_t positions = 0;   // limit of a hypothesis' input positions: max_tokens + 1
  int32_t self_pages = 0;  // pages of self-attention K/V, numbered from 0
  int32_t vocabulary = 0;  // size of the target vocabulary
  int32_t start_token = 0;
  int32_t workspaces = 0;  // number of slots whose beam steps may run at the same time
  // Limit of the rows of a step whose logits are all written to memory (materialized). A row needs
  // this if its search reads them, or if it asks for more than the fused output layer gives. The
  // beams of all segments in slots that have such rows must sum to at most this limit.
  int32_t materialized_rows = 0;
  int32_t materialized_workspaces = 0;  // number of materialized rows that may be folded at a time
  int32_t rules_words = 0;  // number of 32-bit words for the rules of all segments in slots

  DRAGOMAN_HD int64_t stride() const { return int64_t{positions} + 1; }
  DRAGOMAN_HD int32_t pages_per_lane() const {
    return static_cast<int32_t>(KvLayout::PagesFor(positions));
  }
  // The row length of BatchTables::row_pages. It covers whole pages, so that a warp may read the
  // entries of all positions of a page.
  DRAGOMAN_HD int64_t row_page_stride() const { return int64_t{pages_per_lane()} * kPagePositions; }
};

// The numbers of a batch that change from step to step.
struct BatchScalars {
  int64_t step = 0;     // number of the current step, which is the number of steps that have ended
  StepCommand command;  // command of the current step
  int32_t order_count = 0;         // number of entries in BatchTables::order
  int32_t runnable_count = 0;      // number of entries in BatchTables::runnable
  int32_t waiting_count = 0;       // number of entries in BatchTables::waiting
  int64_t worst_case = 0;          // the largest WorstCasePages of the slots in `runnable`
  PlanOutput plan;                 // the plan; points to arrays of BatchTables
  PagePool pages;                  // the free pages; points to BatchTables::free_pages
  LanePages lane_pages;            // points to BatchTables::lane_pages
  int32_t materialized_count = 0;  // number of entries in BatchTables::materialized_rows
  int32_t deliveries = 0;          // number of entries of this step's output that are claimed
  int32_t delivered_words = 0;     // number of words of this step's output that are claimed
};

// State of a slot that the search does not use. Only the code of the step uses it.
struct SlotExtra {
  bool occupied = false;  // holds a segment that is not cancelled and whose end is not delivered
  bool wants_partials = false;
  int32_t settled = 0;  // number of tokens that were delivered as settled (partials.h)
};

// The memory of all workspaces of a batch. The arrays `extras` to `ancestry` belong to
// BatchLimits::workspaces workspaces of the type BeamStepWorkspace, each for a beam of kMaxBeam.
// The arrays `scores` to `block_sums` belong to materialized_workspaces workspaces of the type
// MaterializedRowWorkspace.
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

// Pointers to the arrays of a batch, which are in one block of memory. A comment such as [lanes,
// pages_per_lane] gives an array's dimensions by their names in BatchLimits; [slots] is [max_rows].
struct BatchTables {
  BatchLimits limits;
  BatchScalars* now = nullptr;  // [1]

  SlotState* states = nullptr;       // [slots]
  SlotView* views = nullptr;         // [slots]
  SlotExtra* extras = nullptr;       // [slots]
  int32_t* slot_lanes = nullptr;     // [slots, kMaxSlotLanes]
  int32_t* cross_pages = nullptr;    // [slots, pages_per_lane]
  int32_t* source_length = nullptr;  // [slots]
  int32_t* order = nullptr;          // [slots] slots that have begun and not left, oldest first
  int32_t* runnable = nullptr;       // [slots] slots of `order` that run, oldest first
  int32_t* waiting = nullptr;  // [slots] occupied slots that lack pages to begin, oldest first
  int32_t* scratch = nullptr;  // [slots]

  LaneArrays lanes;
  int32_t* lane_pages = nullptr;  // [lanes, pages_per_lane]
  int32_t* free_pages = nullptr;  // [self_pages]

  int32_t* rules = nullptr;  // [rules_words] images of the segments' rules; allotted by the host

  // The rows of the current step, and the slots that have them.
  int32_t* row_slot = nullptr;      // [max_rows]
  int32_t* row_lane = nullptr;      // [max_rows]
  int32_t* row_position = nullptr;  // [max_rows]
  int32_t* plan_slots = nullptr;    // [slots]
  int32_t* first_row = nullptr;     // [slots]
  int32_t* row_token = nullptr;     // [max_rows] the newest token of each hypothesis
  // [max_rows, row_page_stride] the K/V page of each position that a row attends to, up to its new
  // position. Later entries are undefined.
  int32_t* row_pages = nullptr;
  LogitRequest* requests = nullptr;   // [max_rows]
  LogitSummary* summaries = nullptr;  // [max_rows] they point into the next two arrays
  TokenScore* top = nullptr;          // [max_rows, kMaxBeam]
  float* wanted_logits = nullptr;     // [max_rows, kMaxWantedIds]
  int32_t* wanted = nullptr;          // [max_rows, kMaxWantedIds]
  int32_t* masked = nullptr;          // [max_rows, row_masks]
  int64_t row_masks = 0;
  int32_t* materialized_rows = nullptr;  // [materialized_rows] rows of this step, ascending

  // A placeholder for LogitRequest::logits of rows with materialized logits, until the model sets
  // the pointer to the row's logits.
  float* unplaced = nullptr;  // [1]

  // Arrays with limits.workspaces and limits.materialized_workspaces entries.
  BeamStepWorkspace* step_workspaces = nullptr;
  MaterializedRowWorkspace* materialized_workspaces = nullptr;
  WorkspaceArrays workspace_arrays;
};

// Sets all pointers of `tables` to places within `memory`, or to null if `memory` is nullptr.
// Returns the number of bytes that the tables take, a multiple of 256. Each array is aligned to 256
// bytes. The memory itself contains pointers too, in views, plan and workspaces; FormatBatch
// (batch_step.h) writes them. REQUIRES: `memory` is aligned to 256 bytes.
int64_t CarveBatch(const BatchLimits& limits, void* memory, BatchTables* tables);

}  // namespace dragoman::kernels
