// The flags that describe a request, the same for translate and load.
//
// Not thread-safe. Which options go together, and what the model limits, is left to the server: it
// refuses by name.
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
  // Adds flags for languages, model, text, decoding options and terms. This object must outlive the
  // table. A command whose --model is another thing leaves out that of requests.
  void AddTo(FlagTable* flags, bool with_model = true);

  // A request with all that was given, without contents. INVALID_ARGUMENT for what is wrong with
  // the flags together.
  absl::StatusOr<v1::TranslateRequest> Request() const;

  bool html() const { return html_; }
  bool sampling() const { return sampling_; }
  bool has_num_alternatives() const { return decoding_.has_num_alternatives(); }
  bool has_seed() const { return decoding_.sampling().has_seed(); }

 private:
  void AddTextFlags(FlagTable* flags, bool with_model);
  void AddPhraseFlags(FlagTable* flags);
  // Says which of the flags contradict each other, or "".
  std::string Contradiction() const;

  std::string from_;
  std::string to_;
  std::string model_;
  std::string priority_;
  std::string split_;
  std::string on_too_long_;
  bool html_ = false;

  v1::DecodingOptions decoding_;  // but for:
  bool sampling_ = false;
  std::vector<std::string> required_phrases_;
  std::vector<std::string> required_at_end_;

  std::vector<std::string> terms_;
  bool term_ignore_case_ = false;
  std::string glossary_;
  bool glossary_ignore_case_ = false;
  std::vector<std::string> do_not_translate_;
};

// "SOURCE=TARGET" as its two sides. A '=' that is part of the text is written '\=', a backslash
// '\\'. INVALID_ARGUMENT for no or several bare '=', and for another character after a backslash.
absl::StatusOr<std::pair<std::string, std::string>> ParseTerm(const std::string& text);

}  // namespace dragoman::client
