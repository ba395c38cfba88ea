#include "server/compat/deepl_documents.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "server/api/adapter_errors.h"
#include "server/api/form.h"
#include "server/api/job_files.h"
#include "server/api/json_body.h"
#include "server/api/request_fields.h"
#include "server/base/quoted.h"
#include "server/call/jobs/job_calls.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

std::string KeyOf(const std::string& id) { return absl::StrCat(id, id); }

const char* StateName(v1::Job::State state) {
  switch (state) {
    case v1::Job::DONE:
      return "done";
    case v1::Job::FAILED:
      return "error";
    case v1::Job::RUNNING:
      return "translating";
    default:
      return "queued";
  }
}

std::string ExtensionOf(const std::string& name) {
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : absl::AsciiStrToLower(name.substr(dot + 1));
}

}  // namespace

absl::StatusOr<HttpResponse> UploadDeeplDocument(const CallContext& calls, const Client* client,
                                                 const HttpRequest& request,
                                                 v1::TranslateRequest options) {
  const absl::StatusOr<Form> form = ReadForm(request);
  if (!form.ok()) return form.status();
  const auto file = std::ranges::find(form->fields(), "file", &FormField::name);
  if (file == form->fields().end() || file->file_name.empty()) {
    return InvalidField("file", "found none, expected a document in a multipart form");
  }
  std::string name = file->file_name;
  if (const auto given = form->Find("filename"); given.has_value()) name = std::string(*given);
  if (const auto output = form->Find("output_format"); output.has_value()) {
    const std::string expected = ExtensionOf(name);
    if (absl::AsciiStrToLower(std::string(*output)) != expected) {
      return InvalidField("output_format",
                          absl::StrCat("found ", Quoted(*output), ", expected ", expected,
                                       ": a translated document has the format of its original"));
    }
  }
  v1::CreateJobRequest create;
  *create.mutable_request() = std::move(options);
  create.set_name(std::move(name));
  const absl::StatusOr<v1::Job> job = CreateJobWith(calls, client, std::move(create), file->value);
  if (!job.ok()) return job.status();
  return JsonResponse(200, {{"document_id", job->id()}, {"document_key", KeyOf(job->id())}});
}

absl::StatusOr<HttpResponse> AnswerDeeplDocument(const CallContext& calls, const Client* client,
                                                 const HttpRequest& request) {
  constexpr std::string_view kResult = "/result";
  std::string id = request.path.substr(kDeeplDocuments.size() + 1);
  const bool is_result = id.ends_with(kResult);
  if (is_result) id.resize(id.size() - kResult.size());
  const absl::StatusOr<nlohmann::json> fields = ReadRequestFields(request);
  if (!fields.ok()) return fields.status();
  std::optional<std::string> key;
  if (absl::Status read = ReadField(*fields, "document_key", &key); !read.ok()) return read;
  if (key != KeyOf(id))
    return absl::NotFoundError("document_id or document_key: found no document");
  v1::GetJobRequest get;
  get.set_id(id);
  const absl::StatusOr<v1::Job> job = GetJob(calls, client, get);
  if (!job.ok()) return job.status();
  if (is_result) return ResultOfJob(calls, client, *job);
  nlohmann::json state = {{"document_id", id}, {"status", StateName(job->state())}};
  if (job->state() == v1::Job::RUNNING) {
    state["seconds_remaining"] = 1;  // clients ask again soon
  } else if (job->state() == v1::Job::DONE) {
    state["billed_characters"] = job->code_points();
  } else if (job->state() == v1::Job::FAILED) {
    state["error_message"] = job->error().message();
  }
  return JsonResponse(200, state);
}

}  // namespace dragoman::server
