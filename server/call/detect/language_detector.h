// Detects which of the served languages a text is in.
//
// Thread-safe. Takes microseconds for a text of any length, because it reads only the beginning.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::server {

struct DetectedLanguage {
  std::string language;   // one of the candidates, with the candidate's spelling
  double confidence = 0;  // 0 to 1; the sum over all candidates is at most 1
};

// A detector with a fixed set of candidate languages.
class LanguageChoice {
 public:
  virtual ~LanguageChoice() = default;

  // Returns the candidates that the text may be in, best first. Empty if the language is unknown:
  // no letters, or no candidate is likely enough. The text may be any bytes.
  virtual std::vector<DetectedLanguage> Detect(std::string_view text) const = 0;
};

class LanguageDetector {
 public:
  virtual ~LanguageDetector() = default;

  // Returns a detector of these candidates, which borrows this object. `candidates` are language
  // codes as models have them ("de", "deu_Latn"). A code that the detector does not know is never
  // found. If the detector treats several candidates as the same language, only the first of them
  // is found.
  virtual std::unique_ptr<LanguageChoice> Among(
      const std::vector<std::string>& candidates) const = 0;

  // Detects the language of one text among `candidates`.
  std::vector<DetectedLanguage> Detect(std::string_view text,
                                       const std::vector<std::string>& candidates) const {
    return Among(candidates)->Detect(text);
  }

  // Returns all known languages as BCP-47 codes. They are the candidates for a model that accepts
  // any source.
  virtual const std::vector<std::string>& languages() const = 0;
};

}  // namespace dragoman::server
