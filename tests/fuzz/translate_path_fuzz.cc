// Input: a byte that selects how fields are sent to /translate, and the fields; or a WebSocket
// message in Marian's protocol. Whichever dialect accepts the fields, every text that goes to the
// engine must occur in the request. Marian's answer must have as many lines as its message.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "server/api/request_fields.h"
#include "server/compat/marian.h"
#include "server/compat/translate_path.h"
#include "tests/fuzz/adapter_server.h"

namespace dragoman {
namespace {

using nlohmann::json;

// Appends every string inside `value` to `all`, with a line feed after each.
void CollectTexts(const json& value, std::string* all) {
  if (value.is_string()) {
    all->append(value.get<std::string>()).append("\n");
  } else if (value.is_structured()) {
    for (const json& each : value) CollectTexts(each, all);
  }
}

// Checks that the scan of a well-formed body finds the same field as the parser. The scan supports
// neither escapes in names nor multipart bodies.
void CheckScan(const server::HttpRequest& request) {
  const std::string found = server::TextOfField(request, "q");
  const auto fields = server::ReadRequestFields(request);
  if (!fields.ok() || request.body.find('\\') != std::string::npos ||
      server::MediaType(request) != "application/json" || request.body.empty()) {
    return;
  }
  const auto at = fields->find("q");
  const bool is_text = at != fields->end() && at->is_string();
  FuzzCheck(found == (is_text ? at->get<std::string>() : ""));
  FuzzCheck(server::HasField(server::ShapeOfRequest(request), "q") ==
                server::HasField(*fields, "q") ||
            fields->size() > 64);
}

void RunFields(const AdapterServer& server, const server::TranslatePathAdapter& adapter,
               std::string_view type, std::string_view text) {
  server::HttpRequest request;
  request.method = "POST";
  request.path = "/translate";
  if (type.empty()) {
    request.query = text;
  } else {
    request.headers = {{"content-type", std::string(type)}};
    request.body = text;
  }
  FuzzCheck(server.Ask(request));
  CheckScan(request);
  const auto action = adapter.Handle(request, nullptr);
  if (!action.ok()) return;
  const auto* const unary = std::get_if<server::UnaryAction>(&*action);
  if (unary == nullptr) return;
  std::string sent;
  const auto fields = server::ReadRequestFields(request);
  FuzzCheck(fields.ok());
  CollectTexts(*fields, &sent);
  for (const std::string& content : unary->request.contents()) {
    FuzzCheck(sent.find(content) != std::string::npos);
  }
}

void RunMessage(const server::MarianAdapter& adapter, std::string_view text) {
  server::HttpRequest request;
  request.method = server::kWebSocketMethod;
  request.path = "/translate";
  request.query = "source=de&target=en";
  request.body = text;
  const auto action = adapter.Handle(request, nullptr);
  if (!action.ok()) {
    FuzzCheck(engine::FirstInvalidUtf8(text).has_value());
    return;
  }
  const auto& unary = std::get<server::UnaryAction>(*action);
  v1::TranslateResponse answer;
  for (const std::string& line : unary.request.contents()) {
    FuzzCheck(line.find('\n') == std::string::npos);
    answer.add_translations()->set_translated_text(line);
  }
  // If every line is translated to itself, the answer equals the message.
  FuzzCheck(unary.render(answer).body == text);
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const server = new dragoman::AdapterServer;
  static auto* const lists = new dragoman::server::ListAnswers;
  static const auto* const adapter =
      new dragoman::server::TranslatePathAdapter(dragoman::server::AdapterContext{
          .calls = &server->context(), .languages = &server->languages(), .lists = lists});
  static const auto* const marian = new dragoman::server::MarianAdapter;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      dragoman::RunFields(*server, *adapter, "application/json", text);
      break;
    case 1:
      dragoman::RunFields(*server, *adapter, "application/x-www-form-urlencoded", text);
      break;
    case 2:
      dragoman::RunFields(*server, *adapter, "multipart/form-data; boundary=x", text);
      break;
    case 3:
      dragoman::RunFields(*server, *adapter, "", text);
      break;
    default:
      dragoman::RunMessage(*marian, text);
      break;
  }
  return 0;
}
