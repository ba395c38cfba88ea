// TranslateDocument of Google's Cloud Translation v3: a document in the request, which is translated
// as a job, and its translation in the answer. The job is deleted then.
//
// Contents come in the request alone; there is no Cloud Storage (gcs_source, gcs_destination). The
// answer has the format of the original. With a glossary, both translations are the same, like those
// of TranslateText. Options for PDF are refused: the server translates no PDF.
//
// Thread-safe. The conversions are pure functions of their arguments.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "google/cloud/translate/v3/translation_service.pb.h"
#include "server/api/call_reactor.h"
#include "server/call/call_context.h"

namespace dragoman::server {

// Creates the job of a request. UNIMPLEMENTED names refused fields; INVALID_ARGUMENT names a type
// that is none of a document. The other errors are those of CreateJob.
absl::StatusOr<v1::Job> CreateGoogleDocument(
    const CallContext& calls, const Client* client,
    const google::cloud::translation::v3::TranslateDocumentRequest& in);

// Returns the answer to `in` once the job is DONE, and deletes the job.
absl::StatusOr<google::cloud::translation::v3::TranslateDocumentResponse> TakeGoogleDocument(
    const CallContext& calls, const Client* client, const v1::Job& job,
    const google::cloud::translation::v3::TranslateDocumentRequest& in);

// Returns a call of the RPC.
std::shared_ptr<CallReactor> MakeGoogleDocumentCall(const ServiceContext* service,
                                                    grpc::CallbackServerContext* rpc);

}  // namespace dragoman::server
