#include "server/api/job_files.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/documents/document.h"
#include "server/call/jobs/job_calls.h"
#include "server/call/jobs/job_store.h"

namespace dragoman::server {
namespace {

// The translated document in pieces.
class ResultPieces final : public BodyPieces {
 public:
  ResultPieces(const JobStore* store, std::string owner, std::string id)
      : store_(store), owner_(std::move(owner)), id_(std::move(id)) {}

  std::string Next() override {
    absl::StatusOr<std::string> piece = store_->Read(owner_, id_, offset_);
    if (!piece.ok()) return "";  // the job was deleted; the client sees too few bytes
    offset_ += static_cast<int64_t>(piece->size());
    return *std::move(piece);
  }

 private:
  const JobStore* const store_;
  const std::string owner_;
  const std::string id_;
  int64_t offset_ = 0;
};

}  // namespace

absl::StatusOr<v1::Job> CreateJobWith(const CallContext& calls, const Client* client,
                                      v1::CreateJobRequest request, std::string_view document) {
  request.set_size(static_cast<int64_t>(document.size()));
  absl::StatusOr<v1::Job> job = CreateJob(calls, client, std::move(request));
  while (job.ok() && job->received() < job->size()) {
    v1::AppendToJobRequest append;
    append.set_id(job->id());
    append.set_offset(job->received());
    append.set_data(
        std::string(document.substr(static_cast<size_t>(job->received()), kMaxAppendBytes)));
    job = AppendToJob(calls, client, append);
  }
  return job;
}

absl::StatusOr<HttpResponse> ResultOfJob(const CallContext& calls, const Client* client,
                                         const v1::Job& job) {
  if (job.state() != v1::Job::DONE) {
    return absl::FailedPreconditionError(
        absl::StrCat("job: found state ", v1::Job::State_Name(job.state()), ", expected DONE"));
  }
  const engine::DocumentFormat* const format = engine::FindDocumentFormat(job.format());
  HttpResponse response;
  response.content_type =
      format == nullptr ? "application/octet-stream" : std::string(format->mime_type);
  response.headers.emplace_back("Cache-Control", "no-store");
  // A browser stores the file and does not show it, because it may be a page with scripts.
  response.headers.emplace_back("Content-Disposition", "attachment");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.pieces =
      std::make_shared<ResultPieces>(calls.jobs, client == nullptr ? "" : client->name(), job.id());
  return response;
}

}  // namespace dragoman::server
