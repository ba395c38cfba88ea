// Runs the steps of a DeviceBatch (device_batch.h) on a GPU, or in tests on another thread.
//
// Owns the batch's tables (kernels/search/batch_tables.h), which only its steps access. Also owns
// the two mailboxes through which host and steps exchange commands and outputs
// (kernels/search/step_mailbox.h). Steps run asynchronously, one after the other in the order of
// Enqueue. One decode thread makes all calls.
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

  // The results of limits, buckets, IsMaterialized, mailbox and workspace_bytes never change.
  virtual const kernels::BatchLimits& limits() const = 0;

  // Returns the buckets: the row counts for which a step can be launched, ascending. The last one
  // is limits().max_rows.
  virtual std::span<const int> buckets() const = 0;

  // Reports whether the logits of a segment with this search are written to memory
  // (BatchLimits::materialized_rows). This is so if the search needs all logits, or more candidates
  // per row than the fused output layer can return.
  virtual bool IsMaterialized(const kernels::SearchOptions& search) const = 0;

  // Returns the host's view of mailbox `index`. The host may access the mailbox while no step uses
  // it: after the end of the step that used it last, and before the Enqueue of the next step that
  // uses it.
  virtual const kernels::StepMailbox& mailbox(int index) const = 0;

  virtual int64_t workspace_bytes() const = 0;

  // The properties of a step. They must be right for the segments of all slots.
  struct Launch {
    int mailbox = 0;  // the step's number modulo kStepMailboxes
    int bucket = 0;   // one of buckets(); equal to max_rows of the command
    // The largest number of candidates that a row without materialized logits needs. 0: there is no
    // such row.
    int max_k = 0;
    bool materialized = false;  // some rows may have materialized logits
    bool align = false;         // some rows may need an alignment
  };
  // Starts a step. REQUIRES: the command in the mailbox is complete.
  virtual absl::Status Enqueue(const Launch& launch) = 0;

  // Waits until the latest step that used this mailbox has finished. Then the host may read the
  // step's output.
  virtual absl::Status Wait(int mailbox) = 0;

  // Enqueue and Wait return an error if the device or the model has failed. Then no step is
  // running, and neither of them may be called again.
};

}  // namespace dragoman::engine
