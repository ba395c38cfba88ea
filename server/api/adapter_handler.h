// Answers the HTTP requests of all adapters. Finds the adapter of a request and the grant of its
// key, makes the call, and sends the answer that the adapter writes. A client that closes its
// connection cancels its call. Thread-safe.
//
// Headers of requests: X-Request-Id is the call's id, traceparent its trace, and grpc-timeout, in
// gRPC's form, its deadline. The default deadline is longest_call.
//
// Headers of answers: X-Request-Id is the call's id, Retry-After the retry hint in whole seconds.
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
  // Everything is borrowed and outlives the handler and its calls. `keys` is nullptr if calls need
  // none. The first route that fits a request answers it. A path without a route gets 404. A method
  // that no route of the path has gets 405 with the header Allow. These errors and refusals by the
  // server have the form of the path's adapter. Pages of `origins` may read all answers (cors.h).
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
  // Returns the adapter with a route for the path. If there is none, returns the adapter whose
  // paths share the longest beginning with the path, at least the first part ("/v2" of
  // "/v2/nothing"), or nullptr.
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
