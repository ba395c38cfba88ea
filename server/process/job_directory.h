// Finds the directory of jobs for the settings.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "server/call/jobs/job_store.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Returns the largest document of a job, in bytes; 0 without jobs.
int64_t MaxJobBytes(const ServerConfig& config);

// Opens the store of jobs in --jobs-dir, which is made if it does not exist, or in a new temporary
// directory (TMPDIR, else /tmp). Removes temporary directories that earlier daemons of this user
// left when they were killed. Returns nullptr without jobs. Returns an error if --jobs-dir cannot
// be used. If no temporary directory can be made, says so in the log and returns nullptr.
absl::StatusOr<std::unique_ptr<JobStore>> OpenJobs(const ServerConfig& config);

}  // namespace dragoman::server
