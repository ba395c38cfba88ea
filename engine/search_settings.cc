#include "engine/search_settings.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"

namespace dragoman {
namespace {

template <class T>
absl::Status OutOfRange(const char* field, T found, const std::string& expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("decoding.", field, " is ", found, ", expected ", expected));
}

StopRule StopRuleOf(EarlyStopping early_stopping) {
  switch (early_stopping) {
    case EarlyStopping::kTrue:
      return StopRule::kFirstK;
    case EarlyStopping::kNever:
      return StopRule::kNever;
    case EarlyStopping::kFalse:
      break;
  }
  return StopRule::kHeuristic;
}

}  // namespace

absl::StatusOr<SearchSettings> ResolveSearch(const DecodingOptions& asked, const ModelSpec& model,
                                             int max_rows, bool scores) {
  const GenerationDefaults& defaults = model.generation;
  SearchSettings settings;
  SearchOptions& o = settings.search;
  o.eos = model.tokens.eos;
  o.renormalize = defaults.renormalize_logits;

  const int widest = std::min(kMaxBeam, max_rows);
  o.beam = asked.beam_size.value_or(std::min(defaults.num_beams, widest));
  if (o.beam < 1 || o.beam > widest) {
    return OutOfRange(
        "beam_size", o.beam,
        absl::StrCat("1 to ", widest, " (the limit of ", kMaxBeam, " and the server's max rows)"));
  }
  o.num_hypotheses = asked.num_alternatives.value_or(1);
  if (o.num_hypotheses < 1 || o.num_hypotheses > o.beam) {
    return OutOfRange("num_alternatives", o.num_hypotheses,
                      absl::StrCat("1 to decoding.beam_size, which is ", o.beam));
  }
  o.length_penalty = asked.length_penalty.value_or(defaults.length_penalty);
  if (!std::isfinite(o.length_penalty) || std::abs(o.length_penalty) > 10.0F) {
    return OutOfRange("length_penalty", o.length_penalty, "a number from -10 to 10");
  }
  o.stop_rule = asked.stop_rule.value_or(StopRuleOf(defaults.early_stopping));
  o.patience = asked.patience.value_or(1.0F);
  if (!(o.patience > 0.0F) || o.patience > 64.0F) {
    return OutOfRange("patience", o.patience, "a number above 0, at most 64");
  }
  if (asked.patience.has_value() && o.stop_rule != StopRule::kFirstK) {
    return absl::InvalidArgumentError(
        "decoding.patience is set, which needs decoding.stop_rule FIRST_K");
  }
  o.forced_eos = asked.forced_eos.value_or(defaults.forced_eos.has_value() ? ForcedEos::kZero
                                                                           : ForcedEos::kNone);

  // max_length counts the start token and EOS; a search without a forced EOS may use EOS's place
  // for one more real token. An input position is at most the last real token's.
  const int reserved = o.forced_eos == ForcedEos::kNone ? 1 : 2;
  const int by_positions =
      o.forced_eos == ForcedEos::kNone ? model.shape.max_positions : model.shape.max_positions - 1;
  const int limit = std::min(defaults.max_length - reserved, by_positions);
  o.max_tokens = asked.max_output_tokens.value_or(limit);
  if (o.max_tokens < 1) return OutOfRange("max_output_tokens", o.max_tokens, "at least 1");
  o.max_tokens = std::min(o.max_tokens, limit);
  settings.max_length_ratio = asked.max_length_ratio.value_or(settings.max_length_ratio);
  if (!(settings.max_length_ratio >= 0.0F) || settings.max_length_ratio > 1000.0F) {
    return OutOfRange("max_length_ratio", settings.max_length_ratio, "a number from 0 to 1000");
  }
  settings.max_length_extra = asked.max_length_extra.value_or(settings.max_length_extra);
  if (settings.max_length_extra < 0 || settings.max_length_extra > 100000) {
    return OutOfRange("max_length_extra", settings.max_length_extra, "0 to 100000");
  }
  // min_length counts the start token and, where it falls, EOS: below it EOS is masked.
  o.min_tokens = asked.min_output_tokens.value_or(std::max(0, defaults.min_length - 1));
  if (o.min_tokens < 0) return OutOfRange("min_output_tokens", o.min_tokens, "at least 0");
  if (o.min_tokens > o.max_tokens) {
    return OutOfRange("min_output_tokens", o.min_tokens,
                      absl::StrCat("at most the output limit, which is ", o.max_tokens));
  }
  // The order of one row's tokens needs no normaliser; scores and the comparison of rows do.
  o.need_log_probs = scores || o.beam > 1;
  return settings;
}

SearchOptions SearchForSegment(const SearchSettings& settings, int source_tokens) {
  SearchOptions o = settings.search;
  const double by_source =
      std::floor(static_cast<double>(settings.max_length_ratio) * source_tokens) +
      settings.max_length_extra;
  o.max_tokens =
      static_cast<int32_t>(std::max(1.0, std::min(static_cast<double>(o.max_tokens), by_source)));
  o.min_tokens = std::min(o.min_tokens, o.max_tokens);
  return o;
}

}  // namespace dragoman
