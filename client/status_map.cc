#include "client/status_map.h"

#include <charconv>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/support/status.h"

namespace dragoman::client {
namespace {

constexpr char kPushback[] = "grpc-retry-pushback-ms";
constexpr char kTypePrefix[] = "type.googleapis.com/";

absl::Status WithDetails(int code, const std::string& message, const google::rpc::Status& rich) {
  absl::Status status(static_cast<absl::StatusCode>(code), message);
  for (const google::protobuf::Any& detail : rich.details()) {
    status.SetPayload(detail.type_url(), absl::Cord(detail.value()));
  }
  return status;
}

template <typename Message>
std::optional<Message> Detail(const absl::Status& status) {
  const auto payload =
      status.GetPayload(absl::StrCat(kTypePrefix, Message::descriptor()->full_name()));
  Message message;
  if (!payload.has_value() || !message.ParseFromString(std::string(*payload))) return std::nullopt;
  return message;
}

std::string LineOf(const google::rpc::BadRequest::FieldViolation& violation) {
  return absl::StrCat(violation.field(), ": ", violation.description());
}

}  // namespace

absl::Status FromGrpc(const grpc::Status& status, std::optional<std::string> pushback) {
  if (status.ok()) return absl::OkStatus();
  google::rpc::Status rich;
  if (!rich.ParseFromString(status.error_details())) rich.Clear();
  std::string message = status.error_message();
  // If the port speaks HTTP/1, gRPC's message contains this text. The port is then usually that of
  // the daemon's --metrics.
  if (absl::StrContains(message, "http1.x server")) {
    message += " (is that the daemon's --metrics? The client needs --listen)";
  }
  absl::Status result = WithDetails(status.error_code(), message, rich);
  if (pushback.has_value()) result.SetPayload(kPushback, absl::Cord(*pushback));
  return result;
}

bool WasNeverTaken(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::CANCELLED && status.error_details().empty();
}

bool IsMessageTooLarge(const absl::Status& status) {
  // gRPC's messages: "Received message larger than max (20971523 vs. 16777216)" if the receiver's
  // limit is exceeded, "Sent message larger than max ..." if the sender's limit is.
  return absl::IsResourceExhausted(status) &&
         status.message().find("message larger than max") != absl::string_view::npos;
}

absl::Status FromItem(const google::rpc::Status& status) {
  return WithDetails(status.code(), status.message(), status);
}

RetryHint RetryHintOf(const absl::Status& status) {
  if (const auto payload = status.GetPayload(kPushback); payload.has_value()) {
    const std::string text(*payload);
    int64_t milliseconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
    // A wait of more than a day counts as "never retry". This also prevents overflow.
    constexpr int64_t kLongest = int64_t{24} * 3600 * 1000;
    if (error != std::errc() || end != text.data() + text.size() || milliseconds < 0 ||
        milliseconds > kLongest) {
      return {.never = true};
    }
    return {.delay = std::chrono::milliseconds(milliseconds)};
  }
  if (const auto info = Detail<google::rpc::RetryInfo>(status);
      info.has_value() && info->has_retry_delay()) {
    const auto& delay = info->retry_delay();
    if (delay.seconds() < 0 || delay.seconds() > int64_t{24} * 3600 || delay.nanos() < 0) {
      return {.never = true};
    }
    return {.delay =
                std::chrono::seconds(delay.seconds()) + std::chrono::nanoseconds(delay.nanos())};
  }
  return {};
}

std::vector<std::string> Violations(const absl::Status& status) {
  std::vector<std::string> lines;
  if (const auto bad = Detail<google::rpc::BadRequest>(status)) {
    for (const auto& violation : bad->field_violations()) {
      lines.push_back(LineOf(violation));
    }
  }
  return lines;
}

std::string CodeName(absl::StatusCode code) {
  std::string name = absl::StatusCodeToString(code);
  return name.empty() ? absl::StrCat("CODE_", static_cast<int>(code)) : name;
}

std::string ForPeople(const absl::Status& status) {
  std::string text = CodeName(status.code());
  if (!status.message().empty()) absl::StrAppend(&text, ": ", status.message());
  // Leaves out violations whose field and description the message already contains.
  std::vector<std::string> news;
  if (const auto bad = Detail<google::rpc::BadRequest>(status)) {
    for (const auto& violation : bad->field_violations()) {
      const bool known = text.find(violation.field()) != std::string::npos &&
                         text.find(violation.description()) != std::string::npos;
      if (!known) news.push_back(LineOf(violation));
    }
  }
  if (!news.empty()) absl::StrAppend(&text, " (", absl::StrJoin(news, "; "), ")");
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace dragoman::client
