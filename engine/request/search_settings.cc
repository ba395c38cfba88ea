#include "engine/request/search_settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/request/row_cost.h"

namespace dragoman {
namespace {

// Required phrases: hypotheses further than this below the best complete one go, unless the request
// says otherwise (SEARCH.md d.3).
constexpr float kConstraintPrune = 20.0F;

template <class T>
absl::Status OutOfRange(const char* field, T found, const std::string& expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("decoding.", field, " is ", found, ", expected ", expected));
}

absl::Status Conflict(const char* field, const char* other, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("decoding.", field, " and ", other, " do not go together: ", why));
}

// A number of the request within [low, high], else what it says in `expected`.
absl::Status InRange(const char* field, const std::optional<float>& x, float low, float high,
                     const std::string& expected) {
  if (!x.has_value() || (*x >= low && *x <= high)) return absl::OkStatus();  // NaN fails
  return OutOfRange(field, *x, expected);
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

// What a profile sets (the table of a.7).
struct ProfileDefaults {
  Finalisation finalisation = Finalisation::kImmediate;
  StopRule stop_rule = StopRule::kHeuristic;
  LengthPenalty penalty = LengthPenalty::kPower;
  ForcedEos forced_eos = ForcedEos::kNone;
  int beam = 1;
  float length_penalty = 1.0F;
  int min_tokens = 0;
  int max_tokens = std::numeric_limits<int>::max();
  int no_repeat_ngram = 0;
  float repetition_penalty = 1.0F;
};

ProfileDefaults DefaultsOf(Profile profile, const GenerationDefaults& generation) {
  ProfileDefaults d;
  d.beam = generation.num_beams;
  switch (profile) {
    case Profile::kHf:
      d.stop_rule = StopRuleOf(generation.early_stopping);
      if (generation.forced_eos.has_value()) d.forced_eos = ForcedEos::kZero;
      d.length_penalty = generation.length_penalty;
      // min_length counts the start token and, where it falls, EOS: below it EOS is masked.
      d.min_tokens = std::max(0, generation.min_length - 1);
      d.no_repeat_ngram = generation.no_repeat_ngram;
      d.repetition_penalty = generation.repetition_penalty;
      break;
    case Profile::kCt2:
      d.stop_rule = StopRule::kFirstK;
      d.beam = 2;
      d.min_tokens = 1;
      d.max_tokens = 256;
      break;
    case Profile::kMarian:
      d.stop_rule = StopRule::kAllBeams;
      d.beam = 12;
      d.length_penalty = 0.0F;
      break;
    case Profile::kPaper:
      d.finalisation = Finalisation::kOnBeam;
      d.forced_eos = ForcedEos::kModel;
      break;
    case Profile::kArticle:
      d.finalisation = Finalisation::kKeep;
      d.penalty = LengthPenalty::kGnmt;
      d.length_penalty = 0.0F;
      break;
  }
  return d;
}

// Tokens that the profile never produces.
void SetMasks(Profile profile, const ModelSpec& model, SearchSettings& settings) {
  if (profile == Profile::kHf) {
    settings.search.renormalize = model.generation.renormalize_logits;
    settings.forbidden.assign(model.generation.bad_words.begin(), model.generation.bad_words.end());
    settings.forced_bos = model.generation.forced_bos;
    SearchOptions& o = settings.search;
    for (const int id : model.generation.not_first) o.not_first[o.not_first_count++] = id;
    return;
  }
  settings.excluded = {model.tokens.pad};
  settings.search.renormalize = profile == Profile::kCt2;  // there, masks come before the softmax
  if (profile == Profile::kMarian) settings.forbidden = {{model.tokens.unk}};
}

absl::Status CheckNumbers(const DecodingOptions& asked) {
  const auto above_zero = [](const char* field, const std::optional<float>& x, float high) {
    return InRange(field, x, std::numeric_limits<float>::min(), high,
                   absl::StrCat("a number above 0, at most ", high));
  };
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (const absl::Status& status :
       {InRange("length_penalty", asked.length_penalty, -10.0F, 10.0F, "a number from -10 to 10"),
        above_zero("patience", asked.patience, 64.0F),
        InRange("max_length_ratio", asked.max_length_ratio, 0.0F, 1000.0F,
                "a number from 0 to 1000"),
        above_zero("repetition_penalty", asked.repetition_penalty, 100.0F),
        above_zero("temperature", asked.temperature, 100.0F),
        above_zero("eos_penalty", asked.eos_penalty, 1.0F),
        above_zero("pruning.relative", asked.pruning.relative, 1.0F),
        InRange("pruning.absolute_delta", asked.pruning.absolute_delta, 0.0F, kLargest,
                "a finite number from 0"),
        InRange("constraint_prune", asked.constraint_prune, 0.0F, kLargest,
                "a finite number from 0"),
        asked.sampling.has_value() ? above_zero("sampling.top_p", asked.sampling->top_p, 1.0F)
                                   : absl::OkStatus()}) {
    if (!status.ok()) return status;
  }
  if (asked.max_length_extra.has_value() &&
      (*asked.max_length_extra < 0 || *asked.max_length_extra > 100000)) {
    return OutOfRange("max_length_extra", *asked.max_length_extra, "0 to 100000");
  }
  if (asked.no_repeat_ngram.value_or(0) < 0) {
    return OutOfRange("no_repeat_ngram", *asked.no_repeat_ngram, "at least 0");
  }
  if (asked.pruning.max_candidates.value_or(1) < 1) {
    return OutOfRange("pruning.max_candidates", *asked.pruning.max_candidates, "at least 1");
  }
  if (asked.sampling.has_value() && asked.sampling->top_k.value_or(0) < 0) {
    return OutOfRange("sampling.top_k", *asked.sampling->top_k, "at least 0");
  }
  return absl::OkStatus();
}

// Which options do not go together (a.7).
absl::Status CheckTogether(const DecodingOptions& asked, const SearchOptions& o,
                           const SearchContext& context) {
  const bool early = asked.stop_rule == StopRule::kFirstK && asked.patience.has_value() &&
                     std::floor(static_cast<float>(o.beam) * *asked.patience + 0.5F) <= 1.0F;
  if (context.constraints) {
    constexpr const char* kConstraints = "decoding.required_phrases (or terms)";
    if (asked.finalisation.has_value()) {
      return Conflict("finalisation", kConstraints, "constrained search has its own finishing");
    }
    if ((asked.stop_rule.has_value() || asked.patience.has_value()) && !early) {
      return Conflict(
          asked.stop_rule.has_value() ? "stop_rule" : "patience", kConstraints,
          "only FIRST_K with a patience of 1 / beam_size does, which stops at the first "
          "complete hypothesis");
    }
    if (asked.pruning.any()) {
      return Conflict("pruning", kConstraints, "constraint_prune is their threshold");
    }
    if (asked.sampling.has_value()) {
      return Conflict("sampling", kConstraints, "a draw cannot be made to meet them");
    }
  } else if (o.finalisation != Finalisation::kImmediate && asked.stop_rule.has_value()) {
    return Conflict("stop_rule", "decoding.finalisation",
                    "stop rules are those of IMMEDIATE; ON_BEAM and KEEP (profiles PAPER and "
                    "ARTICLE) have their own");
  }
  if (asked.patience.has_value() && !early &&
      (o.stop_rule != StopRule::kFirstK || o.finalisation != Finalisation::kImmediate)) {
    return absl::InvalidArgumentError(
        "decoding.patience is set, which needs decoding.stop_rule FIRST_K");
  }
  if (asked.sampling.has_value()) {
    if (asked.beam_size.value_or(1) > 1) {
      return Conflict("sampling", "decoding.beam_size",
                      absl::StrCat("it is ", *asked.beam_size,
                                   ", expected 1: num_alternatives gives "
                                   "the number of draws"));
    }
    if (asked.pruning.any()) return Conflict("sampling", "decoding.pruning", "there is no beam");
    if (asked.stop_rule.has_value() || asked.patience.has_value()) {
      return Conflict("sampling",
                      asked.stop_rule.has_value() ? "decoding.stop_rule" : "decoding.patience",
                      "a draw ends with its first end of sentence");
    }
    if (context.partials) {
      return Conflict("sampling", "return_options.partials", "a draw has no settled prefix");
    }
  }
  return absl::OkStatus();
}

absl::Status SetAlignment(const DecodingOptions& asked, const ModelShape& shape, bool align,
                          SearchOptions& o) {
  o.align = align;
  o.align_layer = asked.alignment_layer.value_or(shape.decoder_layers - 1);
  if (o.align_layer < 0 || o.align_layer >= shape.decoder_layers) {
    return OutOfRange("alignment_layer", o.align_layer,
                      absl::StrCat("0 to ", shape.decoder_layers - 1));
  }
  if (asked.alignment_heads.empty()) return absl::OkStatus();
  o.align_heads = 0;
  for (const int head : asked.alignment_heads) {
    if (head < 0 || head >= shape.decoder_heads) {
      return OutOfRange("alignment_heads", head, absl::StrCat("0 to ", shape.decoder_heads - 1));
    }
    o.align_heads |= uint64_t{1} << head;
  }
  return absl::OkStatus();
}

// beam, num_hypotheses and sampling.
absl::Status SetWidth(const DecodingOptions& asked, const ProfileDefaults& defaults, int max_rows,
                      SearchOptions& o) {
  const int widest = std::min(kMaxBeam, max_rows);
  const std::string expected =
      absl::StrCat("1 to ", widest, " (the limit of ", kMaxBeam, " and the server's max rows)");
  o.num_hypotheses = asked.num_alternatives.value_or(1);
  if (asked.sampling.has_value()) {
    if (o.num_hypotheses < 1 || o.num_hypotheses > widest) {
      return OutOfRange("num_alternatives", o.num_hypotheses, expected);
    }
    o.beam = o.num_hypotheses;  // a lane for each draw
    o.sampling.enabled = true;
    o.sampling.top_k = asked.sampling->top_k.value_or(0);
    o.sampling.top_p = asked.sampling->top_p.value_or(1.0F);
    o.sampling.seed = asked.sampling->seed.value_or(0);
    return absl::OkStatus();
  }
  o.beam = asked.beam_size.value_or(std::min(defaults.beam, widest));
  if (o.beam < 1 || o.beam > widest) return OutOfRange("beam_size", o.beam, expected);
  if (o.num_hypotheses < 1 || o.num_hypotheses > o.beam) {
    return OutOfRange("num_alternatives", o.num_hypotheses,
                      absl::StrCat("1 to decoding.beam_size, which is ", o.beam));
  }
  return absl::OkStatus();
}

absl::Status SetLengths(const DecodingOptions& asked, const ProfileDefaults& defaults,
                        const ModelSpec& model, SearchSettings& settings) {
  SearchOptions& o = settings.search;
  // max_length counts the start token and EOS; a search without a forced EOS may use EOS's place
  // for one more real token. An input position is at most the last real token's.
  const auto limit = [&](ForcedEos forced_eos) {
    const bool eos_needs_place = forced_eos != ForcedEos::kNone;
    const int reserved = eos_needs_place ? 2 : 1;
    const int by_positions = model.shape.max_positions - (eos_needs_place ? 1 : 0);
    return std::min({model.generation.max_length - reserved, by_positions, defaults.max_tokens});
  };
  o.max_tokens = asked.max_output_tokens.value_or(limit(o.forced_eos));
  if (o.max_tokens < 1) return OutOfRange("max_output_tokens", o.max_tokens, "at least 1");
  o.max_tokens = std::min(o.max_tokens, limit(o.forced_eos));
  settings.constrained_max_tokens = std::min(o.max_tokens, limit(settings.constrained_forced_eos));
  settings.max_length_ratio = asked.max_length_ratio.value_or(settings.max_length_ratio);
  settings.max_length_extra = asked.max_length_extra.value_or(settings.max_length_extra);
  o.min_tokens = asked.min_output_tokens.value_or(std::min(defaults.min_tokens, o.max_tokens));
  if (o.min_tokens < 0) return OutOfRange("min_output_tokens", o.min_tokens, "at least 0");
  if (o.min_tokens > o.max_tokens) {
    return OutOfRange("min_output_tokens", o.min_tokens,
                      absl::StrCat("at most the output limit, which is ", o.max_tokens));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SearchSettings> ResolveSearch(const DecodingOptions& asked, const ModelSpec& model,
                                             const SearchContext& context) {
  if (const absl::Status status = CheckNumbers(asked); !status.ok()) return status;
  const Profile profile = asked.profile.value_or(context.default_profile);
  const ProfileDefaults defaults = DefaultsOf(profile, model.generation);
  SearchSettings settings;
  SearchOptions& o = settings.search;
  o.eos = model.tokens.eos;
  for (const int id : model.tokens.more_eos) o.more_eos[o.more_eos_count++] = id;
  if (const absl::Status s = SetWidth(asked, defaults, context.max_rows, o); !s.ok()) return s;
  o.finalisation = asked.finalisation.value_or(defaults.finalisation);
  o.stop_rule = asked.stop_rule.value_or(defaults.stop_rule);
  o.patience = asked.patience.value_or(1.0F);
  o.penalty = asked.penalty.value_or(defaults.penalty);
  o.length_penalty = asked.length_penalty.value_or(defaults.length_penalty);
  o.forced_eos = asked.forced_eos.value_or(defaults.forced_eos);
  settings.constrained_forced_eos = asked.forced_eos.value_or(
      defaults.forced_eos == ForcedEos::kZero ? ForcedEos::kZero : ForcedEos::kModel);
  if (const absl::Status s = CheckTogether(asked, o, context); !s.ok()) return s;
  settings.stop_at_first = context.constraints && asked.stop_rule.has_value();
  if (const absl::Status s = SetLengths(asked, defaults, model, settings); !s.ok()) return s;
  if (const absl::Status s = SetAlignment(asked, model.shape, context.align, o); !s.ok()) return s;

  o.prune = asked.pruning.absolute_delta.value_or(std::numeric_limits<float>::infinity());
  if (asked.pruning.relative.has_value()) {
    o.prune = std::min(o.prune, -std::log(*asked.pruning.relative));
  }
  o.max_candidates = asked.pruning.max_candidates.value_or(0);
  o.constraint_prune = asked.constraint_prune.value_or(kConstraintPrune);
  o.allocation = asked.constraint_allocation.value_or(Allocation::kStripe);
  o.no_repeat_ngram = asked.no_repeat_ngram.value_or(defaults.no_repeat_ngram);
  o.repetition_penalty = asked.repetition_penalty.value_or(defaults.repetition_penalty);
  o.penalise_start = profile == Profile::kHf;
  // hf: greedy search and sampling change the logits, beam search the log-probs.
  o.penalise_logits =
      profile == Profile::kCt2 || (profile == Profile::kHf && (o.sampling.enabled || o.beam == 1));
  o.temperature = asked.temperature.value_or(1.0F);
  o.eos_penalty = asked.eos_penalty.value_or(1.0F);
  SetMasks(profile, model, settings);
  // The order of one row's tokens needs no normaliser; scores, the comparison of rows and all that
  // is said in log-probs do.
  o.need_log_probs = context.scores || o.beam > 1 || o.stored_logits() || o.eos_penalty != 1.0F ||
                     o.finalisation != Finalisation::kImmediate || asked.pruning.any();
  o.row_cost = RowCost(o);
  return settings;
}

SearchOptions SearchForSegment(const SearchSettings& settings, int source_tokens, bool constrained,
                               int ordinal) {
  SearchOptions o = settings.search;
  if (constrained) o.max_tokens = settings.constrained_max_tokens;
  const double by_source =
      std::floor(static_cast<double>(settings.max_length_ratio) * source_tokens) +
      settings.max_length_extra;
  o.max_tokens =
      static_cast<int32_t>(std::max(1.0, std::min(static_cast<double>(o.max_tokens), by_source)));
  o.min_tokens = std::min(o.min_tokens, o.max_tokens);
  o.sampling.ordinal = ordinal;
  if (constrained) {
    o.finalisation = Finalisation::kKeep;
    o.stop_rule = settings.stop_at_first ? StopRule::kFirstK : StopRule::kAllBeams;
    o.forced_eos = settings.constrained_forced_eos;
    o.need_log_probs = true;
  }
  return o;
}

}  // namespace dragoman
