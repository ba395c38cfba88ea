// Lets a call wait for a job. The call is answered when the job has ended.
//
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "engine/base/clock.h"
#include "server/call/api_keys.h"
#include "server/call/call_context.h"

namespace dragoman::server {

struct JobWait {
  std::string id;
  std::shared_ptr<Grant> grant;  // of the call; nullptr if calls need no key
  engine::Nanos deadline = 0;
  // Reports whether the client has cancelled the call.
  std::function<bool()> is_gone;
  // Called once, on the timer's thread or inside WaitForJob. Receives the job, which is DONE, or its
  // error. After the deadline or a cancellation, the job is deleted, and the error is
  // DEADLINE_EXCEEDED.
  std::function<void(const absl::StatusOr<v1::Job>& job)> done;
};

// `context` outlives the wait.
void WaitForJob(const CallContext* context, JobWait wait);

}  // namespace dragoman::server
