#include "engine/request/search_settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "engine/api/option_rules.h"
#include "engine/api/profiles.h"
#include "engine/base/field_error.h"

namespace dragoman::engine {
namespace {

absl::Status Refused(std::string field, double found, const NumberRange& range,
                     const std::string& why = "") {
  return InvalidRequest(OutOfRange(std::move(field), found, range, why));
}

constexpr NumberRange Between(int64_t low, int64_t high) {
  return {NumberRange::Kind::kBetween, low, high};
}

kernels::StopRule StopRuleOf(EarlyStopping early_stopping) {
  switch (early_stopping) {
    case EarlyStopping::kTrue:
      return kernels::StopRule::kFirstK;
    case EarlyStopping::kNever:
      return kernels::StopRule::kNever;
    case EarlyStopping::kFalse:
      break;
  }
  return kernels::StopRule::kHeuristic;
}

// The settings of a profile for a given model (the tables of SEARCH.md a.7).
struct ProfileDefaults {
  kernels::Finalisation finalisation = kernels::Finalisation::kImmediate;
  kernels::StopRule stop_rule = kernels::StopRule::kHeuristic;
  kernels::LengthPenalty penalty = kernels::LengthPenalty::kPower;
  kernels::ForcedEos forced_eos = kernels::ForcedEos::kNone;
  int beam_size = 1;
  float length_penalty = 1.0F;
  int min_output_tokens = 0;
  int max_output_tokens = 0;
  int no_repeat_ngram = 0;
  float repetition_penalty = 1.0F;
  int num_alternatives = 1;
};

// Returns the settings of a profile: its constants, and the model's values where it has no
// constant.
ProfileDefaults DefaultsOf(Profile profile, const GenerationDefaults& generation) {
  const ProfileConstants c = ConstantsOf(profile);
  ProfileDefaults d;
  d.finalisation = c.finalisation;
  d.penalty = c.penalty;
  d.max_output_tokens = c.max_output_tokens;
  d.stop_rule = c.stop_rule.value_or(StopRuleOf(generation.early_stopping));
  d.forced_eos = c.forced_eos.value_or(
      generation.forced_eos.has_value() ? kernels::ForcedEos::kZero : kernels::ForcedEos::kNone);
  d.beam_size = c.beam_size.value_or(generation.num_beams);
  d.length_penalty = c.length_penalty.value_or(generation.length_penalty);
  // min_length also counts the start token, so a translation needs min_length - 1 other tokens
  // before EOS is allowed.
  d.min_output_tokens = c.min_output_tokens.value_or(std::max(0, generation.min_length - 1));
  d.no_repeat_ngram = c.no_repeat_ngram.value_or(generation.no_repeat_ngram);
  d.repetition_penalty = c.repetition_penalty.value_or(generation.repetition_penalty);
  if (profile == Profile::kHf) d.num_alternatives = generation.num_return_sequences;
  return d;
}

// Sets the tokens and phrases that the profile never produces. In profile hf, also sets the rules
// of the model's generation_config.json.
void SetMasks(Profile profile, const ModelSpec& model, SearchSettings& settings) {
  if (profile == Profile::kHf) {
    settings.search.renormalize = model.generation.renormalize_logits;
    settings.forbidden.assign(model.generation.bad_words.begin(), model.generation.bad_words.end());
    settings.forced_bos = model.generation.forced_bos;
    settings.encoder_no_repeat_ngram = model.generation.encoder_no_repeat_ngram;
    kernels::SearchOptions& o = settings.search;
    o.encoder_repetition_penalty = model.generation.encoder_repetition_penalty;
    for (const int id : model.generation.not_first) o.not_first[o.not_first_count++] = id;
    return;
  }
  settings.excluded = {model.tokens.pad};
  settings.search.renormalize = profile == Profile::kCt2;  // ct2 masks before the softmax
  if (profile == Profile::kMarian) settings.forbidden = {{model.tokens.unk}};
}

// Checks that the options of the request do not exclude each other, given all settings in effect.
absl::Status CheckTogether(const DecodingOptions& asked, const kernels::SearchOptions& o,
                           const SearchContext& context) {
  OptionContext in_effect;
  in_effect.constraints = context.constraints;
  in_effect.partials = context.partials;
  in_effect.beam_size = o.beam;
  in_effect.finalisation = o.finalisation;
  in_effect.stop_rule = o.stop_rule;
  const std::vector<FieldError> errors = CheckOptionsTogether(asked, in_effect);
  return errors.empty() ? absl::OkStatus() : InvalidRequest(errors);
}

absl::Status SetAlignment(const DecodingOptions& asked, const ModelSpec& model, bool align,
                          kernels::SearchOptions& o) {
  const ModelShape& shape = model.shape;
  o.align = align;
  o.alignment_layer = asked.alignment_layer.value_or(shape.decoder_layers - 1);
  if (o.alignment_layer < 0 || o.alignment_layer >= shape.decoder_layers) {
    return Refused("decoding.alignment_layer", o.alignment_layer,
                   Between(0, shape.decoder_layers - 1), "the model's decoder layers");
  }
  if (asked.alignment_heads.empty()) {
    // The model's heads are those of its last layer.
    if (!asked.alignment_layer.has_value()) o.alignment_heads = model.alignment_heads;
    return absl::OkStatus();
  }
  o.alignment_heads = 0;
  for (const int head : asked.alignment_heads) {
    if (head < 0 || head >= shape.decoder_heads) {
      return Refused("decoding.alignment_heads", head, Between(0, shape.decoder_heads - 1),
                     "the model's decoder heads");
    }
    o.alignment_heads |= uint64_t{1} << head;
  }
  return absl::OkStatus();
}

// Sets beam, num_alternatives and sampling.
absl::Status SetWidth(const DecodingOptions& asked, const ProfileDefaults& defaults, int max_rows,
                      kernels::SearchOptions& o) {
  if (const auto error = CheckWidth(asked, max_rows); error.has_value()) {
    return InvalidRequest(*error);
  }
  const int widest = std::min(kernels::kMaxBeam, max_rows);
  o.num_alternatives = asked.num_alternatives.value_or(std::min(defaults.num_alternatives, widest));
  if (asked.sampling.has_value()) {
    o.beam = o.num_alternatives;  // one lane for each draw
    o.sampling.enabled = true;
    o.sampling.top_k = asked.sampling->top_k.value_or(DefaultOf("sampling.top_k"));
    o.sampling.top_p = asked.sampling->top_p.value_or(DefaultOf("sampling.top_p"));
    o.sampling.seed = asked.sampling->seed.value_or(0);
    return absl::OkStatus();
  }
  o.beam = asked.beam_size.value_or(
      std::max(std::min(defaults.beam_size, widest), asked.num_alternatives.value_or(1)));
  if (!asked.num_alternatives.has_value()) {
    o.num_alternatives = std::min(o.num_alternatives, o.beam);
  }
  if (o.num_alternatives > o.beam) {
    return Refused("decoding.num_alternatives", o.num_alternatives, Between(1, o.beam),
                   "the beam size in effect");
  }
  return absl::OkStatus();
}

absl::Status SetLengths(const DecodingOptions& asked, const ProfileDefaults& defaults,
                        const ModelSpec& model, SearchSettings& settings) {
  kernels::SearchOptions& o = settings.search;
  // max_length counts the start token and EOS. If EOS is not forced at the limit, another token may
  // take its place. The last token needs a position in the decoder's input only if EOS is forced
  // after it. Then max_positions allows one token less.
  const auto limit = [&](kernels::ForcedEos forced_eos) {
    const bool eos_needs_place = forced_eos != kernels::ForcedEos::kNone;
    const int reserved = eos_needs_place ? 2 : 1;
    const int by_positions = model.shape.max_positions - (eos_needs_place ? 1 : 0);
    return std::min(
        {model.generation.max_length - reserved, by_positions, defaults.max_output_tokens});
  };
  o.max_tokens = asked.max_output_tokens.value_or(limit(o.forced_eos));
  if (o.max_tokens < 1) {
    return Refused("decoding.max_output_tokens", o.max_tokens,
                   OptionNamed("max_output_tokens").range);
  }
  o.max_tokens = std::min(o.max_tokens, limit(o.forced_eos));
  settings.constrained_max_tokens = std::min(o.max_tokens, limit(settings.constrained_forced_eos));
  settings.max_length_ratio = asked.max_length_ratio.value_or(DefaultOf("max_length_ratio"));
  settings.max_length_extra = asked.max_length_extra.value_or(DefaultOf("max_length_extra"));
  o.min_tokens =
      asked.min_output_tokens.value_or(std::min(defaults.min_output_tokens, o.max_tokens));
  if (o.min_tokens > o.max_tokens) {
    return Refused("decoding.min_output_tokens", o.min_tokens, Between(0, o.max_tokens),
                   "the output limit");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SearchSettings> ResolveSearch(const DecodingOptions& asked, const ModelSpec& model,
                                             const SearchContext& context) {
  const std::vector<FieldError> errors = CheckRanges(asked);
  if (!errors.empty()) return InvalidRequest(errors);
  const Profile profile = asked.profile.value_or(context.default_profile);
  const ProfileDefaults defaults = DefaultsOf(profile, model.generation);
  SearchSettings settings;
  kernels::SearchOptions& o = settings.search;
  o.eos = model.tokens.eos;
  for (const int id : model.tokens.more_eos) o.more_eos[o.more_eos_count++] = id;
  if (const absl::Status s = SetWidth(asked, defaults, context.max_rows, o); !s.ok()) return s;
  settings.alternatives_asked = asked.num_alternatives.has_value();
  if (!asked.beam_size.has_value())
    settings.widest_beam = std::min(kernels::kMaxBeam, context.max_rows);
  o.finalisation = asked.finalisation.value_or(defaults.finalisation);
  o.stop_rule = asked.stop_rule.value_or(defaults.stop_rule);
  o.patience = asked.patience.value_or(DefaultOf("patience"));
  o.penalty = asked.penalty.value_or(defaults.penalty);
  o.length_penalty = asked.length_penalty.value_or(defaults.length_penalty);
  o.forced_eos = asked.forced_eos.value_or(defaults.forced_eos);
  settings.constrained_forced_eos = asked.forced_eos.value_or(
      defaults.forced_eos == kernels::ForcedEos::kZero ? kernels::ForcedEos::kZero
                                                       : kernels::ForcedEos::kModel);
  if (const absl::Status s = CheckTogether(asked, o, context); !s.ok()) return s;
  settings.stop_at_first = context.constraints != nullptr && asked.stop_rule.has_value();
  if (const absl::Status s = SetLengths(asked, defaults, model, settings); !s.ok()) return s;
  if (const absl::Status s = SetAlignment(asked, model, context.align, o); !s.ok()) return s;
  // A placed term may need a second search, and partials cannot be taken back.
  settings.aligns_terms =
      !context.partials &&
      (asked.term_placement.has_value() ? *asked.term_placement == TermPlacement::kAligned
                                        : model.aligns_terms);

  o.prune = asked.pruning.absolute_delta.value_or(std::numeric_limits<float>::infinity());
  if (asked.pruning.relative.has_value()) {
    o.prune = std::min(o.prune, -std::log(*asked.pruning.relative));
  }
  o.max_candidates = asked.pruning.max_candidates.value_or(0);
  o.constraint_prune = asked.constraint_prune.value_or(DefaultOf("constraint_prune"));
  o.constraint_allocation = asked.constraint_allocation.value_or(kernels::Allocation::kStripe);
  o.no_repeat_ngram = asked.no_repeat_ngram.value_or(defaults.no_repeat_ngram);
  o.repetition_penalty = asked.repetition_penalty.value_or(defaults.repetition_penalty);
  o.counts_start = profile == Profile::kHf;
  // In profile hf, penalties change the logits in greedy search and sampling, and the log-probs in
  // beam search.
  settings.penalises_greedy_logits =
      !model.is_ensemble && profile == Profile::kHf && !o.sampling.enabled;
  o.penalise_logits = !model.is_ensemble && (profile == Profile::kCt2 ||
                                             (profile == Profile::kHf && o.sampling.enabled) ||
                                             (settings.penalises_greedy_logits && o.beam == 1));
  o.temperature = asked.temperature.value_or(DefaultOf("temperature"));
  o.eos_penalty = asked.eos_penalty.value_or(DefaultOf("eos_penalty"));
  SetMasks(profile, model, settings);
  // With one row, the order of the tokens does not depend on the softmax's normalizer. Scores,
  // several rows, and rules on log-probs need it.
  o.need_log_probs = context.scores || o.beam > 1 || o.materialized_logits() ||
                     o.eos_penalty != 1.0F || o.finalisation != kernels::Finalisation::kImmediate ||
                     asked.pruning.any();
  o.row_cost = RowCost(o);
  return settings;
}

kernels::SearchOptions SearchForSegment(const SearchSettings& settings, int source_tokens,
                                        bool constrained, int ordinal) {
  kernels::SearchOptions o = settings.search;
  if (constrained) o.max_tokens = settings.constrained_max_tokens;
  const double by_source =
      std::floor(static_cast<double>(settings.max_length_ratio) * source_tokens) +
      settings.max_length_extra;
  o.max_tokens =
      static_cast<int32_t>(std::max(1.0, std::min(static_cast<double>(o.max_tokens), by_source)));
  o.min_tokens = std::min(o.min_tokens, o.max_tokens);
  o.sampling.ordinal = ordinal;
  if (constrained) {
    o.finalisation = kernels::Finalisation::kKeep;
    o.stop_rule =
        settings.stop_at_first ? kernels::StopRule::kFirstK : kernels::StopRule::kAllBeams;
    o.forced_eos = settings.constrained_forced_eos;
    o.need_log_probs = true;
  }
  return o;
}

DecodingOptions SaferOptions(DecodingOptions asked, const SearchSettings& found, int max_rows) {
  constexpr int kBeam = 4;
  constexpr int kNgram = 4;
  const int widest = std::min(kernels::kMaxBeam, max_rows);
  asked.beam_size = std::max(found.search.beam, std::min(kBeam, widest));
  if (found.search.no_repeat_ngram == 0) asked.no_repeat_ngram = kNgram;
  return asked;
}

DecodingOptions ScoringOptions(const DecodingOptions& asked, int positions) {
  DecodingOptions options;
  options.profile = asked.profile;
  options.penalty = asked.penalty;
  options.length_penalty = asked.length_penalty;
  options.beam_size = positions;
  options.num_alternatives = 1;
  return options;
}

kernels::SearchOptions SearchForScoring(const SearchSettings& settings, int tokens, int free) {
  const kernels::SearchOptions& all = settings.search;
  kernels::SearchOptions o;
  o.beam = all.beam;
  o.max_tokens = tokens;
  o.eos = all.eos;
  std::ranges::copy(all.more_eos, o.more_eos);
  o.more_eos_count = all.more_eos_count;
  o.free_prefix = free;
  o.penalty = all.penalty;
  o.length_penalty = all.length_penalty;
  return o;
}

void WidenBeam(const SearchSettings& settings, int beam, kernels::SearchOptions* search) {
  beam = std::min(beam, settings.widest_beam);
  if (beam <= search->beam) return;
  search->beam = beam;
  if (settings.penalises_greedy_logits) search->penalise_logits = false;
  search->row_cost = RowCost(*search);
}

void WantOneHypothesis(kernels::SearchOptions* search) {
  search->num_alternatives = 1;
  if (search->sampling.enabled) search->beam = 1;
}

}  // namespace dragoman::engine
