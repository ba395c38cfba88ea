// Jobs as REST: documents that the server translates in the background (dragoman.v1.Job).
//
//   POST   /v1/jobs             CreateJobRequest -> Job; then the document comes by PUT
//   POST   /v1/jobs:upload      ?name=report.docx&target_language_code=en and the document -> Job.
//                               Other parameters: source_language_code, model, format, fields (with
//                               commas), retranslate. For documents up to the size of a request
//   PUT    /v1/jobs/ID          ?offset=N and the document's bytes from there, at most 1 MiB -> Job
//   GET    /v1/jobs             ListJobsResponse
//   GET    /v1/jobs/ID          Job
//   GET    /v1/jobs/ID/result   the translated document
//   DELETE /v1/jobs/ID          {}
//
// Bytes of documents have the type application/octet-stream, which pages of other sites cannot send.
// Errors and keys are those of rest.h.
#pragma once

#include <memory>
#include <vector>

#include "server/api/adapter.h"

namespace dragoman::server {

std::unique_ptr<Adapter> MakeJobsAdapter(const AdapterContext& context);

// Returns the adapter's routes. Adapters::Add sets their adapter.
std::vector<AdapterRoute> JobsRoutes();

}  // namespace dragoman::server
