// Maps the languages that a classifier finds to candidates, which are the language codes of models.
//
// Immutable and thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::server {

// Returns a key to compare languages without script and region. "de", "deu" and "ger" have the same
// key, and so have "zho" and "cmn", "no" and "nb". Returns "" if `code` is not a language code.
std::string LanguageKey(std::string_view code);

class Candidates {
 public:
  explicit Candidates(const std::vector<std::string>& codes);

  // Returns the first candidate of this language that fits a text in `script`
  // (DetectionLine::script), or nullptr if none fits. A candidate without a script fits every text.
  // If no candidate fits a Chinese text, returns the first candidate if it is in Hans or Hant.
  const std::string* Find(const std::string& key, std::string_view script) const;

  bool Has(const std::string& key) const { return by_key_.contains(key); }

 private:
  struct Candidate {
    std::string code;
    std::string script;  // "": not named
  };
  std::map<std::string, std::vector<Candidate>, std::less<>> by_key_;
};

}  // namespace dragoman::server
