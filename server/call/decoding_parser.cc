#include "server/call/decoding_parser.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "options/decoding_options.h"

namespace dragoman {
namespace {

using Wire = v1::DecodingOptions;

// The values of each enum, by the name of its option.
struct Choices {
  static constexpr EnumPair<Wire::Penalty, LengthPenalty> penalty[] = {
      {Wire::POWER, LengthPenalty::kPower}, {Wire::GNMT, LengthPenalty::kGnmt}};
  static constexpr EnumPair<Wire::StopRule, StopRule> stop_rule[] = {
      {Wire::FIRST_K, StopRule::kFirstK},
      {Wire::HEURISTIC, StopRule::kHeuristic},
      {Wire::NEVER, StopRule::kNever},
      {Wire::ALL_BEAMS, StopRule::kAllBeams}};
  static constexpr EnumPair<Wire::Finalisation, Finalisation> finalisation[] = {
      {Wire::IMMEDIATE, Finalisation::kImmediate},
      {Wire::ON_BEAM, Finalisation::kOnBeam},
      {Wire::KEEP, Finalisation::kKeep}};
  static constexpr EnumPair<Wire::Profile, Profile> profile[] = {
      {Wire::HF, Profile::kHf},
      {Wire::CT2, Profile::kCt2},
      {Wire::MARIAN, Profile::kMarian},
      {Wire::PAPER, Profile::kPaper},
      {Wire::ARTICLE, Profile::kArticle}};
  static constexpr EnumPair<Wire::ForcedEos, ForcedEos> forced_eos[] = {
      {Wire::MODEL, ForcedEos::kModel},
      {Wire::ZERO, ForcedEos::kZero},
      {Wire::NONE, ForcedEos::kNone}};
  static constexpr EnumPair<Wire::ConstraintAllocation, Allocation> constraint_allocation[] = {
      {Wire::STRIPE, Allocation::kStripe}, {Wire::BANKS, Allocation::kBanks}};
};

// Numbers and enums, whatever they are.
void ReadPlainFields(const Wire& in, DecodingOptions* out, Findings* findings) {
#define DRAGOMAN_NUMBER(type, name, ...) \
  if (in.has_##name()) out->name = in.name();
#define DRAGOMAN_PRUNING_NUMBER(type, name, ...) \
  if (in.pruning().has_##name()) out->pruning.name = in.pruning().name();
#define DRAGOMAN_CHOICE(type, name, ...) \
  out->name = ReadEnum(in.name(), Choices::name, "decoding." #name, findings);
#include "options/decoding_options.inc"

  if (!in.has_sampling()) return;
  out->sampling.emplace();
#define DRAGOMAN_SAMPLING_NUMBER(type, name, ...) \
  if (in.sampling().has_##name()) out->sampling->name = in.sampling().name();
#include "options/decoding_options.inc"
}

void ReadPhrases(const Wire& in, DecodingOptions* out, Findings* findings) {
  const bool few = CheckCount(in.required_phrases_size(), OptionNamed("required_phrases").most,
                              "decoding.required_phrases", findings);
  std::optional<int> at_end;
  for (int i = 0; few && i < in.required_phrases_size(); ++i) {
    const v1::RequiredPhrase& phrase = in.required_phrases(i);
    const std::string field = absl::StrCat("decoding.required_phrases[", i, "]");
    CheckPhrase(phrase.text(), field + ".text", findings);
    if (phrase.at_end() && at_end.has_value()) {
      findings->Invalid(field + ".at_end",
                        absl::StrCat("found a second phrase at the end besides decoding."
                                     "required_phrases[",
                                     *at_end, "], expected at most one"));
    }
    if (phrase.at_end()) at_end = i;
    out->required_phrases.push_back({std::string(StripWhiteSpace(phrase.text())), phrase.at_end()});
  }
  const bool few_forbidden =
      CheckCount(in.forbidden_phrases_size(), OptionNamed("forbidden_phrases").most,
                 "decoding.forbidden_phrases", findings);
  for (int i = 0; few_forbidden && i < in.forbidden_phrases_size(); ++i) {
    CheckPhrase(in.forbidden_phrases(i), absl::StrCat("decoding.forbidden_phrases[", i, "]"),
                findings);
    out->forbidden_phrases.emplace_back(StripWhiteSpace(in.forbidden_phrases(i)));
  }
}

}  // namespace

DecodingOptions ReadDecoding(const v1::DecodingOptions& in, Findings* findings) {
  DecodingOptions out;
  ReadPlainFields(in, &out, findings);
  ReadPhrases(in, &out, findings);
  if (CheckCount(in.alignment_heads_size(), OptionNamed("alignment_heads").most,
                 "decoding.alignment_heads", findings)) {
    out.alignment_heads.assign(in.alignment_heads().begin(), in.alignment_heads().end());
  }
  findings->Invalid(TakeOutOfRange(&out));
  return out;
}

}  // namespace dragoman
