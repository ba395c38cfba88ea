// The flags that describe a TranslateRequest. The commands translate and load share them.
//
// Not thread-safe. This class does not check the model's limits and which decoding options exclude
// each other. The server checks them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/commands/flags.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::client {

class RequestFlags {
 public:
  // Adds flags for languages, model, text, decoding options and terms. REQUIRES: this object
  // outlives the table. A command that uses --model for another purpose sets `with_model` to false.
  void AddTo(FlagTable* flags, bool with_model = true);

  // Returns a request without contents. Returns INVALID_ARGUMENT if flags contradict each other.
  absl::StatusOr<v1::TranslateRequest> Request() const;

  bool markdown() const { return markdown_; }
  // Reports whether the texts are HTML or Markdown.
  bool has_markup() const { return html_ || markdown_; }
  bool sampling() const { return sampling_; }
  bool has_num_alternatives() const { return decoding_.has_num_alternatives(); }
  bool has_seed() const { return decoding_.sampling().has_seed(); }

 private:
  void AddTextFlags(FlagTable* flags, bool with_model);
  void AddPhraseFlags(FlagTable* flags);
  // Returns an error text if flags contradict each other, else "".
  std::string Contradiction() const;

  std::string from_;
  std::string to_;
  std::string model_;
  std::string priority_;
  std::string split_;
  std::string on_too_long_;
  bool html_ = false;
  bool markdown_ = false;

  v1::DecodingOptions decoding_;  // all options except those that the following members have
  bool sampling_ = false;
  std::vector<std::string> required_phrases_;
  std::vector<std::string> required_at_end_;

  std::vector<std::string> terms_;
  bool term_ignore_case_ = false;
  std::string glossary_;
  bool glossary_ignore_case_ = false;
  std::vector<std::string> do_not_translate_;
  std::string preserve_;
  std::string recase_;
  std::string guard_;
};

// Splits "SOURCE=TARGET" into source and target. In both, '=' is written as "\=" and a backslash as
// "\\". Returns INVALID_ARGUMENT unless there is exactly one '=' without a backslash, or if another
// character follows a backslash.
absl::StatusOr<std::pair<std::string, std::string>> ParseTerm(const std::string& text);

}  // namespace dragoman::client
