// Runs the steps of a DeviceBatch (device_batch.h): a GPU, or in tests a thread in its place.
//
// It owns the batch's tables (kernels/search/batch_tables.h), which nothing else can see, and the
// two mailboxes through which host and step talk (kernels/search/step_mailbox.h). Steps run one
// after the other, in the order in which they were enqueued, while the caller goes on.
//
// Called by one decode thread.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "kernels/search/batch_tables.h"
#include "kernels/search/step_mailbox.h"

namespace dragoman::engine {

class StepDevice {
 public:
  // Waits for what is enqueued.
  virtual ~StepDevice() = default;

  // Never change, as all that can be asked here.
  virtual const kernels::BatchLimits& limits() const = 0;

  // Row counts that a step may be launched for, ascending; the last is limits().max_rows.
  virtual std::span<const int> buckets() const = 0;

  // Whether the rows of such a segment are materialized (BatchLimits::materialized_rows): because their logits
  // are asked for whole, or because they are more than the fused output layer gives.
  virtual bool IsMaterialized(const kernels::SearchOptions& search) const = 0;

  // Memory of mailbox `index` as the host sees it. The host's from the end of one step that used it
  // to the Enqueue of the next.
  virtual const kernels::StepMailbox& mailbox(int index) const = 0;

  virtual int64_t workspace_bytes() const = 0;

  // The properties of all segments in slots that a step is launched for.
  struct Launch {
    int mailbox = 0;  // the step's number modulo kStepMailboxes
    int bucket = 0;   // of buckets(); the command's max_rows
    int max_k = 0;    // most candidates of a row that is not materialized; 0: there is no such row
    bool materialized = false;  // some rows may be materialized
    bool align = false;         // some may ask for their alignment
  };
  // Starts a step. The command must be complete.
  virtual absl::Status Enqueue(const Launch& launch) = 0;

  // Waits until the latest step that used this mailbox is through; its output may be read then.
  virtual absl::Status Wait(int mailbox) = 0;

  // An error of either is the device's or the model's, and the last word: no step runs any more
  // when it is returned, and neither may be called again.
};

}  // namespace dragoman::engine
