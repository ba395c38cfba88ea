// Decides which pages of other sites may read answers (--cors-origin). Adds the headers of CORS to
// answers and answers preflight requests.
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

  // Adds the headers that let the request's page read the answer, if the page's origin is allowed.
  // Does nothing if `answer` already has Access-Control-Allow-Origin.
  void Allow(const HttpRequest& request, HttpResponse* answer) const;

  // Returns an exchange that adds the headers of Allow to each answer.
  std::shared_ptr<HttpExchange> Wrap(std::shared_ptr<HttpExchange> exchange) const;

 private:
  bool Allows(const HttpRequest& request) const;

  const std::vector<std::string> origins_;
};

}  // namespace dragoman::server
