// A server around a scripted engine, for tests of one API adapter in its dialect.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "server/api/adapter.h"
#include "server/api/language_catalog.h"
#include "server/call/client_rights.h"
#include "server/call/detection.h"
#include "tests/server/api/adapter_fixture.h"
#include "tests/server/fake_detector.h"

namespace dragoman::server {

class DialectFixture : public AdapterFixture {
 protected:
  // Call after the engine is configured. Serves every language of the engine's pairs.
  template <typename DialectAdapter, typename... Arguments>
  void ServeAdapter(Arguments... arguments) {
    EXPECT_TRUE(models_.Put(Borrowed(served_)).ok());
    context_.limits = {8, 200};
    adapter_context_ = {.calls = &context_, .languages = &languages_, .lists = &lists_};
    if constexpr (std::is_constructible_v<DialectAdapter, const AdapterContext&, Arguments...>) {
      adapter_ = std::make_unique<DialectAdapter>(adapter_context_, arguments...);
    } else {
      adapter_ = std::make_unique<DialectAdapter>(arguments...);
    }
  }

  // Returns the action of a request. Fails the test if there is none.
  AdapterAction ActionOf(const HttpRequest& request) const {
    absl::StatusOr<AdapterAction> action = adapter_->Handle(request, nullptr);
    EXPECT_TRUE(action.ok()) << action.status();
    return action.ok() ? *std::move(action) : HttpResponse{};
  }

  // Returns the translation request that the adapter makes of `request`.
  v1::TranslateRequest AskedFor(const HttpRequest& request) const {
    AdapterAction action = ActionOf(request);
    auto* const unary = std::get_if<UnaryAction>(&action);
    EXPECT_NE(unary, nullptr);
    return unary == nullptr ? v1::TranslateRequest{} : unary->request;
  }

  // Returns the answer if each text comes back as "[text]". With the source "auto", texts have the
  // language that FakeDetector finds.
  HttpResponse AnswerTo(const HttpRequest& request) const {
    absl::StatusOr<AdapterAction> action = adapter_->Handle(request, nullptr);
    if (!action.ok()) return adapter_->Error(request, action.status());
    if (auto* const ready = std::get_if<HttpResponse>(&*action)) return Whole(*ready);
    if (auto* const usage = std::get_if<UsageAction>(&*action)) {
      return usage->render(TranslatedCodePoints(context_, nullptr));
    }
    if (auto* const detect = std::get_if<DetectAction>(&*action)) {
      const auto found = DetectLanguages(context_, nullptr, detect->request);
      return found.ok() ? detect->render(*found) : adapter_->Error(request, found.status());
    }
    const auto& unary = std::get<UnaryAction>(*action);
    v1::TranslateResponse answer;
    for (const std::string& text : unary.request.contents()) {
      v1::Translation* const item = answer.add_translations();
      item->set_index(answer.translations_size() - 1);
      if (text == failing_text_) {
        item->mutable_error()->set_code(3);
        item->mutable_error()->set_message("it failed");
        continue;
      }
      item->set_translated_text("[" + text + "]");
      item->set_model("de-en");
      if (unary.request.return_options().scores()) item->set_log_prob(-0.5F);
      for (int i = 1; i < unary.request.decoding().num_alternatives(); ++i) {
        item->add_alternatives()->set_text("[" + text + "]" + std::string(i / 2, '!'));
      }
      if (unary.request.source_language_code() != "auto") continue;
      const auto found = detector_.Detect(text, languages_.Get(nullptr)->all);
      if (found.empty()) continue;
      item->set_detected_language_code(found[0].language);
      item->set_detection_confidence(static_cast<float>(found[0].confidence));
    }
    return unary.render(answer);
  }

  nlohmann::json JsonOf(const HttpRequest& request, int status = 200) const {
    const HttpResponse response = AnswerTo(request);
    EXPECT_EQ(response.status, status) << response.body;
    return nlohmann::json::parse(response.body, nullptr, false);
  }

  HttpResponse ErrorFor(absl::Status status) const { return adapter_->Error({}, status); }

  static HttpRequest PostForm(std::string path, std::string body) {
    return Post(std::move(path), std::move(body), "application/x-www-form-urlencoded");
  }

  engine::Engine* served_ = &engine_;
  LanguageCatalog languages_{&context_};
  ListAnswers lists_;
  const FakeDetector detector_;
  AdapterContext adapter_context_;
  std::unique_ptr<Adapter> adapter_;
  std::string failing_text_ = "fails";
};

}  // namespace dragoman::server
