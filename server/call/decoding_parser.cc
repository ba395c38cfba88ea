#include "server/call/decoding_parser.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"

namespace dragoman {
namespace {

using Wire = v1::DecodingOptions;

constexpr int kMaxTokensOption = 1'000'000;
constexpr int kMaxLengthExtra = 100'000;

constexpr EnumPair<Wire::Penalty, LengthPenalty> kPenalties[] = {
    {Wire::POWER, LengthPenalty::kPower}, {Wire::GNMT, LengthPenalty::kGnmt}};
constexpr EnumPair<Wire::StopRule, StopRule> kStopRules[] = {
    {Wire::FIRST_K, StopRule::kFirstK},
    {Wire::HEURISTIC, StopRule::kHeuristic},
    {Wire::NEVER, StopRule::kNever},
    {Wire::ALL_BEAMS, StopRule::kAllBeams}};
constexpr EnumPair<Wire::Finalisation, Finalisation> kFinalisations[] = {
    {Wire::IMMEDIATE, Finalisation::kImmediate},
    {Wire::ON_BEAM, Finalisation::kOnBeam},
    {Wire::KEEP, Finalisation::kKeep}};
constexpr EnumPair<Wire::Profile, Profile> kProfiles[] = {{Wire::HF, Profile::kHf},
                                                          {Wire::CT2, Profile::kCt2},
                                                          {Wire::MARIAN, Profile::kMarian},
                                                          {Wire::PAPER, Profile::kPaper},
                                                          {Wire::ARTICLE, Profile::kArticle}};
constexpr EnumPair<Wire::ForcedEos, ForcedEos> kForcedEos[] = {{Wire::MODEL, ForcedEos::kModel},
                                                               {Wire::ZERO, ForcedEos::kZero},
                                                               {Wire::NONE, ForcedEos::kNone}};
constexpr EnumPair<Wire::ConstraintAllocation, Allocation> kAllocations[] = {
    {Wire::STRIPE, Allocation::kStripe}, {Wire::BANKS, Allocation::kBanks}};

void ReadSearch(const Wire& in, DecodingOptions* out, Findings* findings) {
  out->profile = ReadEnum(in.profile(), kProfiles, "decoding.profile", findings);
  out->beam_size =
      ReadInt(in.has_beam_size(), in.beam_size(), 1, kMaxBeam, "decoding.beam_size", findings);
  out->num_alternatives = ReadInt(in.has_num_alternatives(), in.num_alternatives(), 1, kMaxBeam,
                                  "decoding.num_alternatives", findings);
  out->length_penalty = ReadFloat(in.has_length_penalty(), in.length_penalty(), -10.0F, 10.0F,
                                  "decoding.length_penalty", findings);
  out->penalty = ReadEnum(in.penalty(), kPenalties, "decoding.penalty", findings);
  out->finalisation =
      ReadEnum(in.finalisation(), kFinalisations, "decoding.finalisation", findings);
  out->stop_rule = ReadEnum(in.stop_rule(), kStopRules, "decoding.stop_rule", findings);
  out->patience =
      ReadFloatAboveZero(in.has_patience(), in.patience(), 64.0F, "decoding.patience", findings);
  out->forced_eos = ReadEnum(in.forced_eos(), kForcedEos, "decoding.forced_eos", findings);
}

void ReadLengths(const Wire& in, DecodingOptions* out, Findings* findings) {
  out->max_output_tokens = ReadInt(in.has_max_output_tokens(), in.max_output_tokens(), 1,
                                   kMaxTokensOption, "decoding.max_output_tokens", findings);
  out->max_length_ratio = ReadFloat(in.has_max_length_ratio(), in.max_length_ratio(), 0.0F, 1000.0F,
                                    "decoding.max_length_ratio", findings);
  out->max_length_extra = ReadInt(in.has_max_length_extra(), in.max_length_extra(), 0,
                                  kMaxLengthExtra, "decoding.max_length_extra", findings);
  out->min_output_tokens = ReadInt(in.has_min_output_tokens(), in.min_output_tokens(), 0,
                                   kMaxTokensOption, "decoding.min_output_tokens", findings);
}

void ReadScoreChanges(const Wire& in, DecodingOptions* out, Findings* findings) {
  out->no_repeat_ngram = ReadIntFrom(in.has_no_repeat_ngram(), in.no_repeat_ngram(), 0,
                                     "decoding.no_repeat_ngram", findings);
  out->repetition_penalty = ReadFloatAboveZero(in.has_repetition_penalty(), in.repetition_penalty(),
                                               100.0F, "decoding.repetition_penalty", findings);
  out->eos_penalty = ReadFloatAboveZero(in.has_eos_penalty(), in.eos_penalty(), 1.0F,
                                        "decoding.eos_penalty", findings);
  out->temperature = ReadFloatAboveZero(in.has_temperature(), in.temperature(), 100.0F,
                                        "decoding.temperature", findings);
}

void ReadPruning(const v1::Pruning& in, Pruning* out, Findings* findings) {
  out->absolute_delta = ReadFloatFromZero(in.has_absolute_delta(), in.absolute_delta(),
                                          "decoding.pruning.absolute_delta", findings);
  out->relative = ReadFloatAboveZero(in.has_relative(), in.relative(), 1.0F,
                                     "decoding.pruning.relative", findings);
  out->max_candidates = ReadIntFrom(in.has_max_candidates(), in.max_candidates(), 1,
                                    "decoding.pruning.max_candidates", findings);
}

void ReadPhrases(const Wire& in, DecodingOptions* out, Findings* findings) {
  const bool few = CheckCount(in.required_phrases_size(), kMaxRequiredPhrases,
                              "decoding.required_phrases", findings);
  std::optional<int> at_end;
  for (int i = 0; few && i < in.required_phrases_size(); ++i) {
    const v1::RequiredPhrase& phrase = in.required_phrases(i);
    const std::string field = absl::StrCat("decoding.required_phrases[", i, "]");
    CheckPhrase(phrase.text(), field + ".text", findings);
    if (phrase.at_end() && at_end.has_value()) {
      findings->Invalid(field + ".at_end", absl::StrCat("found a second one, beside decoding."
                                                        "required_phrases[",
                                                        *at_end, "], expected one at most"));
    }
    if (phrase.at_end()) at_end = i;
    out->required_phrases.push_back({std::string(StripWhiteSpace(phrase.text())), phrase.at_end()});
  }
  const bool few_forbidden = CheckCount(in.forbidden_phrases_size(), kMaxForbiddenPhrases,
                                        "decoding.forbidden_phrases", findings);
  for (int i = 0; few_forbidden && i < in.forbidden_phrases_size(); ++i) {
    CheckPhrase(in.forbidden_phrases(i), absl::StrCat("decoding.forbidden_phrases[", i, "]"),
                findings);
    out->forbidden_phrases.emplace_back(StripWhiteSpace(in.forbidden_phrases(i)));
  }
  out->constraint_prune = ReadFloatFromZero(in.has_constraint_prune(), in.constraint_prune(),
                                            "decoding.constraint_prune", findings);
  out->constraint_allocation = ReadEnum(in.constraint_allocation(), kAllocations,
                                        "decoding.constraint_allocation", findings);
}

void ReadAlignment(const Wire& in, DecodingOptions* out, Findings* findings) {
  out->alignment_layer = ReadIntFrom(in.has_alignment_layer(), in.alignment_layer(), 0,
                                     "decoding.alignment_layer", findings);
  if (!CheckCount(in.alignment_heads_size(), kMaxAlignmentHeads, "decoding.alignment_heads",
                  findings)) {
    return;
  }
  for (int i = 0; i < in.alignment_heads_size(); ++i) {
    const std::string field = absl::StrCat("decoding.alignment_heads[", i, "]");
    ReadIntFrom(true, in.alignment_heads(i), 0, field.c_str(), findings);
    out->alignment_heads.push_back(in.alignment_heads(i));
  }
}

Sampling ReadSampling(const v1::Sampling& in, Findings* findings) {
  Sampling out;
  out.top_k = ReadIntFrom(in.has_top_k(), in.top_k(), 0, "decoding.sampling.top_k", findings);
  out.top_p =
      ReadFloatAboveZero(in.has_top_p(), in.top_p(), 1.0F, "decoding.sampling.top_p", findings);
  if (in.has_seed()) out.seed = in.seed();
  return out;
}

}  // namespace

DecodingOptions ReadDecoding(const v1::DecodingOptions& in, Findings* findings) {
  DecodingOptions out;
  ReadSearch(in, &out, findings);
  ReadLengths(in, &out, findings);
  ReadScoreChanges(in, &out, findings);
  ReadPruning(in.pruning(), &out.pruning, findings);
  ReadPhrases(in, &out, findings);
  ReadAlignment(in, &out, findings);
  if (in.has_sampling()) out.sampling = ReadSampling(in.sampling(), findings);
  return out;
}

}  // namespace dragoman
