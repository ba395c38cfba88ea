// The flags that describe a request, the same for translate and load.
//
// Not thread-safe. Ranges and rules that the server knows better are left to it: it refuses by
// name.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/flags.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman {

class RequestFlags {
 public:
  // Adds --from, --to, --model, --beam and the other options. This object must outlive the table.
  void AddTo(FlagTable* flags);

  // A request with all that was given, without contents. INVALID_ARGUMENT for what is wrong with
  // the flags together.
  absl::StatusOr<v1::TranslateRequest> Request() const;

  bool html() const { return html_; }
  bool sample() const { return sample_; }

 private:
  void AddSearchFlags(FlagTable* flags);
  void AddConstraintFlags(FlagTable* flags);
  void AddTextFlags(FlagTable* flags);
  // What is wrong in the combination of flags, or "".
  std::string Contradiction() const;
  void FillDecoding(v1::DecodingOptions* decoding) const;

  std::string from_;
  std::string to_;
  std::string model_;
  std::string priority_;
  std::string split_;
  std::string on_too_long_;
  bool html_ = false;

  std::string profile_;
  std::optional<int64_t> beam_;
  std::optional<double> length_penalty_;
  std::string penalty_;
  std::string finalisation_;
  std::string stop_rule_;
  std::optional<double> patience_;
  std::string forced_eos_;
  std::optional<int64_t> max_output_tokens_;
  std::optional<int64_t> min_output_tokens_;
  std::optional<double> max_length_ratio_;
  std::optional<int64_t> max_length_extra_;
  std::optional<int64_t> no_repeat_ngram_;
  std::optional<double> repetition_penalty_;
  std::optional<double> prune_delta_;
  std::optional<double> prune_relative_;
  std::optional<int64_t> max_candidates_;
  std::optional<double> eos_penalty_;
  std::optional<double> temperature_;
  bool sample_ = false;
  std::optional<int64_t> top_k_;
  std::optional<double> top_p_;

  std::vector<std::string> require_;
  std::vector<std::string> require_at_end_;
  std::vector<std::string> forbid_;
  std::optional<double> constraint_prune_;
  std::string constraint_allocation_;
  std::vector<std::string> terms_;
  bool term_ignore_case_ = false;
  std::string glossary_;
  bool glossary_ignore_case_ = false;
  std::vector<std::string> do_not_translate_;
  std::optional<int64_t> alignment_layer_;
  std::vector<int64_t> alignment_heads_;
};

// "SOURCE=TARGET" as its two sides. A '=' that is part of the text is written '\=', a backslash
// '\\'. INVALID_ARGUMENT for no or several bare '=', and for another character after a backslash.
absl::StatusOr<std::pair<std::string, std::string>> ParseTerm(const std::string& text);

}  // namespace dragoman
