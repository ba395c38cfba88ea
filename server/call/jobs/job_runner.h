// Runs the jobs of a JobStore: reads their documents, translates the texts as calls of the server
// like any other, and writes the documents.
//
// A job has a bounded number of texts in the engine at once, and fewer after a call that is not BULK.
// If the server has no room for a call,
// the job waits and tries again. Translations are kept as they come, so that a job goes on after a
// restart. A text that fails stays as it is in the document.
//
// Thread-safe. The destructor stops the threads. Jobs that are running wait for the next start.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/mutex.h"
#include "server/call/api_keys.h"
#include "server/call/call_context.h"
#include "server/call/jobs/job_store.h"

namespace dragoman::server {

class JobRunner {
 public:
  // Everything is borrowed and outlives the runner. `keys` is nullptr if calls need no key. `cpus`
  // are those that this process may use.
  JobRunner(JobStore* store, const CallContext* context, const ApiKeys* keys, int cpus);
  // REQUIRES: no call is in flight, or calls end soon.
  ~JobRunner();

 private:
  class Run;

  // The documents that a thread may run.
  struct Share {
    int64_t max_size = 0;  // the largest document
    int64_t max_text = 0;  // the bytes of it that are text, after decompression
  };

  // Runs jobs until the end.
  void Work(const Share& share);
  // Waits until `ready` or the end. Returns false at the end.
  bool Sleep(int64_t milliseconds) ABSL_LOCKS_EXCLUDED(mu_);
  bool is_stopping() ABSL_LOCKS_EXCLUDED(mu_);
  // Returns how many texts of sentence length a job may have in the engine now.
  size_t Room() const;

  JobStore* const store_;
  const CallContext* const context_;
  const ApiKeys* const keys_;
  const int cpus_;

  engine::Mutex mu_;
  engine::CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  int64_t waiting_ ABSL_GUARDED_BY(mu_) = 0;  // how often the store has reported a waiting job

  std::vector<std::thread> threads_;
};

// Returns the bytes of memory that jobs use at most, if a document has at most `max_job_bytes`.
int64_t JobMemoryBytes(int64_t max_job_bytes);

// Checks what does not depend on the document: the format and size, the options, the model and the
// languages. Fills in Job's defaults of the request. Returns the errors of CreateJob.
absl::Status CheckJob(const CallContext& context, const Client* client, int64_t max_job_bytes,
                      v1::CreateJobRequest* request);

}  // namespace dragoman::server
