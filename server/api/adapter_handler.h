// Answers the HTTP requests of all adapters. Finds the adapter of a request and the grant of its
// key, makes the call, and sends the answer that the adapter writes. A client that closes its
// connection cancels its call. Thread-safe.
//
// Headers of requests: X-Request-Id has the call's id and traceparent the call's trace.
// grpc-timeout has the call's deadline in gRPC's form. Without it, the deadline is longest_call.
//
// Headers of answers: X-Request-Id has the call's id, and Retry-After the retry hint in whole
// seconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/api/adapter.h"
#include "server/api/cors.h"
#include "server/call/api_keys.h"
#include "server/call/call_context.h"
#include "server/transport/http_exchange.h"

namespace dragoman::server {

class AdapterHandler final : public HttpHandler {
 public:
  // The handler borrows all arguments, which must outlive it and its calls. `keys` is nullptr if
  // calls need no key. The first route that fits a request answers it. A path without a route gets
  // 404. A method that no route of the path has gets 405 with the header Allow. The adapter of the
  // path writes these errors and the refusals by the server. Pages of `origins` may read all
  // answers (cors.h).
  AdapterHandler(const CallContext* calls, const ApiKeys* keys, std::vector<AdapterRoute> routes,
                 std::vector<std::string> origins = {});

  bool AcceptsWebSocket(const HttpRequest& upgrade) const override;
  void Handle(std::shared_ptr<HttpExchange> exchange) override;
  HttpAdmission Admit(const HttpRequest& head) override;
  HttpResponse Refused(const HttpRequest& head, const Refusal& refusal) override;

 private:
  // Handles a request. Runs on one of the RequestReaders if the request is large or asks for a
  // list.
  void Read(std::shared_ptr<HttpExchange> exchange);
  // Returns the first route that fits; nullptr if none does.
  const AdapterRoute* RouteOf(const HttpRequest& request) const;
  // Returns the grant of the key in the request's head; nullptr if there is no valid key.
  std::shared_ptr<Grant> GrantOfHead(const HttpRequest& request) const;
  void AnswerAtOnce(std::shared_ptr<HttpExchange> exchange, HttpResponse answer) const;
  // Answers with 404 or 405.
  void RefuseUnknown(std::shared_ptr<HttpExchange> exchange) const;
  // Returns the adapter that has a route for the path. If there is none, returns the adapter with
  // the route that shares the longest beginning with the path. It must share at least the first
  // part ("/v2" of "/v2/nothing"). Returns nullptr if no route does.
  const Adapter* OwnerOf(const HttpRequest& request) const;
  // Writes and counts the error of a request for which no call was made.
  HttpResponse ErrorOf(const Adapter* owner, const HttpRequest& request,
                       const absl::Status& status) const;

  const CallContext* const calls_;
  const ApiKeys* const keys_;
  const std::vector<AdapterRoute> routes_;
  const Cors cors_;
};

}  // namespace dragoman::server
