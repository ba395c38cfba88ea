#include "server/call/jobs/job_calls.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/call/jobs/job_runner.h"
#include "server/call/jobs/job_store.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

std::string OwnerOf(const Client* client) { return client == nullptr ? "" : client->name(); }

absl::Status CheckJobs(const CallContext& context) {
  if (context.jobs != nullptr) return absl::OkStatus();
  return absl::UnimplementedError("jobs: this server takes none (--jobs-mb)");
}

}  // namespace

absl::StatusOr<v1::Job> CreateJob(const CallContext& context, const Client* client,
                                  v1::CreateJobRequest request) {
  if (absl::Status jobs = CheckJobs(context); !jobs.ok()) return jobs;
  if (context.is_draining()) return absl::UnavailableError("the server is draining");
  absl::Status checked = CheckJob(context, client, context.jobs->limits().max_job_bytes, &request);
  if (!checked.ok()) return checked;
  return context.jobs->Create(OwnerOf(client), std::move(request));
}

absl::StatusOr<v1::Job> AppendToJob(const CallContext& context, const Client* client,
                                    const v1::AppendToJobRequest& request) {
  if (absl::Status jobs = CheckJobs(context); !jobs.ok()) return jobs;
  if (request.data().size() > kMaxAppendBytes) {
    return InvalidField("data", absl::StrCat("found ", request.data().size(),
                                             " bytes, expected at most ", kMaxAppendBytes));
  }
  return context.jobs->Append(OwnerOf(client), request.id(), request.offset(), request.data());
}

absl::StatusOr<v1::Job> GetJob(const CallContext& context, const Client* client,
                               const v1::GetJobRequest& request) {
  if (absl::Status jobs = CheckJobs(context); !jobs.ok()) return jobs;
  return context.jobs->Get(OwnerOf(client), request.id());
}

absl::StatusOr<v1::ListJobsResponse> ListJobs(const CallContext& context, const Client* client) {
  if (absl::Status jobs = CheckJobs(context); !jobs.ok()) return jobs;
  v1::ListJobsResponse response;
  for (v1::Job& job : context.jobs->List(OwnerOf(client))) *response.add_jobs() = std::move(job);
  return response;
}

absl::StatusOr<v1::ReadJobResponse> ReadJob(const CallContext& context, const Client* client,
                                            const v1::ReadJobRequest& request) {
  if (absl::Status jobs = CheckJobs(context); !jobs.ok()) return jobs;
  absl::StatusOr<std::string> data =
      context.jobs->Read(OwnerOf(client), request.id(), request.offset());
  if (!data.ok()) return data.status();
  v1::ReadJobResponse response;
  response.set_data(*std::move(data));
  return response;
}

absl::StatusOr<v1::DeleteJobResponse> DeleteJob(const CallContext& context, const Client* client,
                                                const v1::DeleteJobRequest& request) {
  if (absl::Status jobs = CheckJobs(context); !jobs.ok()) return jobs;
  if (absl::Status deleted = context.jobs->Delete(OwnerOf(client), request.id()); !deleted.ok()) {
    return deleted;
  }
  return v1::DeleteJobResponse();
}

}  // namespace dragoman::server
