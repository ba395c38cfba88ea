#include "server/call/jobs/job_wait.h"

#include <utility>

#include "server/base/deadline_timer.h"
#include "server/base/steady_clock.h"
#include "server/call/jobs/job_calls.h"
#include "server/call/rpc_status.h"

namespace dragoman::server {
namespace {

constexpr engine::Nanos kPause = 100 * kNanosPerMilli;

void Check(const CallContext& context, const std::shared_ptr<const JobWait>& wait) {
  const Client* const client = wait->grant == nullptr ? nullptr : &wait->grant->client();
  v1::GetJobRequest get;
  get.set_id(wait->id);
  const absl::StatusOr<v1::Job> job = GetJob(context, client, get);
  if (!job.ok() || job->state() == v1::Job::DONE) return wait->done(job);
  if (job->state() == v1::Job::FAILED) return wait->done(FromRpcStatus(job->error()));
  const engine::Nanos now = context.clock->Now();
  if (wait->is_gone() || now >= wait->deadline) {
    v1::DeleteJobRequest remove;
    remove.set_id(wait->id);
    DeleteJob(context, client, remove).IgnoreError();
    return wait->done(absl::DeadlineExceededError("the deadline has passed"));
  }
  context.timer->Arm(now + kPause, [&context, wait] { Check(context, wait); });
}

}  // namespace

void WaitForJob(const CallContext* context, JobWait wait) {
  Check(*context, std::make_shared<const JobWait>(std::move(wait)));
}

}  // namespace dragoman::server
