#include "client/translation_client.h"

#include <future>
#include <utility>

#include "client/call.h"
#include "client/client_core.h"
#include "dragoman/v1/translation.pb.h"
#include "grpc/health/v1/health.pb.h"

namespace dragoman::client {
namespace {

// Starts a unary call.
template <typename Request, typename Response>
TranslationClient::CancelCall StartUnary(ClientCore* core, TranslationClient::Timeout timeout,
                                         const RetryOptions& retry, const Method& method,
                                         std::shared_ptr<const Request> request,
                                         std::function<void(absl::StatusOr<Response>)> done) {
  return Launch(std::make_shared<UnaryCall<Request, Response>>(
      core, timeout, retry, method, std::move(request), std::move(done)));
}

// Starts a unary call and waits until it has ended.
template <typename Request, typename Response>
absl::StatusOr<Response> Wait(ClientCore* core, TranslationClient::Timeout timeout,
                              const RetryOptions& retry, const Method& method, Request request) {
  // Shared with the callback, which may still be inside set_value when Wait returns.
  auto answer = std::make_shared<std::promise<absl::StatusOr<Response>>>();
  StartUnary<Request, Response>(
      core, timeout, retry, method, std::make_shared<const Request>(std::move(request)),
      [answer](absl::StatusOr<Response> result) { answer->set_value(std::move(result)); });
  return answer->get_future().get();
}

constexpr Method kTranslate{"/dragoman.v1.TranslationService/Translate"};
constexpr Method kScore{"/dragoman.v1.TranslationService/Score"};
constexpr Method kDetectLanguage{"/dragoman.v1.TranslationService/DetectLanguage", true};
constexpr Method kListLanguages{"/dragoman.v1.TranslationService/ListLanguages", true};
constexpr Method kListModels{"/dragoman.v1.TranslationService/ListModels", true};
constexpr Method kGetServerInfo{"/dragoman.v1.TranslationService/GetServerInfo", true};
constexpr Method kCreateJob{"/dragoman.v1.TranslationService/CreateJob"};
constexpr Method kAppendToJob{"/dragoman.v1.TranslationService/AppendToJob", true};
constexpr Method kGetJob{"/dragoman.v1.TranslationService/GetJob", true};
constexpr Method kReadJob{"/dragoman.v1.TranslationService/ReadJob", true};
constexpr Method kDeleteJob{"/dragoman.v1.TranslationService/DeleteJob"};
constexpr Method kCheckHealth{"/grpc.health.v1.Health/Check", true};

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
      core_.get(), timeout, core_->options.retry, kTranslate, std::move(request), std::move(done));
}

TranslationClient::CancelCall TranslationClient::ScoreAsync(
    std::shared_ptr<const v1::ScoreRequest> request, ScoreDone done, Timeout timeout) {
  return StartUnary<v1::ScoreRequest, v1::ScoreResponse>(
      core_.get(), timeout, core_->options.retry, kScore, std::move(request), std::move(done));
}

TranslationClient::CancelCall TranslationClient::StreamTranslateAsync(
    std::shared_ptr<const v1::TranslateRequest> request, OnMessage on_message, StreamDone done,
    Timeout timeout) {
  return Launch(std::make_shared<StreamCall>(core_.get(), timeout, core_->options.retry,
                                             std::move(request), std::move(on_message),
                                             std::move(done)));
}

absl::StatusOr<v1::TranslateResponse> TranslationClient::Translate(
    const v1::TranslateRequest& request, Timeout timeout) {
  return Wait<v1::TranslateRequest, v1::TranslateResponse>(
      core_.get(), timeout, core_->options.retry, kTranslate, request);
}

absl::StatusOr<v1::ScoreResponse> TranslationClient::Score(const v1::ScoreRequest& request,
                                                           Timeout timeout) {
  return Wait<v1::ScoreRequest, v1::ScoreResponse>(core_.get(), timeout, core_->options.retry,
                                                   kScore, request);
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
  return Wait<v1::DetectLanguageRequest, v1::DetectLanguageResponse>(
      core_.get(), timeout, core_->options.retry, kDetectLanguage, request);
}

absl::StatusOr<v1::ListLanguagesResponse> TranslationClient::ListLanguages(const std::string& model,
                                                                           Timeout timeout) {
  return Wait<v1::ListLanguagesRequest, v1::ListLanguagesResponse>(
      core_.get(), timeout, core_->options.retry, kListLanguages, LanguagesOf(model));
}

absl::StatusOr<v1::ListModelsResponse> TranslationClient::ListModels(Timeout timeout) {
  return Wait<v1::ListModelsRequest, v1::ListModelsResponse>(
      core_.get(), timeout, core_->options.retry, kListModels, v1::ListModelsRequest());
}

absl::StatusOr<v1::GetServerInfoResponse> TranslationClient::GetServerInfo(Timeout timeout) {
  return Wait<v1::GetServerInfoRequest, v1::GetServerInfoResponse>(
      core_.get(), timeout, core_->options.retry, kGetServerInfo, v1::GetServerInfoRequest());
}

absl::StatusOr<v1::Job> TranslationClient::CreateJob(const v1::CreateJobRequest& request,
                                                     Timeout timeout) {
  return Wait<v1::CreateJobRequest, v1::Job>(core_.get(), timeout, core_->options.retry, kCreateJob,
                                             request);
}

absl::StatusOr<v1::Job> TranslationClient::AppendToJob(const v1::AppendToJobRequest& request,
                                                       Timeout timeout) {
  return Wait<v1::AppendToJobRequest, v1::Job>(core_.get(), timeout, core_->options.retry,
                                               kAppendToJob, request);
}

absl::StatusOr<v1::Job> TranslationClient::GetJob(const std::string& id, Timeout timeout) {
  v1::GetJobRequest request;
  request.set_id(id);
  return Wait<v1::GetJobRequest, v1::Job>(core_.get(), timeout, core_->options.retry, kGetJob,
                                          request);
}

absl::StatusOr<v1::ReadJobResponse> TranslationClient::ReadJob(const v1::ReadJobRequest& request,
                                                               Timeout timeout) {
  return Wait<v1::ReadJobRequest, v1::ReadJobResponse>(core_.get(), timeout, core_->options.retry,
                                                       kReadJob, request);
}

absl::Status TranslationClient::DeleteJob(const std::string& id, Timeout timeout) {
  v1::DeleteJobRequest request;
  request.set_id(id);
  return Wait<v1::DeleteJobRequest, v1::DeleteJobResponse>(
             core_.get(), timeout, core_->options.retry, kDeleteJob, request)
      .status();
}

absl::StatusOr<bool> TranslationClient::Healthy(const std::string& service, Timeout timeout) {
  static const RetryOptions kOnce{.max_attempts = 1};
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  const auto response =
      Wait<grpc::health::v1::HealthCheckRequest, grpc::health::v1::HealthCheckResponse>(
          core_.get(), timeout, kOnce, kCheckHealth, request);
  if (!response.ok()) return response.status();
  return response->status() == grpc::health::v1::HealthCheckResponse::SERVING;
}

}  // namespace dragoman::client
