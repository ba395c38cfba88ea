// The server for the fuzz targets of API adapters, around a scripted engine. Checks every answer.
//
// Single-threaded. Lives as long as the process, because its engine has a thread.
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
#include "server/compat/adapters.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/server/fake_detector.h"
#include "tests/server/glossary_engine.h"
#include "tests/server/manual_clock.h"
#include "tests/server/served_models.h"

namespace dragoman {

class AdapterServer {
 public:
  AdapterServer() {
    google::protobuf::SetLogHandler(nullptr);
    engine_.mutable_info()->pairs = {{"de", "en"}, {"en", "de"}, {"de", "zh"}};
    engine_.AddGlossary("animals", {{"Hund", "hound"}});
    FuzzCheck(models_.Put(server::Borrowed(&engine_)).ok());
    context_.clock = &clock_;
    context_.metrics = &metrics_;
    context_.models = &models_;
    context_.limits = {8, 256};
    context_.detector = &detector_;
  }

  const server::CallContext& context() const { return context_; }
  const server::LanguageCatalog& languages() const { return languages_; }
  const std::vector<server::AdapterRoute>& routes() const { return adapters_.routes(); }

  // Asks the first adapter that has the request's method and path. Checks its action, its answers
  // to every kind of result, and errors. Returns false if no adapter has the method and path.
  bool Ask(const server::HttpRequest& request) const {
    // The server refuses such a path before it asks an adapter.
    if (engine::FirstInvalidUtf8(request.path).has_value()) return false;
    for (const server::AdapterRoute& route : routes()) {
      if (!Fits(route, request)) continue;
      AskAdapter(*route.adapter, request);
      return true;
    }
    return false;
  }

 private:
  static bool Fits(const server::AdapterRoute& route, const server::HttpRequest& request) {
    const bool method = route.method == "*" ? request.method != server::kWebSocketMethod
                                            : route.method == request.method;
    const bool path = route.path.ends_with('*')
                          ? request.path.starts_with(route.path.substr(0, route.path.size() - 1))
                          : request.path == route.path;
    return method && path;
  }

  static void CheckText(std::string_view text) {
    FuzzCheck(!engine::FirstInvalidUtf8(text).has_value());
  }

  static void CheckAnswer(const server::HttpResponse& answer, int least) {
    FuzzCheck(answer.status >= least && answer.status < 600);
    CheckText(answer.text());
    if (answer.content_type.starts_with("application/json") && answer.pieces == nullptr) {
      FuzzCheck(nlohmann::json::accept(answer.text()));
    }
    for (const auto& [name, value] : answer.headers) {
      FuzzCheck(value.find_first_of("\r\n") == std::string::npos);
    }
  }

  static void CheckError(const server::Adapter& adapter, const server::HttpRequest& request,
                         const absl::Status& status) {
    FuzzCheck(!status.ok() && !status.message().empty());
    FuzzCheck(status.code() != absl::StatusCode::kInternal &&
              status.code() != absl::StatusCode::kUnknown);
    for (const server::FieldViolation& violation : server::ViolationsOf(status)) {
      CheckText(violation.field);
      CheckText(violation.description);
      FuzzCheck(!violation.description.empty());
    }
    const server::HttpResponse answer = adapter.Error(request, status);
    // XML-RPC reports a fault with status 200.
    CheckAnswer(answer, request.path == "/RPC2" ? 200 : 400);
    // The dialect's error message must not be empty.
    FuzzCheck(!answer.text().empty());
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

  void AskAdapter(const server::Adapter& adapter, const server::HttpRequest& request) const {
    adapter.Key(request);
    adapter.ApiOf(request);
    absl::StatusOr<server::AdapterAction> action = adapter.Handle(request, nullptr);
    if (!action.ok()) {
      CheckError(adapter, request, action.status());
    } else if (const auto* const ready = std::get_if<server::HttpResponse>(&*action)) {
      CheckAnswer(*ready, 200);
    } else if (const auto* const unary = std::get_if<server::UnaryAction>(&*action)) {
      CheckUnary(adapter, request, *unary);
    } else if (const auto* const detect = std::get_if<server::DetectAction>(&*action)) {
      CheckDetect(adapter, request, *detect);
    } else if (const auto* const usage = std::get_if<server::UsageAction>(&*action)) {
      CheckAnswer(usage->render(7), 200);
    } else {
      CheckStream(adapter, request, std::get<server::StreamAction>(*action));
    }
  }

  void CheckUnary(const server::Adapter& adapter, const server::HttpRequest& request,
                  const server::UnaryAction& action) const {
    CheckRequest(action.request);
    const server::ParsedRequest parsed =
        server::ReadTranslateRequest(action.request, context_.limits, server::CallKind::kUnary);
    if (!parsed.status.ok()) {
      CheckError(adapter, request, parsed.status);
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

  void CheckDetect(const server::Adapter& adapter, const server::HttpRequest& request,
                   const server::DetectAction& action) const {
    const auto found = server::DetectLanguages(context_, nullptr, action.request);
    if (found.ok()) {
      CheckAnswer(action.render(*found), 200);
    } else {
      CheckError(adapter, request, found.status());
    }
  }

  // Checks that a piece consists of complete events with JSON data, except for the end mark.
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

  void CheckStream(const server::Adapter& adapter, const server::HttpRequest& request,
                   const server::StreamAction& action) const {
    CheckRequest(action.request);
    const server::ParsedRequest parsed =
        server::ReadTranslateRequest(action.request, context_.limits, server::CallKind::kStream);
    if (!parsed.status.ok()) {
      CheckError(adapter, request, parsed.status);
      return;
    }
    CheckAnswer(action.renderer->Head(), 200);
    for (int i = 0; i < action.request.contents_size(); ++i) {
      const v1::Translation whole = TranslationOf(action.request.contents(i), action.request);
      v1::StreamTranslateResponse message;
      message.set_request_id("an-id");
      message.set_item(i);
      message.set_source_end(static_cast<int64_t>(action.request.contents(i).size()));
      // A partial text may end within a character.
      message.set_text(whole.translated_text().substr(0, whole.translated_text().size() / 2));
      if (!engine::FirstInvalidUtf8(message.text()).has_value()) {
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

  server::ManualClock clock_;
  server::Metrics metrics_{&clock_};
  const server::FakeDetector detector_;
  server::GlossaryEngine engine_;
  server::ModelTable models_{&clock_, {}, {}};
  server::CallContext context_;
  server::LanguageCatalog languages_{&context_};
  const server::Adapters adapters_{
      server::AdapterContext{.calls = &context_, .languages = &languages_}};
};

}  // namespace dragoman
