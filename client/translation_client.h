// A client of dragoman.v1.TranslationService with deadlines, retries and several addresses.
//
// Thread-safe. Callbacks run on gRPC's threads. They must not block and must not destroy their
// client, because the destructor waits for the calls in flight. The clock must outlive the client.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/channel_security.h"
#include "client/clock.h"
#include "client/retry_policy.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::client {

struct ClientOptions {
  // A gRPC target ("host:port", "dns:///name:port", "unix:path"), or several targets separated by
  // commas. Calls go round robin to all targets and all addresses of a name. They skip servers that
  // do not answer. With several targets, or a name after "dns:", they also skip servers whose
  // health is NOT_SERVING. A single target gets calls even if it is NOT_SERVING: it may still
  // accept them, or may be a proxy that reports the health of one of many servers.
  std::string server = "localhost:50051";
  // All calls go to one server, the first that answers, as long as it does. For jobs, which only the
  // server knows that has taken them.
  bool one_server = false;
  ChannelSecurity security;
  // The default timeout. It covers all attempts of a call and the waits between them.
  std::chrono::nanoseconds timeout = std::chrono::seconds(120);
  RetryOptions retry;
  // The number of connections to each address. More than one helps only if a single connection is a
  // bottleneck.
  int connections = 1;
  ClientClock* clock = ClientClock::Real();
};

class ClientCore;  // client_core.h: channels, budget, clock; used by the calls in flight

class TranslationClient {
 public:
  using Timeout = std::optional<std::chrono::nanoseconds>;
  using TranslateDone = std::function<void(absl::StatusOr<v1::TranslateResponse>)>;
  using ScoreDone = std::function<void(absl::StatusOr<v1::ScoreResponse>)>;
  // Returns false to cancel the call, which then ends with CANCELLED.
  using OnMessage = std::function<bool(const v1::StreamTranslateResponse&)>;
  using StreamDone = std::function<void(absl::Status)>;
  // Ends the call at once with CANCELLED, unless it has already ended. Any thread may call it at
  // any time, even after the client is destroyed.
  using CancelCall = std::function<void()>;

  // The client connects when the first call needs a connection. Returns INVALID_ARGUMENT for an
  // empty address, and the errors of CheckSecurity.
  static absl::StatusOr<std::unique_ptr<TranslationClient>> Create(const ClientOptions& options);
  ~TranslationClient();
  TranslationClient(const TranslationClient&) = delete;
  TranslationClient& operator=(const TranslationClient&) = delete;

  // The following calls block. Each returns the server's status, or DEADLINE_EXCEEDED. status_map.h
  // describes the payloads of the status. Without `timeout`, ClientOptions::timeout applies.
  absl::StatusOr<v1::TranslateResponse> Translate(const v1::TranslateRequest& request,
                                                  Timeout timeout = {});
  // Calls `on_message` for each message in order. StreamTranslate returns after the last such call.
  absl::Status StreamTranslate(const v1::TranslateRequest& request, OnMessage on_message,
                               Timeout timeout = {});
  absl::StatusOr<v1::ScoreResponse> Score(const v1::ScoreRequest& request, Timeout timeout = {});
  // Returns UNIMPLEMENTED if the server does not detect languages.
  absl::StatusOr<v1::DetectLanguageResponse> DetectLanguage(
      const v1::DetectLanguageRequest& request, Timeout timeout = {});
  absl::StatusOr<v1::ListLanguagesResponse> ListLanguages(const std::string& model = "",
                                                          Timeout timeout = {});
  absl::StatusOr<v1::ListModelsResponse> ListModels(Timeout timeout = {});
  absl::StatusOr<v1::GetServerInfoResponse> GetServerInfo(Timeout timeout = {});
  // Jobs: documents that the server translates in the background.
  absl::StatusOr<v1::Job> CreateJob(const v1::CreateJobRequest& request, Timeout timeout = {});
  absl::StatusOr<v1::Job> AppendToJob(const v1::AppendToJobRequest& request, Timeout timeout = {});
  absl::StatusOr<v1::Job> GetJob(const std::string& id, Timeout timeout = {});
  absl::StatusOr<v1::ReadJobResponse> ReadJob(const v1::ReadJobRequest& request,
                                              Timeout timeout = {});
  absl::Status DeleteJob(const std::string& id, Timeout timeout = {});
  // Returns true if `service` ("": the whole server) is SERVING. Returns NOT_FOUND if the server
  // does not know the service. Never retries, because the caller asks for the current state.
  absl::StatusOr<bool> Healthy(const std::string& service = "", Timeout timeout = {});

  // The following three return at once. `done` is called exactly once. The request is shared with the
  // call, and one request may be shared by several calls. REQUIRES: the request does not change
  // until `done` is called.
  CancelCall TranslateAsync(std::shared_ptr<const v1::TranslateRequest> request, TranslateDone done,
                            Timeout timeout = {});
  CancelCall ScoreAsync(std::shared_ptr<const v1::ScoreRequest> request, ScoreDone done,
                        Timeout timeout = {});
  CancelCall StreamTranslateAsync(std::shared_ptr<const v1::TranslateRequest> request,
                                  OnMessage on_message, StreamDone done, Timeout timeout = {});

 private:
  explicit TranslationClient(std::unique_ptr<ClientCore> core);

  const std::unique_ptr<ClientCore> core_;
};

}  // namespace dragoman::client
