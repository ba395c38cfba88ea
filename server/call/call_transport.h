// The transport of a translation call (translation_call.h), over gRPC or HTTP.
//
// A transport creates its call when the headers have arrived. It shares ownership of the call until
// Finish, and while it is in one of the call's methods. It calls
//   1. HandleRequest or HandleNoRequest of the call: one of them, once;
//   2. Cancel or Expire: from any thread, any number of times, but only after HandleRequest has
//      returned.
// The call calls the methods below without a lock, from any thread, also while the transport is in
// a method of 1. or 2. The methods must not block. At most one of them runs at a time, with two
// exceptions: Break may overlap with another method, and the next method may begin before a
// StartWrite returns, if the end of its write has been reported (OnWriteDone).
//
// The call borrows the transport and does not use it after Finish has begun. So the transport may
// be destroyed before Finish returns, and before a StartWrite returns whose end was reported. The
// call may outlive the transport.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "dragoman/v1/translation.pb.h"
#include "engine/base/clock.h"
#include "server/call/api_keys.h"
#include "server/observe/rpc_method.h"

namespace dragoman::server {

// The protocol that carries a call, for spans.
enum class Carrier { kGrpc, kHttp };

// The facts that a transport knows about a call once its headers have arrived.
struct CallHead {
  engine::Nanos started = 0;  // `started` and `deadline` are on CallContext's clock
  engine::Nanos deadline = engine::kNoDeadline;
  Api api = Api::kDragoman;
  Carrier carrier = Carrier::kGrpc;
  // gRPC: "SERVICE/METHOD". HTTP: the method and the path's pattern, "POST /v1/translate".
  std::string route;
  // The result of ClientOfPeer. Clients share the engine fairly, over all transports.
  std::string client;
  // The grant of the call's API key; nullptr if no key is needed.
  std::shared_ptr<Grant> grant;
  // Headers as the client sent them, unchecked; "" if missing.
  std::string request_id;  // x-request-id
  std::string traceparent;
};

class CallTransport {
 public:
  virtual ~CallTransport() = default;

  // Takes the call's id, which the client gets as x-request-id. Called once, from within
  // HandleRequest or HandleNoRequest, before any other method.
  virtual void AnnounceRequestId(const std::string& request_id) = 0;

  // Ends the call for its client. Called once, as the last method, after metrics and the log line
  // were written. The transport sends the retry hint of `status` (RetryAfterOf) where clients look
  // for it.
  virtual void Finish(const absl::Status& status) = 0;
};

// The transport of a call that has one answer.
class UnaryTransport : public CallTransport {
 public:
  // Keeps the answer, which Finish(OK) then sends. Called at most once. Returns an error if the
  // answer cannot be sent, or if the client's API reports such an answer as an error. The call
  // passes the error to Finish.
  virtual absl::Status SetAnswer(const v1::TranslateResponse& answer) = 0;
};

// The transport of a call that is answered with a stream of messages.
class StreamTransport : public CallTransport {
 public:
  // Starts to write `message`. The next StartWrite, or Finish, follows only after the transport has
  // reported the end of this write (StreamTranslation::OnWriteDone).
  virtual void StartWrite(v1::StreamTranslateResponse message) = 0;

  // Called at most once, after all messages were written. Returns an error if the client's API
  // reports these messages as an error, otherwise OK. The call passes the result to Finish.
  virtual absl::Status EndStatus() { return absl::OkStatus(); }

  // Makes the write in flight fail soon, unless it has ended. Not called during or after Finish.
  virtual void Break() = 0;
};

}  // namespace dragoman::server
