// What runs the steps of a DeviceBatch (device_batch.h): a GPU, or in tests a thread in its place.
//
// It owns the batch's tables (kernels/decide/batch_tables.h), which nobody else can see, and the
// two ports through which host and step talk (kernels/decide/step_port.h). Steps run one after the
// other, in the order in which they were enqueued, while the caller goes on.
//
// Called by one decode thread.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "kernels/decide/batch_tables.h"
#include "kernels/decide/step_port.h"

namespace dragoman {

class StepDevice {
 public:
  // Waits for what is enqueued.
  virtual ~StepDevice() = default;

  virtual const BatchLimits& limits() const = 0;

  // Row counts that a step may be launched for, ascending; the last is limits().max_rows.
  virtual std::span<const int> buckets() const = 0;

  // Memory of port `index` as the host sees it. The host's from the end of one step that used it to
  // the Enqueue of the next.
  virtual const StepPort& port(int index) const = 0;

  struct Launch {
    int port = 0;         // the step's number modulo kStepPorts
    int bucket = 0;       // of buckets(); the command's max_rows
    int max_k = 1;        // most candidates of a row of any segment in a slot
    bool stored = false;  // some segment in a slot may need stored logits
  };
  // Starts a step. The command must be complete. An error is final.
  virtual absl::Status Enqueue(const Launch& launch) = 0;

  // Waits until the latest step that used this port is through; its output may be read then. An
  // error is final: the device's, or the model's.
  virtual absl::Status Wait(int port) = 0;

  virtual int64_t workspace_bytes() const = 0;
};

}  // namespace dragoman
