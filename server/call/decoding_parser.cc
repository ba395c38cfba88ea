// Defines ReadDecoding (request_parser.h).
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "options/decoding_options.h"
#include "server/call/request_parser.h"
#include "server/call/violations.h"

namespace dragoman::server {
namespace {

using WireOptions = v1::DecodingOptions;

// The value on the wire and the value in the engine of each enum. A table has the name of its
// option, so that the macros below can build the table's name.
struct Choices {
  static constexpr EnumPair<WireOptions::Penalty, kernels::LengthPenalty> penalty[] = {
      {WireOptions::POWER, kernels::LengthPenalty::kPower},
      {WireOptions::GNMT, kernels::LengthPenalty::kGnmt}};
  static constexpr EnumPair<WireOptions::StopRule, kernels::StopRule> stop_rule[] = {
      {WireOptions::FIRST_K, kernels::StopRule::kFirstK},
      {WireOptions::HEURISTIC, kernels::StopRule::kHeuristic},
      {WireOptions::NEVER, kernels::StopRule::kNever},
      {WireOptions::ALL_BEAMS, kernels::StopRule::kAllBeams}};
  static constexpr EnumPair<WireOptions::Finalisation, kernels::Finalisation> finalisation[] = {
      {WireOptions::IMMEDIATE, kernels::Finalisation::kImmediate},
      {WireOptions::ON_BEAM, kernels::Finalisation::kOnBeam},
      {WireOptions::KEEP, kernels::Finalisation::kKeep}};
  static constexpr auto& profile = kProfilePairs;
  static constexpr EnumPair<WireOptions::ForcedEos, kernels::ForcedEos> forced_eos[] = {
      {WireOptions::MODEL, kernels::ForcedEos::kModel},
      {WireOptions::ZERO, kernels::ForcedEos::kZero},
      {WireOptions::NONE, kernels::ForcedEos::kNone}};
  static constexpr EnumPair<WireOptions::ConstraintAllocation, kernels::Allocation>
      constraint_allocation[] = {{WireOptions::STRIPE, kernels::Allocation::kStripe},
                                 {WireOptions::BANKS, kernels::Allocation::kBanks}};
  static constexpr EnumPair<WireOptions::TermPlacement, engine::TermPlacement> term_placement[] = {
      {WireOptions::ANYWHERE, engine::TermPlacement::kAnywhere},
      {WireOptions::ALIGNED, engine::TermPlacement::kAligned}};
};

// Reads numbers and enums without checking ranges.
void ReadPlainFields(const WireOptions& in, engine::DecodingOptions* out, Violations* violations) {
#define DRAGOMAN_NUMBER(type, name, ...) \
  if (in.has_##name()) out->name = in.name();
#define DRAGOMAN_PRUNING_NUMBER(type, name, ...) \
  if (in.pruning().has_##name()) out->pruning.name = in.pruning().name();
#define DRAGOMAN_CHOICE(type, name, ...) \
  out->name = ReadEnum(in.name(), Choices::name, "decoding." #name, violations);
#include "options/decoding_options.inc"

  if (!in.has_sampling()) return;
  out->sampling.emplace();
#define DRAGOMAN_SAMPLING_NUMBER(type, name, ...) \
  if (in.sampling().has_##name()) out->sampling->name = in.sampling().name();
#include "options/decoding_options.inc"
}

void ReadPhrases(const WireOptions& in, engine::DecodingOptions* out, Violations* violations) {
  const bool few = CheckCount(in.required_phrases_size(), OptionNamed("required_phrases").most,
                              "decoding.required_phrases", violations);
  std::optional<int> at_end;
  for (int i = 0; few && i < in.required_phrases_size(); ++i) {
    const v1::RequiredPhrase& phrase = in.required_phrases(i);
    const std::string field = absl::StrCat("decoding.required_phrases[", i, "]");
    CheckPhrase(phrase.text(), field + ".text", violations);
    if (phrase.at_end() && at_end.has_value()) {
      violations->Invalid(field + ".at_end",
                          absl::StrCat("found a second phrase at the end besides decoding."
                                       "required_phrases[",
                                       *at_end, "], expected at most one"));
    }
    if (phrase.at_end()) at_end = i;
    out->required_phrases.push_back(
        {std::string(engine::StripWhiteSpace(phrase.text())), phrase.at_end()});
  }
  const bool few_forbidden =
      CheckCount(in.forbidden_phrases_size(), OptionNamed("forbidden_phrases").most,
                 "decoding.forbidden_phrases", violations);
  for (int i = 0; few_forbidden && i < in.forbidden_phrases_size(); ++i) {
    CheckPhrase(in.forbidden_phrases(i), absl::StrCat("decoding.forbidden_phrases[", i, "]"),
                violations);
    out->forbidden_phrases.emplace_back(engine::StripWhiteSpace(in.forbidden_phrases(i)));
  }
}

}  // namespace

engine::DecodingOptions ReadDecoding(const v1::DecodingOptions& in, Violations* violations) {
  engine::DecodingOptions out;
  ReadPlainFields(in, &out, violations);
  ReadPhrases(in, &out, violations);
  if (CheckCount(in.alignment_heads_size(), OptionNamed("alignment_heads").most,
                 "decoding.alignment_heads", violations)) {
    out.alignment_heads.assign(in.alignment_heads().begin(), in.alignment_heads().end());
  }
  violations->Invalid(engine::TakeOutOfRange(&out));
  return out;
}

}  // namespace dragoman::server
