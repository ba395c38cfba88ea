// A scripted detector. The language of a text is the code with which the text begins ("de: Hallo").
// A '!' after the code ("en!: Hello") makes the detection certain.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/call/detect/language_detector.h"

namespace dragoman::server {

class FakeDetector final : public LanguageDetector {
 public:
  static constexpr double kConfidence = 0.75;
  static constexpr double kCertain = 0.95;

  std::unique_ptr<LanguageChoice> Among(const std::vector<std::string>& candidates) const override {
    return std::make_unique<Choice>(candidates);
  }
  const std::vector<std::string>& languages() const override { return languages_; }

 private:
  class Choice final : public LanguageChoice {
   public:
    explicit Choice(std::vector<std::string> candidates) : candidates_(std::move(candidates)) {}
    std::vector<DetectedLanguage> Detect(std::string_view text) const override {
      std::string language(text.substr(0, text.find(':')));
      const bool certain = language.ends_with('!');
      if (certain) language.pop_back();
      const bool known =
          std::find(candidates_.begin(), candidates_.end(), language) != candidates_.end();
      if (!known) return {};
      return {{language, certain ? kCertain : kConfidence}};
    }

   private:
    const std::vector<std::string> candidates_;
  };

  const std::vector<std::string> languages_ = {"de", "en", "fr", "ja"};
};

}  // namespace dragoman::server
