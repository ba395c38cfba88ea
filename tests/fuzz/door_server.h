// The server that the fuzz targets of doors ask: every door around a scripted engine, with checks of
// every answer.
//
// One thread. Lives as long as the process, because its engine has a thread.
#pragma once

#include <google/protobuf/stubs/logging.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/utf8.h"
#include "server/call/detection.h"
#include "server/call/request_error.h"
#include "server/call/request_parser.h"
#include "server/compat/doors.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/server/fake_detector.h"
#include "tests/server/glossary_engine.h"
#include "tests/server/manual_clock.h"
#include "tests/server/served_models.h"

namespace dragoman {

class DoorServer {
 public:
  DoorServer() {
    google::protobuf::SetLogHandler(nullptr);
    engine_.mutable_info()->pairs = {{"de", "en"}, {"en", "de"}, {"de", "zh"}};
    engine_.AddGlossary("animals", {{"Hund", "hound"}});
    FuzzCheck(models_.Put(Borrowed(&engine_)).ok());
    context_.clock = &clock_;
    context_.metrics = &metrics_;
    context_.models = &models_;
    context_.limits = {8, 256};
    context_.detector = &detector_;
  }

  const CallContext& context() const { return context_; }
  const LanguageCatalog& languages() const { return languages_; }
  const std::vector<DoorRoute>& routes() const { return doors_.routes(); }

  // Asks the first door that has the request's method and path, and checks its action, the answers
  // that are made of every kind of result, and errors. Returns false where no door has them.
  bool Ask(const HttpRequest& request) const {
    // The server refuses such a path before it asks a door.
    if (FirstInvalidUtf8(request.path).has_value()) return false;
    for (const DoorRoute& route : routes()) {
      if (!Fits(route, request)) continue;
      AskDoor(*route.door, request);
      return true;
    }
    return false;
  }

 private:
  static bool Fits(const DoorRoute& route, const HttpRequest& request) {
    const bool method =
        route.method == "*" ? request.method != kWebSocketMethod : route.method == request.method;
    const bool path = route.path.ends_with('*')
                          ? request.path.starts_with(route.path.substr(0, route.path.size() - 1))
                          : request.path == route.path;
    return method && path;
  }

  static void CheckText(std::string_view text) { FuzzCheck(!FirstInvalidUtf8(text).has_value()); }

  static void CheckAnswer(const HttpResponse& answer, int least) {
    FuzzCheck(answer.status >= least && answer.status < 600);
    CheckText(answer.body);
    if (answer.content_type.starts_with("application/json")) {
      FuzzCheck(nlohmann::json::accept(answer.body));
    }
    for (const auto& [name, value] : answer.headers) {
      FuzzCheck(value.find_first_of("\r\n") == std::string::npos);
    }
  }

  static void CheckError(const Door& door, const HttpRequest& request, const absl::Status& status) {
    FuzzCheck(!status.ok() && !status.message().empty());
    FuzzCheck(status.code() != absl::StatusCode::kInternal &&
              status.code() != absl::StatusCode::kUnknown);
    for (const FieldViolation& violation : ViolationsOf(status)) {
      CheckText(violation.field);
      CheckText(violation.description);
      FuzzCheck(!violation.description.empty());
    }
    const HttpResponse answer = door.Error(request, status);
    // XML-RPC's faults are 200.
    CheckAnswer(answer, request.path == "/RPC2" ? 200 : 400);
    // The dialect's form has the words, where it has any.
    FuzzCheck(!answer.body.empty());
  }

  static void CheckRequest(const v1::TranslateRequest& request) {
    for (const std::string& text : request.contents()) CheckText(text);
    CheckText(request.source_language_code());
    CheckText(request.target_language_code());
    CheckText(request.model());
    CheckText(request.parent());
    CheckText(request.glossary_config().glossary());
    for (const auto& [name, value] : request.labels()) {
      CheckText(name);
      CheckText(value);
    }
  }

  void AskDoor(const Door& door, const HttpRequest& request) const {
    door.Key(request);
    door.ApiOf(request);
    absl::StatusOr<DoorAction> action = door.Handle(request, nullptr);
    if (!action.ok()) {
      CheckError(door, request, action.status());
    } else if (const auto* const ready = std::get_if<HttpResponse>(&*action)) {
      CheckAnswer(*ready, 200);
    } else if (const auto* const unary = std::get_if<UnaryAction>(&*action)) {
      CheckUnary(door, request, *unary);
    } else if (const auto* const detect = std::get_if<DetectAction>(&*action)) {
      CheckDetect(door, request, *detect);
    } else if (const auto* const usage = std::get_if<UsageAction>(&*action)) {
      CheckAnswer(usage->render(7), 200);
    } else {
      CheckStream(door, request, std::get<StreamAction>(*action));
    }
  }

  void CheckUnary(const Door& door, const HttpRequest& request, const UnaryAction& action) const {
    CheckRequest(action.request);
    const ParsedRequest parsed =
        ReadTranslateRequest(action.request, context_.limits, CallKind::kUnary);
    if (!parsed.status.ok()) {
      CheckError(door, request, parsed.status);
      return;
    }
    v1::TranslateResponse answer;
    answer.set_request_id("an-id");
    for (const std::string& text : action.request.contents()) {
      *answer.add_translations() = TranslationOf(text, action.request);
    }
    CheckAnswer(action.render(answer), 200);
    answer.mutable_translations(0)->mutable_error()->set_code(3);
    CheckAnswer(action.render(answer), 200);
  }

  static v1::Translation TranslationOf(const std::string& text,
                                       const v1::TranslateRequest& request) {
    v1::Translation out;
    out.set_translated_text("<x0>" + text);
    out.set_model("de-en");
    if (request.source_language_code() == "auto") {
      out.set_detected_language_code("de");
      out.set_detection_confidence(0.5F);
    }
    for (int i = 1; i < request.decoding().num_alternatives(); ++i) {
      out.add_alternatives()->set_text(text);
    }
    return out;
  }

  void CheckDetect(const Door& door, const HttpRequest& request, const DetectAction& action) const {
    const auto found = DetectLanguages(context_, nullptr, action.request);
    if (found.ok()) {
      CheckAnswer(action.render(*found), 200);
    } else {
      CheckError(door, request, found.status());
    }
  }

  // Every piece is whole events, and the data of each is JSON but for the mark at the end.
  static void CheckEvents(std::string_view piece) {
    CheckText(piece);
    while (!piece.empty()) {
      const size_t end = piece.find("\n\n");
      FuzzCheck(end != std::string_view::npos);
      std::string_view event = piece.substr(0, end);
      piece.remove_prefix(end + 2);
      if (event.starts_with("event: ")) event.remove_prefix(event.find('\n') + 1);
      FuzzCheck(event.starts_with("data: ") && event.find('\n') == std::string_view::npos);
      event.remove_prefix(6);
      FuzzCheck(event == "[DONE]" || nlohmann::json::accept(event));
    }
  }

  void CheckStream(const Door& door, const HttpRequest& request, const StreamAction& action) const {
    CheckRequest(action.request);
    const ParsedRequest parsed =
        ReadTranslateRequest(action.request, context_.limits, CallKind::kStream);
    if (!parsed.status.ok()) {
      CheckError(door, request, parsed.status);
      return;
    }
    CheckAnswer(action.renderer->Head(), 200);
    for (int i = 0; i < action.request.contents_size(); ++i) {
      const v1::Translation whole = TranslationOf(action.request.contents(i), action.request);
      v1::StreamTranslateResponse message;
      message.set_request_id("an-id");
      message.set_item(i);
      message.set_source_end(static_cast<int64_t>(action.request.contents(i).size()));
      // Any byte may be the last of a partial text.
      message.set_text(whole.translated_text().substr(0, whole.translated_text().size() / 2));
      if (!FirstInvalidUtf8(message.text()).has_value()) {
        CheckEvents(action.renderer->Message(message));
      }
      message.set_text(whole.translated_text());
      message.set_final(true);
      CheckEvents(action.renderer->Message(message));
      message.clear_text();
      *message.mutable_translation() = whole;
      CheckEvents(action.renderer->Message(message));
    }
    CheckEvents(action.renderer->End(absl::OkStatus()));
  }

  ManualClock clock_;
  Metrics metrics_{&clock_};
  const FakeDetector detector_;
  GlossaryEngine engine_;
  ModelTable models_{&clock_, {}, {}};
  CallContext context_;
  LanguageCatalog languages_{&context_};
  const Doors doors_{DoorContext{.calls = &context_, .languages = &languages_}};
};

}  // namespace dragoman
