// Finds out which of the served languages a text is in.
//
// Thread-safe; a line takes microseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

struct DetectedLanguage {
  std::string language;   // one of the candidates, as it is written there
  double confidence = 0;  // 0 to 1; those of all candidates together are at most 1
};

class LanguageDetector {
 public:
  virtual ~LanguageDetector() = default;

  // The candidates that the text may be in, best first. `candidates` are language codes as models
  // have them ("de", "deu_Latn"); those that the detector does not know are never found. Empty:
  // unknown, for a text without letters, say, or in none of these languages.
  virtual std::vector<DetectedLanguage> Detect(
      std::string_view text, const std::vector<std::string>& candidates) const = 0;
};

}  // namespace dragoman
