#include "server/doors/moses.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/doors/dialect_parts.h"
#include "server/doors/json_dialect.h"

namespace dragoman {

std::vector<DoorRoute> MosesDoor::Routes() {
  return {{.method = "POST", .path = "/RPC2", .rpc = RpcMethod::kQuery}};
}

std::string MosesDoor::Key(const HttpRequest& request) const { return TokenKey(request); }

absl::StatusOr<DoorAction> MosesDoor::Handle(const HttpRequest& /*request*/,
                                             const Client* /*client*/) const {
  return absl::UnimplementedError(
      "found XML-RPC of Moses, which this server does not read; expected MTUOC's JSON: POST "
      "/translate with {\"id\": 1, \"src\": \"TEXT\"}");
}

HttpResponse MosesDoor::Error(const HttpRequest& /*request*/, const absl::Status& status) const {
  const int code = StatusWithoutRetry(status);
  HttpResponse response;
  response.status = code == 400 ? 200 : code;
  response.content_type = "text/xml; charset=utf-8";
  response.body = absl::StrCat(
      "<?xml version=\"1.0\"?><methodResponse><fault><value><struct><member><name>faultCode</name>"
      "<value><int>",
      code, "</int></value></member><member><name>faultString</name><value><string>",
      absl::StrReplaceAll(status.message(), {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}}),
      "</string></value></member></struct></value></fault></methodResponse>");
  return response;
}

}  // namespace dragoman
