#include "server/compat/riva_service.h"

#include "server/api/query_call.h"
#include "server/compat/foreign_call.h"
#include "server/compat/riva.h"

namespace dragoman::server {

RivaService::RivaService(const ServiceContext* context) {
  Add("/nvidia.riva.nmt.RivaTranslation/TranslateText",
      [context](grpc::CallbackServerContext* rpc) {
        return std::make_shared<ForeignCall>(
            context, rpc, Api::kRiva, "nvidia.riva.nmt.RivaTranslation/TranslateText",
            MakeForeign<riva::TranslateTextRequest>(FromRiva, ToRiva));
      });
  Add("/nvidia.riva.nmt.RivaTranslation/ListSupportedLanguagePairs",
      [context](grpc::CallbackServerContext* rpc) {
        const auto answer = [context](const riva::AvailableLanguageRequest& in, Client* client,
                                      riva::AvailableLanguageResponse* out) -> absl::Status {
          absl::StatusOr<riva::AvailableLanguageResponse> pairs =
              PairsOfRiva(in, *context->calls, client);
          if (pairs.ok()) *out = *std::move(pairs);
          return pairs.status();
        };
        return std::make_shared<QueryCall<riva::AvailableLanguageRequest,
                                          riva::AvailableLanguageResponse, decltype(answer)>>(
            context, rpc, Api::kRiva, RpcMethod::kListLanguages, answer);
      });
}

}  // namespace dragoman::server
