#include "server/compat/google_service.h"

#include "server/api/query_call.h"
#include "server/call/detection.h"
#include "server/compat/foreign_call.h"
#include "server/compat/google_v3.h"

namespace dragoman::server {
namespace {

// Converts a function from a request to its answer into the form that QueryCall takes.
template <typename Request, typename Response, typename Function>
auto Answering(Function function) {
  return [function](const Request& in, Client* client, Response* out) -> absl::Status {
    absl::StatusOr<Response> answer = function(in, client);
    if (answer.ok()) *out = *std::move(answer);
    return answer.status();
  };
}

}  // namespace

GoogleService::GoogleService(const ServiceContext* context) : languages_(context->calls) {
  const auto query = [context]<typename Request, typename Response>(RpcMethod method,
                                                                    auto function) {
    return [context, method,
            answer = Answering<Request, Response>(function)](grpc::CallbackServerContext* rpc) {
      return std::make_shared<QueryCall<Request, Response, decltype(answer)>>(
          context, rpc, Api::kGoogleV3, method, answer);
    };
  };
  const bool can_detect = context->calls->detector != nullptr;
  Add("/google.cloud.translation.v3.TranslationService/TranslateText",
      [context, can_detect](grpc::CallbackServerContext* rpc) {
        return std::make_shared<ForeignCall>(
            context, rpc, Api::kGoogleV3,
            "google.cloud.translation.v3.TranslationService/TranslateText",
            MakeForeign<google_v3::TranslateTextRequest>(
                [can_detect](const auto& in) { return FromGoogleV3(in, can_detect); }, ToGoogleV3));
      });
  const auto detect = [context](const google_v3::DetectLanguageRequest& in, Client* client,
                                google_v3::DetectLanguageResponse* out) -> absl::Status {
    const absl::StatusOr<v1::DetectLanguageRequest> ours = DetectFromGoogleV3(in);
    if (!ours.ok()) return ours.status();
    const auto found = DetectLanguages(*context->calls, client, *ours);
    if (found.ok()) *out = DetectToGoogleV3(*found);
    return found.status();
  };
  Add("/google.cloud.translation.v3.TranslationService/DetectLanguage",
      [context, detect](grpc::CallbackServerContext* rpc) {
        return std::make_shared<QueryCall<google_v3::DetectLanguageRequest,
                                          google_v3::DetectLanguageResponse, decltype(detect)>>(
            context, rpc, Api::kGoogleV3, RpcMethod::kDetectLanguage, detect);
      });
  Add("/google.cloud.translation.v3.TranslationService/GetSupportedLanguages",
      query.operator()<google_v3::GetSupportedLanguagesRequest, google_v3::SupportedLanguages>(
          RpcMethod::kListLanguages, [this, context](const auto& in, const Client* client) {
            return SupportedGoogleV3(in, *context->calls, client, languages_);
          }));
  Add("/google.cloud.translation.v3.TranslationService/ListGlossaries",
      query.operator()<google_v3::ListGlossariesRequest, google_v3::ListGlossariesResponse>(
          RpcMethod::kListGlossaries, [context](const auto& in, const Client* client) {
            return ListGoogleV3(in, *context->calls, client);
          }));
  Add("/google.cloud.translation.v3.TranslationService/GetGlossary",
      query.operator()<google_v3::GetGlossaryRequest, google_v3::Glossary>(
          RpcMethod::kGetGlossary, [context](const auto& in, const Client* client) {
            return GetGoogleV3(in, *context->calls, client);
          }));
}

}  // namespace dragoman::server
