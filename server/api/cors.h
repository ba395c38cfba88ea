// Which pages of other sites may read the answers of all adapters (--cors-origin): the headers of CORS, and the
// answers to the questions that browsers ask first (preflights).
//
// Immutable and thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/transport/http_exchange.h"

namespace dragoman::server {

class Cors {
 public:
  // `origins` as browsers send them ("https://example.org"); "*": all.
  explicit Cors(std::vector<std::string> origins) : origins_(std::move(origins)) {}

  // The answer to a preflight of an allowed origin; nothing for other requests.
  std::optional<HttpResponse> Preflight(const HttpRequest& request) const;

  // Lets the page that has sent the request read the answer, if its origin is allowed. An answer that any
  // page may read stays as it is.
  void Allow(const HttpRequest& request, HttpResponse* answer) const;

  // The exchange, or one that gives each answer the headers of Allow.
  std::shared_ptr<HttpExchange> Wrap(std::shared_ptr<HttpExchange> exchange) const;

 private:
  bool Allows(const HttpRequest& request) const;

  const std::vector<std::string> origins_;
};

}  // namespace dragoman::server
