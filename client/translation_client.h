// A client of dragoman.v1.TranslationService: deadlines, retries that honour the server's pushback,
// several addresses.
//
// Thread-safe. Callbacks run on gRPC's threads and must not block. The destructor waits for the
// calls in flight, whose callbacks it outlives: they must not destroy their client. The clock must
// outlive the client.
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
  // A gRPC target ("host:port", "dns:///name:port", "unix:path"), or several with commas between.
  // Calls go round robin over all of them and over all addresses of a name, past those that do not
  // answer. Several servers, of a list or behind a name after "dns:", are watched, and calls go past
  // those that say NOT_SERVING too. One alone is asked whatever it says: it may still take calls, or
  // be a proxy, whose answer is that of any one server behind it.
  std::string server = "localhost:50051";
  ChannelSecurity security;
  // The timeout of calls that set none. It covers a call with all its attempts and waits.
  std::chrono::nanoseconds timeout = std::chrono::seconds(120);
  RetryOptions retry;
  // Connections to each address: more than one only where one is a bottleneck.
  int connections = 1;
  ClientClock* clock = ClientClock::Real();
};

class ClientCore;  // client_core.h: channels, budget, clock; used by the calls in flight

class TranslationClient {
 public:
  using Timeout = std::optional<std::chrono::nanoseconds>;
  using TranslateDone = std::function<void(absl::StatusOr<v1::TranslateResponse>)>;
  // Returns false to cancel the call, which then ends with CANCELLED.
  using OnMessage = std::function<bool(const v1::StreamTranslateResponse&)>;
  using StreamDone = std::function<void(absl::Status)>;
  // Ends the call at once, with CANCELLED, unless it has ended already. Any thread may call it, at
  // any time, even after the client is gone.
  using CancelCall = std::function<void()>;

  // Connects when the first call needs it. INVALID_ARGUMENT for an empty address, and
  // as CheckSecurity.
  static absl::StatusOr<std::unique_ptr<TranslationClient>> Create(const ClientOptions& options);
  ~TranslationClient();
  TranslationClient(const TranslationClient&) = delete;
  TranslationClient& operator=(const TranslationClient&) = delete;

  // Every call returns the server's status, or DEADLINE_EXCEEDED; see status_map.h for what its
  // payloads say. Without `timeout`, the client's.
  absl::StatusOr<v1::TranslateResponse> Translate(const v1::TranslateRequest& request,
                                                  Timeout timeout = {});
  // `on_message` is called for each message in turn, and not after the return.
  absl::Status StreamTranslate(const v1::TranslateRequest& request, OnMessage on_message,
                               Timeout timeout = {});
  // UNIMPLEMENTED where the server detects no languages.
  absl::StatusOr<v1::DetectLanguageResponse> DetectLanguage(
      const v1::DetectLanguageRequest& request, Timeout timeout = {});
  absl::StatusOr<v1::ListLanguagesResponse> ListLanguages(const std::string& model = "",
                                                          Timeout timeout = {});
  absl::StatusOr<v1::ListModelsResponse> ListModels(Timeout timeout = {});
  absl::StatusOr<v1::GetServerInfoResponse> GetServerInfo(Timeout timeout = {});
  // True if `service` ("": the whole server) is SERVING. NOT_FOUND if the server does not know it.
  // Never retried: health is what is now.
  absl::StatusOr<bool> Healthy(const std::string& service = "", Timeout timeout = {});

  // These return at once; `done` is called exactly once. The request is shared by the caller and
  // the attempts, possibly of several calls, and must not change.
  CancelCall TranslateAsync(std::shared_ptr<const v1::TranslateRequest> request, TranslateDone done,
                            Timeout timeout = {});
  CancelCall StreamTranslateAsync(std::shared_ptr<const v1::TranslateRequest> request,
                                  OnMessage on_message, StreamDone done, Timeout timeout = {});

 private:
  explicit TranslationClient(std::unique_ptr<ClientCore> core);

  const std::unique_ptr<ClientCore> core_;
};

}  // namespace dragoman::client
