// Finds out which of the served languages a text is in.
//
// Thread-safe; a line takes microseconds, and so does a text of any length: its beginning is looked
// at.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::server {

struct DetectedLanguage {
  std::string language;   // one of the candidates, as it is written there
  double confidence = 0;  // 0 to 1; those of all candidates together are at most 1
};

// Looks at texts with certain languages in mind.
class LanguageChoice {
 public:
  virtual ~LanguageChoice() = default;

  // The candidates that the text may be in, best first. Empty: unknown, for a text without letters,
  // say, or in none of these languages with any certainty. The text may be any bytes.
  virtual std::vector<DetectedLanguage> Detect(std::string_view text) const = 0;
};

class LanguageDetector {
 public:
  virtual ~LanguageDetector() = default;

  // `candidates` are language codes as models have them ("de", "deu_Latn"); those that the detector
  // does not know are never found, and of several that are one language to it only the first. The
  // result borrows the detector.
  virtual std::unique_ptr<LanguageChoice> Among(
      const std::vector<std::string>& candidates) const = 0;

  // The same for one text.
  std::vector<DetectedLanguage> Detect(std::string_view text,
                                       const std::vector<std::string>& candidates) const {
    return Among(candidates)->Detect(text);
  }

  // All languages that it knows, as BCP-47 codes: the candidates where a model takes any source.
  virtual const std::vector<std::string>& languages() const = 0;
};

}  // namespace dragoman::server
