// A dialect with one kind of request, whose fields come as JSON, in a form or in the query, and
// whose answer is JSON; and the adapter for a path that has one such dialect.
//
// Immutable and thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/api/adapter.h"

namespace dragoman::server {

// Pure functions of the fields, without state.
struct JsonDialect {
  Api api = Api::kPlugins;
  // The action without what makes the errors of items: see WithErrors.
  absl::StatusOr<UnaryAction> (*translate)(const AdapterContext& context,
                                           const nlohmann::json& fields) = nullptr;
  // The body of an error, whose HTTP status is `code`.
  nlohmann::json (*error)(int code, const std::string& message) = nullptr;
};

// {"error": "..."}, which most have.
nlohmann::json PlainError(int code, const std::string& message);

// An error in the dialect's form, readable by every page (WithCors).
HttpResponse DialectError(const JsonDialect& dialect, const absl::Status& status);

// Asks the dialect for its action; the answer is an error if an item fails.
absl::StatusOr<AdapterAction> DialectAction(const JsonDialect& dialect,
                                            const AdapterContext& context, const Client* client,
                                            const nlohmann::json& fields);

// An answer with this body.
std::function<HttpResponse(const v1::TranslateResponse&)> RenderJson(
    std::function<nlohmann::json(const v1::TranslateResponse&)> body);

// Keys: "Authorization: Bearer KEY", "Authorization: KEY" or the query's token=KEY, as the servers of
// Firefox's models have it and browser plug-ins send it.
class JsonDialectAdapter final : public Adapter {
 public:
  JsonDialectAdapter(const AdapterContext& context, JsonDialect dialect)
      : context_(context), dialect_(dialect) {}

  // The method and OPTIONS at this path. The texts are not copied.
  static std::vector<AdapterRoute> Routes(std::string_view method, std::string_view path);

  Api api() const override { return dialect_.api; }
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  const AdapterContext context_;
  const JsonDialect dialect_;
};

// The key as JsonDialectAdapter finds it.
std::string TokenKey(const HttpRequest& request);

}  // namespace dragoman::server
