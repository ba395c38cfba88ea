// The transport of a translation call, between its client and translation_call.h: gRPC, or HTTP.
//
// A transport makes its call when the headers are here. It shares the call's ownership until
// Finish, and as long as it is in one of the call's methods. It calls
//   1. HandleRequest or HandleNoRequest of the call: one of them, once;
//   2. Cancel or Expire: from any thread, as often as it likes, but not before HandleRequest has
//      returned.
// The call in turn calls the methods below: from any thread, also from within 1. and 2., without a
// lock. They must not block. No two of these overlap, but for Break, and for what is
// left of a StartWrite whose OnWriteDone has come.
//
// The call borrows the transport and does not touch it once Finish has begun. So the transport may
// be gone before Finish returns (or such a StartWrite); the call may live on, held by the engine.
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

// A call as its transport knows it at the headers.
struct CallHead {
  engine::Nanos started = 0;  // on the clock of the calls, as is:
  engine::Nanos deadline = engine::kNoDeadline;
  Api api = Api::kDragoman;  // in which it is asked
  Carrier carrier = Carrier::kGrpc;
  // "SERVICE/METHOD" of gRPC; of HTTP the method and the path's pattern, "POST /v1/translate".
  std::string route;
  // The client, as ClientOfPeer writes it: the engine lets clients take turns, whichever transports
  // they use.
  std::string client;
  // The API key of the call; nullptr: none is needed here.
  std::shared_ptr<Grant> grant;
  // Headers as they were sent, unchecked; "" = none.
  std::string request_id;  // x-request-id
  std::string traceparent;
};

class CallTransport {
 public:
  virtual ~CallTransport() = default;

  // The call's name, which the client gets as x-request-id. Called once, from within HandleRequest
  // or HandleNoRequest, before anything else.
  virtual void AnnounceRequestId(const std::string& request_id) = 0;

  // Ends the call for its client: everything is counted and logged. A status that may be tried
  // again has its hint (RetryAfterOf), which the transport puts where clients look for it. Called
  // once, as the last method.
  virtual void Finish(const absl::Status& status) = 0;
};

// The transport of a call that is answered as a whole.
class UnaryTransport : public CallTransport {
 public:
  // Takes the answer, which the Finish(OK) that follows sends. An error: it cannot be sent, or is an
  // error in the words of the client's interface, and Finish follows with that. Called at most once.
  virtual absl::Status SetAnswer(const v1::TranslateResponse& answer) = 0;
};

// The transport of a call that is answered message by message.
class StreamTransport : public CallTransport {
 public:
  // The transport answers with OnWriteDone; before that neither StartWrite nor Finish is called.
  virtual void StartWrite(v1::StreamTranslateResponse message) = 0;

  // The status of a call whose messages are all written and which has not failed: an error where the
  // client's interface takes the answer for one. Finish follows with it. Called at most once.
  virtual absl::Status EndStatus() { return absl::OkStatus(); }

  // Makes the write in flight fail soon, so that OnWriteDone comes; it may have come by now. Not
  // called during or after Finish.
  virtual void Break() = 0;
};

}  // namespace dragoman::server
