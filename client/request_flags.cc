#include "client/request_flags.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace dragoman {
namespace {

using Decoding = v1::DecodingOptions;

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr double kLargest = 1e30;

// The value whose name is `choice` in capitals; the enum's zero for "". REQUIRES: there is one.
template <typename E>
E EnumOf(const std::string& choice) {
  if (choice.empty()) return E{};
  const auto* type = google::protobuf::GetEnumDescriptor<E>();
  return static_cast<E>(type->FindValueByName(absl::AsciiStrToUpper(choice))->number());
}

}  // namespace

absl::StatusOr<std::pair<std::string, std::string>> ParseTerm(const std::string& text) {
  const auto wrong = [&text](const char* what) {
    return absl::InvalidArgumentError(absl::StrCat("--term is '", text, "', ", what));
  };
  std::string sides[2];
  int side = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=') {
      if (++side > 1) return wrong("which has several '='; write '\\=' for one in the text");
      continue;
    }
    if (text[i] == '\\') {
      if (++i == text.size() || (text[i] != '=' && text[i] != '\\')) {
        return wrong("in which a backslash stands before neither '=' nor a backslash");
      }
    }
    sides[side] += text[i];
  }
  if (side == 0) return wrong("expected SOURCE=TARGET");
  return std::make_pair(sides[0], sides[1]);
}

void RequestFlags::AddTo(FlagTable* flags) {
  AddTextFlags(flags);
  AddSearchFlags(flags);
  AddConstraintFlags(flags);
}

void RequestFlags::AddTextFlags(FlagTable* flags) {
  flags->String("from", "LANG", &from_,
                "source language, as de (default: the model's, if it has one)");
  flags->String("to", "LANG", &to_, "target language, as en (default: the model's, if it has one)");
  flags->String("model", "NAME", &model_, "model (default: the server's)");
  flags->Bool("html", &html_, "the texts are HTML; tags survive");
  flags->Choice("split", {"sentences", "lines", "none"}, &split_,
                "how a text is cut for the model (default sentences;\n"
                "none with what needs a text to be one segment)");
  flags->Choice("on-too-long", {"split", "reject"}, &on_too_long_,
                "what to do with a sentence that is too long for\n"
                "the model (default split)");
  flags->Choice("priority", {"interactive", "normal", "bulk"}, &priority_,
                "of the request (default normal)");
}

void RequestFlags::AddSearchFlags(FlagTable* flags) {
  flags->Choice("profile", {"hf", "ct2", "marian", "paper", "article"}, &profile_,
                "whose rules fill in what is not given\n"
                "(default: the server's)");
  flags->OptionalInt("beam", "K", 1, kMaxInt32, &beam_, "beam size (default: the profile's)");
  flags->OptionalNumber("length-penalty", "X", -10, 10, &length_penalty_,
                        "scores are divided by length ^ X; above 1 favours long output");
  flags->Choice("penalty", {"power", "gnmt"}, &penalty_,
                "form of that divisor; gnmt is ((5 + length) / 6) ^ X");
  flags->Choice("finalisation", {"immediate", "on_beam", "keep"}, &finalisation_,
                "what becomes of a hypothesis that has ended");
  flags->Choice("stop-rule", {"first_k", "heuristic", "never", "all_beams"}, &stop_rule_,
                "when a search ends");
  flags->OptionalNumber("patience", "X", 0, 64, &patience_, "of first_k: K = beam x patience");
  flags->Choice("forced-eos", {"model", "zero", "none"}, &forced_eos_,
                "end-of-sentence of an output at its limit");
  flags->OptionalInt("max-output-tokens", "N", 0, kMaxInt32, &max_output_tokens_,
                     "longest output of a sentence");
  flags->OptionalInt("min-output-tokens", "N", 0, kMaxInt32, &min_output_tokens_,
                     "shortest output of a sentence");
  flags->OptionalNumber("max-length-ratio", "X", 0, 1000, &max_length_ratio_,
                        "longest output: X x source tokens + extra (default 3)");
  flags->OptionalInt("max-length-extra", "N", 0, kMaxInt32, &max_length_extra_,
                     "see --max-length-ratio (default 20)");
  flags->OptionalInt("no-repeat-ngram", "N", 0, kMaxInt32, &no_repeat_ngram_,
                     "no N tokens in a row come twice");
  flags->OptionalNumber("repetition-penalty", "X", 0, 100, &repetition_penalty_,
                        "above 1: against tokens that are there already");
  flags->OptionalNumber("prune-delta", "X", 0, kLargest, &prune_delta_,
                        "drop hypotheses whose log-probability is more than X\n"
                        "below the best");
  flags->OptionalNumber("prune-relative", "X", 0, 1, &prune_relative_,
                        "drop those with less than X of the best probability");
  flags->OptionalInt("max-candidates", "M", 0, kMaxInt32, &max_candidates_,
                     "at most M continuations of a hypothesis");
  flags->OptionalNumber("eos-penalty", "X", 0, 1, &eos_penalty_,
                        "factor of end-of-sentence's log-probability; below 1\n"
                        "outputs end earlier");
  flags->OptionalNumber("temperature", "X", 0, 100, &temperature_,
                        "above 1 flattens the distribution");
  flags->Bool("sample", &sample_, "draw tokens instead of searching for the best");
  flags->OptionalInt("top-k", "K", 0, kMaxInt32, &top_k_, "of the K most probable ones only");
  flags->OptionalNumber("top-p", "P", 0, 1, &top_p_,
                        "of the most probable ones that sum to P only");
}

void RequestFlags::AddConstraintFlags(FlagTable* flags) {
  flags->Strings("require", "TEXT", &require_,
                 "a phrase that the translation must have; may be\n"
                 "given several times");
  flags->Strings("require-at-end", "TEXT", &require_at_end_,
                 "a phrase that the translation must end with");
  flags->Strings("forbid", "TEXT", &forbid_,
                 "a phrase that it must not have; may be given\n"
                 "several times");
  flags->OptionalNumber("constraint-prune", "X", 0, kLargest, &constraint_prune_,
                        "of a search with required phrases: drop hypotheses\n"
                        "more than X below the best complete one (default 20)");
  flags->Choice("constraint-allocation", {"stripe", "banks"}, &constraint_allocation_,
                "how such a search shares its beam (default stripe)");
  flags->Strings("term", "SOURCE=TARGET", &terms_,
                 "wherever a text has SOURCE, its translation has\n"
                 "TARGET; write \\= and \\\\ for = and \\ within; may be\n"
                 "given several times");
  flags->Bool("term-ignore-case", &term_ignore_case_, "SOURCE in any case");
  flags->String("glossary", "NAME", &glossary_,
                "the same for the terms of a glossary of the server");
  flags->Bool("glossary-ignore-case", &glossary_ignore_case_, "its sources in any case");
  flags->Strings("do-not-translate", "TEXT", &do_not_translate_,
                 "a phrase that comes back as it is; may be given\n"
                 "several times");
  flags->OptionalInt("alignment-layer", "N", 0, kMaxInt32, &alignment_layer_,
                     "decoder layer whose attention aligns and places tags\n"
                     "(default: the last)");
  flags->Ints("alignment-heads", "N,N,...", 0, kMaxInt32, &alignment_heads_,
              "its heads (default: all)");
}

std::string RequestFlags::Contradiction() const {
  if (!sample_ && (top_k_.has_value() || top_p_.has_value())) {
    return absl::StrCat(top_k_.has_value() ? "--top-k" : "--top-p", " needs --sample");
  }
  if (glossary_ignore_case_ && glossary_.empty()) return "--glossary-ignore-case needs --glossary";
  if (term_ignore_case_ && terms_.empty()) return "--term-ignore-case needs --term";
  return "";
}

void RequestFlags::FillDecoding(Decoding* decoding) const {
  const auto int32 = [](int64_t value) { return static_cast<int32_t>(value); };
  const auto float32 = [](double value) { return static_cast<float>(value); };
  decoding->set_profile(EnumOf<Decoding::Profile>(profile_));
  decoding->set_penalty(EnumOf<Decoding::Penalty>(penalty_));
  decoding->set_finalisation(EnumOf<Decoding::Finalisation>(finalisation_));
  decoding->set_stop_rule(EnumOf<Decoding::StopRule>(stop_rule_));
  decoding->set_forced_eos(EnumOf<Decoding::ForcedEos>(forced_eos_));
  decoding->set_constraint_allocation(
      EnumOf<Decoding::ConstraintAllocation>(constraint_allocation_));
  if (beam_) decoding->set_beam_size(int32(*beam_));
  if (length_penalty_) decoding->set_length_penalty(float32(*length_penalty_));
  if (patience_) decoding->set_patience(float32(*patience_));
  if (max_output_tokens_) decoding->set_max_output_tokens(int32(*max_output_tokens_));
  if (min_output_tokens_) decoding->set_min_output_tokens(int32(*min_output_tokens_));
  if (max_length_ratio_) decoding->set_max_length_ratio(float32(*max_length_ratio_));
  if (max_length_extra_) decoding->set_max_length_extra(int32(*max_length_extra_));
  if (no_repeat_ngram_) decoding->set_no_repeat_ngram(int32(*no_repeat_ngram_));
  if (repetition_penalty_) decoding->set_repetition_penalty(float32(*repetition_penalty_));
  if (eos_penalty_) decoding->set_eos_penalty(float32(*eos_penalty_));
  if (temperature_) decoding->set_temperature(float32(*temperature_));
  if (prune_delta_) decoding->mutable_pruning()->set_absolute_delta(float32(*prune_delta_));
  if (prune_relative_) decoding->mutable_pruning()->set_relative(float32(*prune_relative_));
  if (max_candidates_) decoding->mutable_pruning()->set_max_candidates(int32(*max_candidates_));
  if (constraint_prune_) decoding->set_constraint_prune(float32(*constraint_prune_));
  if (alignment_layer_) decoding->set_alignment_layer(int32(*alignment_layer_));
  for (const int64_t head : alignment_heads_) decoding->add_alignment_heads(int32(head));
  for (const std::string& text : require_) decoding->add_required_phrases()->set_text(text);
  for (const std::string& text : require_at_end_) {
    v1::RequiredPhrase* phrase = decoding->add_required_phrases();
    phrase->set_text(text);
    phrase->set_at_end(true);
  }
  for (const std::string& text : forbid_) decoding->add_forbidden_phrases(text);
  if (sample_) decoding->mutable_sampling();
  if (top_k_) decoding->mutable_sampling()->set_top_k(int32(*top_k_));
  if (top_p_) decoding->mutable_sampling()->set_top_p(float32(*top_p_));
}

absl::StatusOr<v1::TranslateRequest> RequestFlags::Request() const {
  if (const std::string wrong = Contradiction(); !wrong.empty()) {
    return absl::InvalidArgumentError(wrong);
  }
  v1::TranslateRequest request;
  request.set_source_language_code(from_);
  request.set_target_language_code(to_);
  request.set_model(model_);
  if (html_) request.set_mime_type("text/html");
  request.set_priority(EnumOf<v1::Priority>(priority_));
  if (!split_.empty() || !on_too_long_.empty()) {
    v1::Segmentation* segmentation = request.mutable_segmentation();
    segmentation->set_split(EnumOf<v1::Segmentation::Split>(split_));
    segmentation->set_on_too_long(EnumOf<v1::Segmentation::OnTooLong>(on_too_long_));
  }
  for (const std::string& text : terms_) {
    auto sides = ParseTerm(text);
    if (!sides.ok()) return sides.status();
    v1::Term* term = request.add_terms();
    term->set_source(std::move(sides->first));
    term->set_target(std::move(sides->second));
    term->set_ignore_case(term_ignore_case_);
  }
  if (!glossary_.empty()) {
    request.mutable_glossary_config()->set_glossary(glossary_);
    request.mutable_glossary_config()->set_ignore_case(glossary_ignore_case_);
  }
  for (const std::string& text : do_not_translate_) request.add_do_not_translate(text);
  FillDecoding(request.mutable_decoding());
  return request;
}

}  // namespace dragoman
