// A dialect with one kind of request, whose fields are in JSON, a form or the query, and whose
// answer is JSON; and an adapter for a path with one such dialect.
//
// Immutable and thread-safe.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/api/adapter.h"
#include "server/api/field_reader.h"
#include "server/compat/dialect_parts.h"

namespace dragoman::server {

// The texts of a request, and the function that makes the answer's body.
struct DialectCall {
  TextsToTranslate texts;
  // Called only if no item failed.
  std::function<nlohmann::json(const v1::TranslateResponse& answer)> body;
};

// A dialect's functions. They are pure functions of the fields, without state.
struct JsonDialect {
  Api api = Api::kPlugins;
  // Reads a request. If `reader` has an error afterwards, the result is not used.
  DialectCall (*read)(FieldReader* reader) = nullptr;
  // Returns the body of an error whose HTTP status is `code`.
  nlohmann::json (*error)(int code, const std::string& message) = nullptr;
};

// Returns {"error": "..."}, the form of most dialects.
nlohmann::json PlainError(int code, const std::string& message);

// Returns an error in the dialect's form. Pages of all sites may read it (WithCors).
HttpResponse DialectError(const JsonDialect& dialect, const absl::Status& status);

// Returns the dialect's action, which answers with an error if an item fails.
absl::StatusOr<AdapterAction> DialectAction(const JsonDialect& dialect,
                                            const nlohmann::json& fields);

// Serves one dialect at one path. The key is "Authorization: Bearer KEY", "Authorization: KEY" or
// the query's token=KEY. The servers of Firefox's models accept these, and browser extensions send
// them.
class JsonDialectAdapter final : public Adapter {
 public:
  explicit JsonDialectAdapter(JsonDialect dialect) : dialect_(dialect) {}

  // Returns routes for the method and OPTIONS at `path`. Both texts outlive the routes.
  static std::vector<AdapterRoute> Routes(std::string_view method, std::string_view path);

  Api api() const override { return dialect_.api; }
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  const JsonDialect dialect_;
};

// Returns the key as JsonDialectAdapter finds it.
std::string TokenKey(const HttpRequest& request);

}  // namespace dragoman::server
