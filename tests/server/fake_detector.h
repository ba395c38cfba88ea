// A detector that a test scripts: a text is in the language that it begins with ("de: Hallo"), and
// in an unknown one if that is not a candidate.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/detect/language_detector.h"

namespace dragoman {

class FakeDetector final : public LanguageDetector {
 public:
  static constexpr double kConfidence = 0.75;

  // With `guesses` every other text is in the first candidate's language, an empty one in none.
  explicit FakeDetector(bool guesses = false) : guesses_(guesses) {}

  std::unique_ptr<LanguageChoice> Among(const std::vector<std::string>& candidates) const override {
    return std::make_unique<Choice>(candidates, guesses_);
  }
  const std::vector<std::string>& languages() const override { return languages_; }

 private:
  class Choice final : public LanguageChoice {
   public:
    Choice(std::vector<std::string> candidates, bool guesses)
        : candidates_(std::move(candidates)), guesses_(guesses) {}
    std::vector<DetectedLanguage> Detect(std::string_view text) const override {
      const std::string language(text.substr(0, text.find(':')));
      const bool known =
          std::find(candidates_.begin(), candidates_.end(), language) != candidates_.end();
      if (known) return {{language, kConfidence}};
      if (!guesses_ || text.empty() || candidates_.empty()) return {};
      return {{candidates_.front(), kConfidence}};
    }

   private:
    const std::vector<std::string> candidates_;
    const bool guesses_;
  };

  const bool guesses_;
  const std::vector<std::string> languages_ = {"de", "en", "fr", "ja"};
};

}  // namespace dragoman
