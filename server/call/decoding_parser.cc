#include "server/call/decoding_parser.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "options/decoding_options.h"

namespace dragoman {
namespace {

using WireOptions = v1::DecodingOptions;

// The values of each enum, by the name of its option.
struct Choices {
  static constexpr EnumPair<WireOptions::Penalty, LengthPenalty> penalty[] = {
      {WireOptions::POWER, LengthPenalty::kPower}, {WireOptions::GNMT, LengthPenalty::kGnmt}};
  static constexpr EnumPair<WireOptions::StopRule, StopRule> stop_rule[] = {
      {WireOptions::FIRST_K, StopRule::kFirstK},
      {WireOptions::HEURISTIC, StopRule::kHeuristic},
      {WireOptions::NEVER, StopRule::kNever},
      {WireOptions::ALL_BEAMS, StopRule::kAllBeams}};
  static constexpr EnumPair<WireOptions::Finalisation, Finalisation> finalisation[] = {
      {WireOptions::IMMEDIATE, Finalisation::kImmediate},
      {WireOptions::ON_BEAM, Finalisation::kOnBeam},
      {WireOptions::KEEP, Finalisation::kKeep}};
  static constexpr EnumPair<WireOptions::Profile, Profile> profile[] = {
      {WireOptions::HF, Profile::kHf},
      {WireOptions::CT2, Profile::kCt2},
      {WireOptions::MARIAN, Profile::kMarian},
      {WireOptions::PAPER, Profile::kPaper},
      {WireOptions::ARTICLE, Profile::kArticle}};
  static constexpr EnumPair<WireOptions::ForcedEos, ForcedEos> forced_eos[] = {
      {WireOptions::MODEL, ForcedEos::kModel},
      {WireOptions::ZERO, ForcedEos::kZero},
      {WireOptions::NONE, ForcedEos::kNone}};
  static constexpr EnumPair<WireOptions::ConstraintAllocation, Allocation> constraint_allocation[] =
      {{WireOptions::STRIPE, Allocation::kStripe}, {WireOptions::BANKS, Allocation::kBanks}};
};

// Numbers and enums, whatever they are.
void ReadPlainFields(const WireOptions& in, DecodingOptions* out, Findings* findings) {
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

void ReadPhrases(const WireOptions& in, DecodingOptions* out, Findings* findings) {
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
