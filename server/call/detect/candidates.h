// Which candidates, codes as models write them, are which of a classifier's languages.
//
// Immutable, so any thread may read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::server {

// A language without its script and region, by which codes are compared: "de", "deu" and "ger" have
// one, and so have "zho" and "cmn", "no" and "nb". "" for what is not a code.
std::string LanguageKey(std::string_view code);

class Candidates {
 public:
  explicit Candidates(const std::vector<std::string>& codes);

  // The candidate of this language for a text in `script` (DetectionLine::script): the first whose
  // script fits, if it names one. nullptr: none.
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
