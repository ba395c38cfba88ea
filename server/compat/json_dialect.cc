#include "server/compat/json_dialect.h"

#include <utility>

#include "server/api/adapter_errors.h"
#include "server/api/form.h"
#include "server/api/request_fields.h"

namespace dragoman::server {

using nlohmann::json;

json PlainError(int /*code*/, const std::string& message) { return {{"error", message}}; }

HttpResponse DialectError(const JsonDialect& dialect, const absl::Status& status) {
  const int code = StatusWithoutRetry(status);
  return WithCors(JsonResponse(code, dialect.error(code, std::string(status.message()))));
}

absl::StatusOr<AdapterAction> DialectAction(const JsonDialect& dialect, const json& fields) {
  FieldReader reader(fields);
  DialectCall call = dialect.read(&reader);
  if (!reader.status().ok()) return reader.status();
  return UnaryAction{
      .request = RequestOf(std::move(call.texts)),
      .render =
          [dialect, body = std::move(call.body)](const v1::TranslateResponse& answer) {
            const absl::Status failed = FirstItemError(answer);
            return failed.ok() ? WithCors(JsonResponse(200, body(answer)))
                               : DialectError(dialect, failed);
          },
      .api = dialect.api};
}

std::vector<AdapterRoute> JsonDialectAdapter::Routes(std::string_view method,
                                                     std::string_view path) {
  return {{.method = method, .path = path},
          {.method = "OPTIONS", .path = path, .rpc = RpcMethod::kQuery, .is_open = true}};
}

std::string JsonDialectAdapter::Key(const HttpRequest& request) const { return TokenKey(request); }

absl::StatusOr<AdapterAction> JsonDialectAdapter::Handle(const HttpRequest& request,
                                                         const Client* /*client*/) const {
  if (request.method == "OPTIONS") return CorsPreflight();
  const absl::StatusOr<json> fields = ReadRequestFields(request);
  if (!fields.ok()) return fields.status();
  return DialectAction(dialect_, *fields);
}

HttpResponse JsonDialectAdapter::Error(const HttpRequest& /*request*/,
                                       const absl::Status& status) const {
  return DialectError(dialect_, status);
}

std::string TokenKey(const HttpRequest& request) {
  std::string key = AuthorizationKey(request, "Bearer");
  if (!key.empty()) return key;
  const std::string_view header = request.Header("authorization");
  if (!header.empty() && header.find(' ') == header.npos) return std::string(header);
  const absl::StatusOr<Form> query = ReadQuery(request);
  return query.ok() ? std::string(query->Find("token").value_or("")) : "";
}

}  // namespace dragoman::server
