#include "server/call/rpc_status.h"

#include <string>
#include <string_view>

#include "absl/strings/cord.h"
#include "engine/base/utf8.h"
#include "server/base/status_codes.h"

namespace dragoman::server {

google::rpc::Status ToRpcStatus(const absl::Status& status) {
  google::rpc::Status rpc;
  rpc.set_code(static_cast<int>(ContractCode(status.code())));
  std::string_view message(status.message().data(), status.message().size());
  message = message.substr(0, kMaxErrorMessageBytes);
  message.remove_suffix(static_cast<size_t>(engine::IncompleteUtf8Tail(message)));
  rpc.set_message(std::string(message));
  status.ForEachPayload([&rpc](absl::string_view url, const absl::Cord& value) {
    auto* detail = rpc.add_details();
    detail->set_type_url(std::string(url));
    detail->set_value(std::string(value));
  });
  return rpc;
}

absl::Status FromRpcStatus(const google::rpc::Status& rpc) {
  absl::Status status(static_cast<absl::StatusCode>(rpc.code()), rpc.message());
  for (const auto& detail : rpc.details()) {
    status.SetPayload(detail.type_url(), absl::Cord(detail.value()));
  }
  return status;
}

absl::Status ItemErrorOf(const v1::TranslateResponse& answer) {
  for (const v1::Translation& translation : answer.translations()) {
    if (translation.has_error()) return FromRpcStatus(translation.error());
  }
  return absl::OkStatus();
}

}  // namespace dragoman::server
