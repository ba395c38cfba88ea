// The transport of a translation call (translation_call.h), over gRPC or HTTP.
//
// A transport creates its call when the headers have arrived. It shares ownership of the call until
// Finish, and while it is in one of the call's methods. It calls
//   1. HandleRequest or HandleNoRequest of the call: one of them, once;
//   2. Cancel or Expire: from any thread, any number of times, but only after HandleRequest has
//      returned.
// The call calls the methods below without a lock, from any thread, also from within 1. and 2. They
// must not block. Their calls do not overlap, with two exceptions: Break, and the rest of a
// StartWrite whose OnWriteDone has arrived.
//
// The call borrows the transport and does not use it after Finish has begun. So the transport may
// be destroyed before Finish, or such a StartWrite, returns. The call may live longer.
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
  engine::Nanos started = 0;  // on the clock of CallContext, like deadline
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

  // Ends the call for its client, after metrics and the log line. The transport sends the retry
  // hint of `status` (RetryAfterOf) where clients look for it. Called once, as the last method.
  virtual void Finish(const absl::Status& status) = 0;
};

// The transport of a call that is answered as a whole.
class UnaryTransport : public CallTransport {
 public:
  // Takes the answer, which Finish(OK) then sends. Returns an error, for Finish, if the answer
  // cannot be sent or is an error in the client's interface. Called at most once.
  virtual absl::Status SetAnswer(const v1::TranslateResponse& answer) = 0;
};

// The transport of a call that is answered message by message.
class StreamTransport : public CallTransport {
 public:
  // Starts to write `message`. StartWrite and Finish are called only after OnWriteDone.
  virtual void StartWrite(v1::StreamTranslateResponse message) = 0;

  // Returns an error if all messages were written but are an error in the client's interface,
  // otherwise OK. Finish follows with this status. Called at most once.
  virtual absl::Status EndStatus() { return absl::OkStatus(); }

  // Makes the write in flight fail soon, unless it has ended. Not called during or after Finish.
  virtual void Break() = 0;
};

}  // namespace dragoman::server
