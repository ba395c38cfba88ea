#include "server/compat/json_dialect.h"

#include "server/api/adapter_errors.h"
#include "server/api/form.h"
#include "server/api/request_fields.h"
#include "server/compat/dialect_parts.h"

namespace dragoman::server {

using nlohmann::json;

json PlainError(int /*code*/, const std::string& message) { return {{"error", message}}; }

HttpResponse DialectError(const JsonDialect& dialect, const absl::Status& status) {
  const int code = StatusWithoutRetry(status);
  return WithCors(JsonResponse(code, dialect.error(code, std::string(status.message()))));
}

absl::StatusOr<AdapterAction> DialectAction(const JsonDialect& dialect, const json& fields) {
  absl::StatusOr<UnaryAction> action = dialect.translate(fields);
  if (!action.ok()) return action.status();
  action->api = dialect.api;
  action->render = [dialect,
                    render = std::move(action->render)](const v1::TranslateResponse& answer) {
    const absl::Status failed = FirstItemError(answer);
    return failed.ok() ? WithCors(render(answer)) : DialectError(dialect, failed);
  };
  return *std::move(action);
}

std::function<HttpResponse(const v1::TranslateResponse&)> RenderJson(
    std::function<json(const v1::TranslateResponse&)> body) {
  return [body = std::move(body)](const v1::TranslateResponse& answer) {
    return JsonResponse(200, body(answer));
  };
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
