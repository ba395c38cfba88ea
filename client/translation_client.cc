#include "client/translation_client.h"

#include <future>
#include <utility>

#include "client/call.h"
#include "client/client_core.h"
#include "dragoman/v1/translation.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace dragoman {
namespace {

// Begins a call of a method of one answer.
template <typename Request, typename Response>
TranslationClient::CancelCall StartUnary(ClientCore* core, TranslationClient::Timeout timeout,
                                         const RetryOptions& retry,
                                         Method<Request, Response> method,
                                         std::shared_ptr<const Request> request,
                                         std::function<void(absl::StatusOr<Response>)> done) {
  return Launch(std::make_shared<UnaryCall<Request, Response>>(
      core, timeout, retry, method, std::move(request), std::move(done)));
}

// The same, and waits for its end.
template <typename Request, typename Response>
absl::StatusOr<Response> Wait(ClientCore* core, TranslationClient::Timeout timeout,
                              const RetryOptions& retry, Method<Request, Response> method,
                              Request request) {
  // Shared with the callback, which may still be leaving set_value when the waiter is gone.
  auto answer = std::make_shared<std::promise<absl::StatusOr<Response>>>();
  StartUnary<Request, Response>(
      core, timeout, retry, method, std::make_shared<const Request>(std::move(request)),
      [answer](absl::StatusOr<Response> result) { answer->set_value(std::move(result)); });
  return answer->get_future().get();
}

using OnEnd = std::function<void(grpc::Status)>;

void AskTranslate(Link& link, grpc::ClientContext* context, const v1::TranslateRequest* request,
                  v1::TranslateResponse* response, OnEnd ended) {
  link.translation.async()->Translate(context, request, response, std::move(ended));
}

void AskDetectLanguage(Link& link, grpc::ClientContext* context,
                       const v1::DetectLanguageRequest* request,
                       v1::DetectLanguageResponse* response, OnEnd ended) {
  link.translation.async()->DetectLanguage(context, request, response, std::move(ended));
}

void AskListLanguages(Link& link, grpc::ClientContext* context,
                      const v1::ListLanguagesRequest* request, v1::ListLanguagesResponse* response,
                      OnEnd ended) {
  link.info.async()->ListLanguages(context, request, response, std::move(ended));
}

void AskListModels(Link& link, grpc::ClientContext* context, const v1::ListModelsRequest* request,
                   v1::ListModelsResponse* response, OnEnd ended) {
  link.info.async()->ListModels(context, request, response, std::move(ended));
}

void AskGetServerInfo(Link& link, grpc::ClientContext* context,
                      const v1::GetServerInfoRequest* request, v1::GetServerInfoResponse* response,
                      OnEnd ended) {
  link.info.async()->GetServerInfo(context, request, response, std::move(ended));
}

void AskHealth(Link& link, grpc::ClientContext* context,
               const grpc::health::v1::HealthCheckRequest* request,
               grpc::health::v1::HealthCheckResponse* response, OnEnd ended) {
  link.health.async()->Check(context, request, response, std::move(ended));
}

v1::ListLanguagesRequest LanguagesOf(const std::string& model) {
  v1::ListLanguagesRequest request;
  request.set_model(model);
  return request;
}

}  // namespace

TranslationClient::TranslationClient(std::unique_ptr<ClientCore> core) : core_(std::move(core)) {}

TranslationClient::~TranslationClient() { core_->WaitUntilIdle(); }

absl::StatusOr<std::unique_ptr<TranslationClient>> TranslationClient::Create(
    const ClientOptions& options) {
  auto core = ClientCore::Create(options);
  if (!core.ok()) return core.status();
  return std::unique_ptr<TranslationClient>(new TranslationClient(*std::move(core)));
}

TranslationClient::CancelCall TranslationClient::TranslateAsync(
    std::shared_ptr<const v1::TranslateRequest> request, TranslateDone done, Timeout timeout) {
  return StartUnary<v1::TranslateRequest, v1::TranslateResponse>(
      core_.get(), timeout, core_->options.retry, AskTranslate, std::move(request),
      std::move(done));
}

TranslationClient::CancelCall TranslationClient::StreamTranslateAsync(
    std::shared_ptr<const v1::TranslateRequest> request, OnMessage on_message, StreamDone done,
    Timeout timeout) {
  return Launch(std::make_shared<StreamCall>(core_.get(), timeout, core_->options.retry,
                                             std::move(request), std::move(on_message),
                                             std::move(done)));
}

TranslationClient::CancelCall TranslationClient::DetectLanguageAsync(
    const v1::DetectLanguageRequest& request,
    std::function<void(absl::StatusOr<v1::DetectLanguageResponse>)> done, Timeout timeout) {
  return StartUnary<v1::DetectLanguageRequest, v1::DetectLanguageResponse>(
      core_.get(), timeout, core_->options.retry, AskDetectLanguage,
      std::make_shared<v1::DetectLanguageRequest>(request), std::move(done));
}

TranslationClient::CancelCall TranslationClient::ListLanguagesAsync(
    const std::string& model, std::function<void(absl::StatusOr<v1::ListLanguagesResponse>)> done,
    Timeout timeout) {
  return StartUnary<v1::ListLanguagesRequest, v1::ListLanguagesResponse>(
      core_.get(), timeout, core_->options.retry, AskListLanguages,
      std::make_shared<v1::ListLanguagesRequest>(LanguagesOf(model)), std::move(done));
}

TranslationClient::CancelCall TranslationClient::ListModelsAsync(
    std::function<void(absl::StatusOr<v1::ListModelsResponse>)> done, Timeout timeout) {
  return StartUnary<v1::ListModelsRequest, v1::ListModelsResponse>(
      core_.get(), timeout, core_->options.retry, AskListModels,
      std::make_shared<v1::ListModelsRequest>(), std::move(done));
}

absl::StatusOr<v1::TranslateResponse> TranslationClient::Translate(
    const v1::TranslateRequest& request, Timeout timeout) {
  return Wait(core_.get(), timeout, core_->options.retry, AskTranslate, request);
}

absl::Status TranslationClient::StreamTranslate(const v1::TranslateRequest& request,
                                                OnMessage on_message, Timeout timeout) {
  auto answer = std::make_shared<std::promise<absl::Status>>();
  StreamTranslateAsync(
      std::make_shared<v1::TranslateRequest>(request), std::move(on_message),
      [answer](absl::Status status) { answer->set_value(std::move(status)); }, timeout);
  return answer->get_future().get();
}

absl::StatusOr<v1::DetectLanguageResponse> TranslationClient::DetectLanguage(
    const v1::DetectLanguageRequest& request, Timeout timeout) {
  return Wait(core_.get(), timeout, core_->options.retry, AskDetectLanguage, request);
}

absl::StatusOr<v1::ListLanguagesResponse> TranslationClient::ListLanguages(const std::string& model,
                                                                           Timeout timeout) {
  return Wait(core_.get(), timeout, core_->options.retry, AskListLanguages, LanguagesOf(model));
}

absl::StatusOr<v1::ListModelsResponse> TranslationClient::ListModels(Timeout timeout) {
  return Wait(core_.get(), timeout, core_->options.retry, AskListModels, v1::ListModelsRequest());
}

absl::StatusOr<v1::GetServerInfoResponse> TranslationClient::GetServerInfo(Timeout timeout) {
  return Wait(core_.get(), timeout, core_->options.retry, AskGetServerInfo,
              v1::GetServerInfoRequest());
}

absl::StatusOr<bool> TranslationClient::Healthy(const std::string& service, Timeout timeout) {
  static const RetryOptions kOnce{.max_attempts = 1};
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  const auto response = Wait(core_.get(), timeout, kOnce, AskHealth, request);
  if (!response.ok()) return response.status();
  return response->status() == grpc::health::v1::HealthCheckResponse::SERVING;
}

}  // namespace dragoman
