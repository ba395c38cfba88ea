// The transports of translations (call_transport.h) over HTTP.
//
// Each object keeps itself alive until its answer is sent or the client is gone. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/api/adapter.h"
#include "server/call/stream_translation.h"
#include "server/call/unary_translation.h"
#include "server/transport/http_exchange.h"

namespace dragoman::server {

// Writes an error in the adapter's form. Adds Retry-After if the error has a retry hint, and
// WWW-Authenticate to a 401.
HttpResponse AdapterError(const Adapter& adapter, const HttpRequest& request,
                          const absl::Status& status);

// Sends the complete answer. Cuts off a client that does not read it within the write timeout.
// `sent`, which may be empty, is called once when the answer has been sent or cannot be sent.
void SendAnswer(const CallContext* context, const std::shared_ptr<HttpExchange>& exchange,
                HttpResponse response, std::function<void()> sent);

class AdapterUnaryCall final : public UnaryTransport,
                               public std::enable_shared_from_this<AdapterUnaryCall> {
 public:
  // `context` and `adapter` outlive the object. REQUIRES: made with make_shared.
  AdapterUnaryCall(const CallContext* context, RpcMethod method, CallHead head,
                   const Adapter* adapter, std::shared_ptr<HttpExchange> exchange);

  // Start and Refuse return before the call ends. Only one of them may be called, and only once.
  void Start(UnaryAction action);
  void Refuse(absl::Status status);

 private:
  void AnnounceRequestId(const std::string& request_id) override { request_id_ = request_id; }
  absl::Status SetAnswer(const v1::TranslateResponse& answer) override;
  void Finish(const absl::Status& status) override;

  const CallContext* const context_;
  const Adapter* const adapter_;
  const std::shared_ptr<HttpExchange> exchange_;  // shared with the server
  const std::shared_ptr<UnaryTranslation> call_;  // shared with the engine
  // Written before the job is submitted.
  std::function<HttpResponse(const v1::TranslateResponse&)> render_;
  int64_t added_bytes_ = 0;
  std::string request_id_;
  std::optional<HttpResponse> response_;
  std::shared_ptr<AdapterUnaryCall> self_;  // until Finish
};

class AdapterStreamCall final : public StreamTransport,
                                public std::enable_shared_from_this<AdapterStreamCall> {
 public:
  // The same contract as AdapterUnaryCall's constructor.
  AdapterStreamCall(const CallContext* context, CallHead head, const Adapter* adapter,
                    std::shared_ptr<HttpExchange> exchange);

  // Starts the call. Call it once.
  void Start(StreamAction action);

 private:
  void AnnounceRequestId(const std::string& request_id) override { request_id_ = request_id; }
  void StartWrite(v1::StreamTranslateResponse message) override;
  absl::Status EndStatus() override { return renderer_->Status(); }
  void Finish(const absl::Status& status) override;
  void Break() override { exchange_->Break(); }

  // Ends a StartWrite whose message adds nothing to the answer.
  void SkipWrite();
  void BeginOnce();

  const CallContext* const context_;
  const Adapter* const adapter_;
  const std::shared_ptr<HttpExchange> exchange_;   // shared with the server
  const std::shared_ptr<StreamTranslation> call_;  // shared with the engine
  // Used by one thread at a time, because StartWrite and Finish do not overlap.
  std::unique_ptr<StreamRenderer> renderer_;
  std::string request_id_;
  bool begun_ = false;
  // The number of messages to skip. One thread skips them all.
  std::atomic<int> skips_{0};
  std::shared_ptr<AdapterStreamCall> self_;  // until Finish
};

}  // namespace dragoman::server
