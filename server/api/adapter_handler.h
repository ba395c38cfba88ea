// Answers the HTTP requests of all adapters: finds a request's adapter and its key's grant, makes the call
// and sends what the adapter makes of its result.
//
// This is the transport of server/call over HTTP (call_transport.h), as translate_calls are
// over gRPC. A client that closes its connection cancels its call. The header Retry-After holds
// an error's retry hint in seconds, rounded up, and X-Request-Id the call's name; the header
// X-Request-Id of a request is its name, and traceparent its trace. The deadline is the longest
// call's, or that of the header `grpc-timeout`, in gRPC's form.
//
// Thread-safe.
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
  // Everything is borrowed and outlives the handler and its calls. `keys`: nullptr if calls need
  // none. The first route that fits a request is taken; a path without one is 404, and a method
  // that no route of the path has is 405 with the header Allow. Both, and what the server refuses
  // itself, have the form of the adapter whose path it is. Pages of `origins` may read all answers (cors.h).
  AdapterHandler(const CallContext* calls, const ApiKeys* keys, std::vector<AdapterRoute> routes,
                 std::vector<std::string> origins = {});

  bool AcceptsWebSocket(const HttpRequest& upgrade) const override;
  void Handle(std::shared_ptr<HttpExchange> exchange) override;
  HttpAdmission Admit(const HttpRequest& head) override;
  HttpResponse Refused(const HttpRequest& head, const Refusal& refusal) override;

 private:
  // Handle, on one of the RequestReaders if the request is large or asks for a list.
  void Read(std::shared_ptr<HttpExchange> exchange);
  // The first route that fits; nullptr: none does.
  const AdapterRoute* RouteOf(const HttpRequest& request) const;
  // The grant of a request's key, as far as it can be told without the body; nullptr where there is
  // none, or not a valid one.
  std::shared_ptr<Grant> GrantOfHead(const HttpRequest& request) const;
  void AnswerAtOnce(std::shared_ptr<HttpExchange> exchange, HttpResponse answer) const;
  // 404 or 405.
  void RefuseUnknown(std::shared_ptr<HttpExchange> exchange) const;
  // The adapter to which a path belongs: one with a route for it, else the one whose paths have most of
  // its beginning, but at least the first part ("/v2" of "/v2/nothing"). nullptr: it is nobody's.
  const Adapter* OwnerOf(const HttpRequest& request) const;
  // An error without a call, counted.
  HttpResponse ErrorOf(const Adapter* owner, const HttpRequest& request,
                       const absl::Status& status) const;

  const CallContext* const calls_;
  const ApiKeys* const keys_;
  const std::vector<AdapterRoute> routes_;
  const Cors cors_;
};

}  // namespace dragoman::server
