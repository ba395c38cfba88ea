#include "server/compat/google_documents.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/documents/document.h"
#include "server/api/job_files.h"
#include "server/api/raw_service.h"
#include "server/base/quoted.h"
#include "server/call/call_tracker.h"
#include "server/call/jobs/job_calls.h"
#include "server/call/jobs/job_wait.h"
#include "server/call/request_error.h"
#include "server/call/wire_check.h"
#include "server/compat/google_v3.h"

namespace dragoman::server {
namespace {

constexpr char kRoute[] = "google.cloud.translation.v3.TranslationService/TranslateDocument";

absl::StatusOr<std::string> FormatOf(const std::string& mime_type) {
  const auto formats = engine::DocumentFormats();
  const auto found = std::ranges::find(formats, mime_type, &engine::DocumentFormat::mime_type);
  if (found != formats.end()) return std::string(found->name);
  std::vector<std::string> known;
  for (const engine::DocumentFormat& format : formats) known.emplace_back(format.mime_type);
  return InvalidField(
      "document_input_config.mime_type",
      absl::StrCat("found ", Quoted(mime_type), ", expected one of ", absl::StrJoin(known, ", ")));
}

class DocumentCall final : public CallReactor {
 public:
  DocumentCall(const ServiceContext* service, grpc::CallbackServerContext* rpc)
      : CallReactor(service, rpc), ticket_(service->calls->tracker) {}

 private:
  void HandleRequest(const grpc::ByteBuffer& request) override {
    const CallHead head = Head(Api::kGoogleV3, kRoute);
    const Client* const client = head.grant == nullptr ? nullptr : &head.grant->client();
    absl::Status known = ParseKnown(FlattenBytes(request), &in_);
    if (!known.ok()) return End(known);
    const absl::StatusOr<v1::Job> job = CreateGoogleDocument(calls(), client, in_);
    if (!job.ok()) return End(job.status());
    const auto self = std::static_pointer_cast<DocumentCall>(shared_from_this());
    WaitForJob(&calls(),
               {job->id(), head.grant, head.deadline, [self] { return self->is_cancelled_.load(); },
                [self, grant = head.grant](const absl::StatusOr<v1::Job>& ended) {
                  self->Answer(grant == nullptr ? nullptr : &grant->client(), ended);
                }});
  }
  void HandleNoRequest(absl::Status status) override { End(status); }
  void HandleCancel() override { is_cancelled_ = true; }

  void Answer(const Client* client, const absl::StatusOr<v1::Job>& job) {
    if (!job.ok()) return End(job.status());
    const auto out = TakeGoogleDocument(calls(), client, *job, in_);
    if (!out.ok()) return End(out.status());
    if (!SerializeBytes(*out, &response_)) {
      return End(absl::InternalError("the response could not be serialised"));
    }
    Count(absl::OkStatus());
    SendAndFinish(&response_, grpc::Status::OK);
  }

  void End(const absl::Status& status) {
    Count(status);
    FinishCall(EndStatus(status));
  }

  void Count(const absl::Status& status) {
    calls().metrics->OnRpc(Api::kGoogleV3, RpcMethod::kCreateJob, status.code(),
                           calls().clock->Now() - started(), "");
  }

  const CallTracker::Ticket ticket_;
  google_v3::TranslateDocumentRequest in_;  // written before the wait begins
  grpc::ByteBuffer response_;
  std::atomic<bool> is_cancelled_{false};
};

}  // namespace

absl::StatusOr<v1::Job> CreateGoogleDocument(const CallContext& calls, const Client* client,
                                             const google_v3::TranslateDocumentRequest& in) {
  std::vector<std::string> refused;
  const auto refuse = [&](bool is_set, const char* name) {
    if (is_set) refused.emplace_back(name);
  };
  const google_v3::DocumentInputConfig& input = in.document_input_config();
  refuse(input.has_gcs_source(), "document_input_config.gcs_source");
  refuse(in.document_output_config().has_gcs_destination(),
         "document_output_config.gcs_destination");
  refuse(in.is_translate_native_pdf_only(), "is_translate_native_pdf_only");
  refuse(in.enable_shadow_removal_native_pdf(), "enable_shadow_removal_native_pdf");
  refuse(in.enable_rotation_correction(), "enable_rotation_correction");
  refuse(!in.customized_attribution().empty(), "customized_attribution");
  if (!refused.empty()) return UnimplementedFields(refused);
  absl::StatusOr<std::string> format = FormatOf(input.mime_type());
  if (!format.ok()) return format.status();
  const std::string& wanted = in.document_output_config().mime_type();
  if (!wanted.empty() && wanted != input.mime_type()) {
    return InvalidField("document_output_config.mime_type",
                        absl::StrCat("found ", Quoted(wanted), ", expected ", input.mime_type(),
                                     ", the type of the original"));
  }
  google_v3::TranslateTextRequest text;
  text.set_parent(in.parent());
  text.set_source_language_code(in.source_language_code());
  text.set_target_language_code(in.target_language_code());
  text.set_model(in.model());
  if (in.has_glossary_config()) *text.mutable_glossary_config() = in.glossary_config();
  *text.mutable_labels() = in.labels();
  absl::StatusOr<v1::TranslateRequest> options = FromGoogleV3(text, calls.detector != nullptr);
  if (!options.ok()) return options.status();
  options->clear_mime_type();
  v1::CreateJobRequest create;
  *create.mutable_request() = *std::move(options);
  create.set_format(*std::move(format));
  return CreateJobWith(calls, client, std::move(create), input.content());
}

absl::StatusOr<google_v3::TranslateDocumentResponse> TakeGoogleDocument(
    const CallContext& calls, const Client* client, const v1::Job& job,
    const google_v3::TranslateDocumentRequest& in) {
  std::string document;
  v1::ReadJobRequest read;
  read.set_id(job.id());
  while (static_cast<int64_t>(document.size()) < job.result_size()) {
    read.set_offset(static_cast<int64_t>(document.size()));
    const absl::StatusOr<v1::ReadJobResponse> piece = ReadJob(calls, client, read);
    if (!piece.ok()) return piece.status();
    document += piece->data();
  }
  v1::DeleteJobRequest remove;
  remove.set_id(job.id());
  DeleteJob(calls, client, remove).IgnoreError();
  google_v3::TranslateDocumentResponse out;
  google_v3::DocumentTranslation& translation = *out.mutable_document_translation();
  translation.add_byte_stream_outputs(std::move(document));
  translation.set_mime_type(in.document_input_config().mime_type());
  out.set_model(in.model());
  if (in.has_glossary_config()) {
    *out.mutable_glossary_document_translation() = translation;
    *out.mutable_glossary_config() = in.glossary_config();
  }
  return out;
}

std::shared_ptr<CallReactor> MakeGoogleDocumentCall(const ServiceContext* service,
                                                    grpc::CallbackServerContext* rpc) {
  return std::make_shared<DocumentCall>(service, rpc);
}

}  // namespace dragoman::server
