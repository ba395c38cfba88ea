// Decides which pages of other sites may read the answers of all adapters (--cors-origin): adds the
// headers of CORS and answers preflight requests.
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
  // `origins` are in the form that browsers send ("https://example.org"); "*" means all.
  explicit Cors(std::vector<std::string> origins) : origins_(std::move(origins)) {}

  // Returns the answer to a preflight of an allowed origin; nothing for other requests.
  std::optional<HttpResponse> Preflight(const HttpRequest& request) const;

  // Lets the request's page read the answer, if its origin is allowed and `answer` does not have
  // the header Access-Control-Allow-Origin yet.
  void Allow(const HttpRequest& request, HttpResponse* answer) const;

  // Returns an exchange that adds the headers of Allow to each answer.
  std::shared_ptr<HttpExchange> Wrap(std::shared_ptr<HttpExchange> exchange) const;

 private:
  bool Allows(const HttpRequest& request) const;

  const std::vector<std::string> origins_;
};

}  // namespace dragoman::server
