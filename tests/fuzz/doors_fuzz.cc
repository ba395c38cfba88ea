// A request over HTTP, to every door: its key, its action, the answer that is made of the result, and
// errors.
#include <google/protobuf/stubs/logging.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/base/utf8.h"
#include "server/call/findings.h"
#include "server/call/request_parser.h"
#include "server/doors/doors.h"
#include "tests/server/glossary_engine.h"
#include "tests/server/manual_clock.h"
#include "tests/server/served_models.h"

namespace dragoman {
namespace {

constexpr std::array<const char*, 5> kTypes = {"application/json",
                                               "application/x-www-form-urlencoded",
                                               "multipart/form-data; boundary=x", "text/plain", ""};

void Check(bool holds) {
  if (!holds) std::abort();
}

// The server that is asked. It lives as long as the process: its engine has a thread.
class Server {
 public:
  Server() {
    google::protobuf::SetLogHandler(nullptr);
    engine_.mutable_info()->pairs = {{"de", "en"}, {"en", "de"}, {"de", "zh"}};
    engine_.AddGlossary("animals", {{"Hund", "hound"}});
    Check(models_.Put(Borrowed(&engine_)).ok());
    context_.clock = &clock_;
    context_.models = &models_;
    context_.limits = {8, 256};
  }

  // The first byte chooses the route, the second the type of the body; then come the query up to a
  // line end, and the body.
  void Ask(std::string_view bytes) const {
    if (bytes.size() < 2) return;
    const DoorRoute& route =
        doors_.routes()[static_cast<uint8_t>(bytes[0]) % doors_.routes().size()];
    HttpRequest request;
    request.method = route.method == "*" ? "POST" : route.method;
    request.path = route.path;
    if (request.path.back() == '*') request.path.back() = 'x';
    request.headers = {{"content-type", kTypes[static_cast<uint8_t>(bytes[1]) % kTypes.size()]}};
    const std::string_view rest = bytes.substr(2);
    request.query = rest.substr(0, rest.find('\n'));
    if (request.query.size() < rest.size()) request.body = rest.substr(request.query.size() + 1);

    const Door& door = *route.door;
    door.Key(request);
    door.ApiOf(request);
    const absl::StatusOr<DoorAction> action = door.Handle(request);
    if (!action.ok()) {
      // XML-RPC's faults are 200.
      CheckAnswer(door.Error(request, action.status()), request.path == "/RPC2" ? 200 : 400);
    } else if (const auto* const ready = std::get_if<HttpResponse>(&*action)) {
      CheckAnswer(*ready, 200);
    } else if (const auto* const unary = std::get_if<UnaryAction>(&*action)) {
      CheckUnary(door, request, *unary);
    } else if (const auto* const detect = std::get_if<DetectAction>(&*action)) {
      CheckDetect(*detect);
    } else if (const auto* const usage = std::get_if<UsageAction>(&*action)) {
      CheckAnswer(usage->render(7), 200);
    } else {
      CheckTexts(std::get<StreamAction>(*action).request);
    }
  }

 private:
  static void CheckAnswer(const HttpResponse& answer, int least) {
    Check(answer.status >= least && answer.status < 600);
    Check(!FirstInvalidUtf8(answer.body).has_value());
  }

  static void CheckTexts(const v1::TranslateRequest& request) {
    for (const std::string& text : request.contents()) Check(!FirstInvalidUtf8(text).has_value());
    Check(!FirstInvalidUtf8(request.source_language_code()).has_value());
    Check(!FirstInvalidUtf8(request.target_language_code()).has_value());
    Check(!FirstInvalidUtf8(request.model()).has_value());
  }

  void CheckDetect(const DetectAction& action) const {
    const v1::DetectLanguageRequest& request = action.request;
    for (const std::string& text : request.contents()) Check(!FirstInvalidUtf8(text).has_value());
    // The call refuses others before it renders.
    Findings findings;
    CheckContents(request.contents(), context_.limits, &findings);
    if (!findings.Status().ok()) return;
    v1::DetectLanguageResponse answer;
    for (const std::string& text : request.contents()) {
      v1::Detection* const found = answer.add_detections();
      if (text.size() % 2 == 0) found->add_languages()->set_language_code("de");
    }
    CheckAnswer(action.render(answer), 200);
  }

  void CheckUnary(const Door& door, const HttpRequest& request, const UnaryAction& action) const {
    CheckTexts(action.request);
    const ParsedRequest parsed =
        ReadTranslateRequest(action.request, context_.limits, CallKind::kUnary);
    if (!parsed.status.ok()) {
      CheckAnswer(door.Error(request, parsed.status), 400);
      return;
    }
    v1::TranslateResponse answer;
    for (const std::string& text : action.request.contents()) {
      answer.add_translations()->set_translated_text("<x0>" + text);
    }
    CheckAnswer(action.render(answer), 200);
    answer.mutable_translations(0)->mutable_error()->set_code(3);
    CheckAnswer(action.render(answer), 200);
  }

  ManualClock clock_;
  GlossaryEngine engine_;
  ModelTable models_{&clock_, {}, {}};
  CallContext context_;
  const Doors doors_{DoorContext{.calls = &context_}};
};

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const server = new dragoman::Server;
  server->Ask({reinterpret_cast<const char*>(data), size});
  return 0;
}
