// The methods of TranslationService for jobs, for every transport. `client` is that of the call's
// key, or nullptr if calls need no key.
//
// Thread-safe. All but GetJob and ListJobs wait for the disk.
#pragma once

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "server/call/api_keys.h"
#include "server/call/call_context.h"

namespace dragoman::server {

absl::StatusOr<v1::Job> CreateJob(const CallContext& context, const Client* client,
                                  v1::CreateJobRequest request);
absl::StatusOr<v1::Job> AppendToJob(const CallContext& context, const Client* client,
                                    const v1::AppendToJobRequest& request);
absl::StatusOr<v1::Job> GetJob(const CallContext& context, const Client* client,
                               const v1::GetJobRequest& request);
absl::StatusOr<v1::ListJobsResponse> ListJobs(const CallContext& context, const Client* client);
absl::StatusOr<v1::ReadJobResponse> ReadJob(const CallContext& context, const Client* client,
                                            const v1::ReadJobRequest& request);
absl::StatusOr<v1::DeleteJobResponse> DeleteJob(const CallContext& context, const Client* client,
                                                const v1::DeleteJobRequest& request);

}  // namespace dragoman::server
