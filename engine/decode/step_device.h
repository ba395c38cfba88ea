// Runs the steps of a DeviceBatch (device_batch.h): a GPU, or a thread in tests.
//
// Owns the batch's tables (kernels/search/batch_tables.h), which nothing else can access, and the
// two mailboxes between host and steps (kernels/search/step_mailbox.h). Steps run one after the
// other in the order of Enqueue, asynchronously. One decode thread makes all calls.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "kernels/search/batch_tables.h"
#include "kernels/search/step_mailbox.h"

namespace dragoman::engine {

class StepDevice {
 public:
  // Waits for the enqueued steps.
  virtual ~StepDevice() = default;

  // The results of all accessors never change.
  virtual const kernels::BatchLimits& limits() const = 0;

  // Returns the row counts for which steps are launched, ascending. The last is limits().max_rows.
  virtual std::span<const int> buckets() const = 0;

  // Reports whether the logits of such a segment are materialized (BatchLimits::materialized_rows):
  // because the search needs all logits, or more candidates than the fused output layer gives.
  virtual bool IsMaterialized(const kernels::SearchOptions& search) const = 0;

  // Returns the host's view of mailbox `index`. The host may access it from the end of a step that
  // used it to the Enqueue of the next such step.
  virtual const kernels::StepMailbox& mailbox(int index) const = 0;

  virtual int64_t workspace_bytes() const = 0;

  // The properties of a step, from all segments in slots.
  struct Launch {
    int mailbox = 0;  // the step's number modulo kStepMailboxes
    int bucket = 0;   // one of buckets(); the command's max_rows
    int max_k = 0;    // most candidates of a row without materialized logits; 0: no such row
    bool materialized = false;  // some rows may have materialized logits
    bool align = false;         // some rows may need their alignment
  };
  // Starts a step. REQUIRES: the command in the mailbox is complete.
  virtual absl::Status Enqueue(const Launch& launch) = 0;

  // Waits until the latest step that used this mailbox has finished. Its output may be read then.
  virtual absl::Status Wait(int mailbox) = 0;

  // An error of Enqueue or Wait is the device's or the model's, and final. No step is running when
  // it is returned. Neither method may be called again.
};

}  // namespace dragoman::engine
