#include "server/call/option_rules.h"

#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace dragoman {
namespace {

void Conflict(const char* field, const std::string& other, const std::string& why,
              Findings* findings) {
  findings->Invalid(field,
                    absl::StrCat("found together with ", other, ", expected one of them: ", why));
}

// What of the request makes constraints of a search; nullptr without any.
const char* ConstrainingField(const TranslationJob& job) {
  if (!job.decoding.required_phrases.empty()) return "decoding.required_phrases";
  if (!job.terms.empty()) return "terms";
  if (!job.glossary.empty()) return "glossary_config";
  if (!job.do_not_translate.empty()) return "do_not_translate";
  return nullptr;
}

// K of FIRST_K; none where the beam is not known from the request.
std::optional<float> FirstK(const DecodingOptions& o) {
  if (!o.beam_size.has_value() || !o.patience.has_value()) return std::nullopt;
  return std::floor(static_cast<float>(*o.beam_size) * *o.patience + 0.5F);
}

void CheckConstraints(const DecodingOptions& o, const char* constraints, Findings* findings) {
  if (o.finalisation.has_value()) {
    Conflict("decoding.finalisation", constraints, "constrained search has its own finishing",
             findings);
  }
  // Early stopping at the first complete hypothesis is offered.
  const bool may_be_early = o.stop_rule == StopRule::kFirstK && o.patience.has_value() &&
                            FirstK(o).value_or(1.0F) <= 1.0F;
  if ((o.stop_rule.has_value() || o.patience.has_value()) && !may_be_early) {
    Conflict(o.stop_rule.has_value() ? "decoding.stop_rule" : "decoding.patience", constraints,
             "only FIRST_K with a decoding.patience of 1 / decoding.beam_size goes with it, which "
             "stops at the first complete hypothesis",
             findings);
  }
  if (o.pruning.any()) {
    Conflict("decoding.pruning", constraints, "decoding.constraint_prune is its threshold",
             findings);
  }
  if (o.sampling.has_value()) {
    Conflict("decoding.sampling", constraints, "a draw cannot be made to meet it", findings);
  }
}

// The finalisation if the request settles it, by itself or by its profile.
std::optional<Finalisation> KnownFinalisation(const DecodingOptions& o) {
  if (o.finalisation.has_value() || !o.profile.has_value()) return o.finalisation;
  switch (*o.profile) {
    case Profile::kPaper:
      return Finalisation::kOnBeam;
    case Profile::kArticle:
      return Finalisation::kKeep;
    case Profile::kHf:
    case Profile::kCt2:
    case Profile::kMarian:
      break;
  }
  return Finalisation::kImmediate;
}

void CheckStopping(const DecodingOptions& o, Findings* findings) {
  const std::optional<Finalisation> finalisation = KnownFinalisation(o);
  if (finalisation.has_value() && *finalisation != Finalisation::kImmediate) {
    const std::string other =
        o.finalisation.has_value()
            ? absl::StrCat("decoding.finalisation ",
                           *finalisation == Finalisation::kOnBeam ? "ON_BEAM" : "KEEP")
            : absl::StrCat("decoding.profile ",
                           *o.profile == Profile::kPaper ? "PAPER" : "ARTICLE");
    if (o.stop_rule.has_value()) {
      Conflict("decoding.stop_rule", other, "stop rules are those of finalisation IMMEDIATE",
               findings);
    } else if (o.patience.has_value()) {
      Conflict("decoding.patience", other, "patience is of stop_rule FIRST_K", findings);
    }
    return;
  }
  if (!o.patience.has_value()) return;
  if (o.stop_rule.has_value() && *o.stop_rule != StopRule::kFirstK) {
    findings->Invalid("decoding.patience",
                      "found with another decoding.stop_rule, expected FIRST_K with it");
  } else if (!o.stop_rule.has_value() && o.profile == Profile::kMarian) {
    findings->Invalid("decoding.patience",
                      "found with decoding.profile MARIAN, whose decoding.stop_rule is ALL_BEAMS; "
                      "expected FIRST_K with it");
  }
}

void CheckNumbers(const DecodingOptions& o, Findings* findings) {
  if (FirstK(o).value_or(1.0F) < 1.0F) {
    findings->Invalid("decoding.patience",
                      absl::StrCat("found ", *o.patience, " with decoding.beam_size ", *o.beam_size,
                                   ", expected a product that rounds to at least 1"));
  }
  if (o.max_length_ratio == 0.0F && o.max_length_extra == 0) {
    findings->Invalid(
        "decoding.max_length_ratio",
        "found 0 together with decoding.max_length_extra 0, expected room for a token");
  }
  if (o.max_output_tokens.has_value() && o.min_output_tokens.has_value() &&
      *o.min_output_tokens > *o.max_output_tokens) {
    findings->Invalid("decoding.min_output_tokens",
                      absl::StrCat("found ", *o.min_output_tokens, ", expected at most ",
                                   *o.max_output_tokens, ", which is decoding.max_output_tokens"));
  }
  if (!o.sampling.has_value() && o.beam_size.has_value() &&
      o.num_alternatives.value_or(1) > *o.beam_size) {
    findings->Invalid("decoding.num_alternatives",
                      absl::StrCat("found ", *o.num_alternatives, ", expected at most ",
                                   *o.beam_size, ", which is decoding.beam_size"));
  }
}

void CheckSampling(const TranslationJob& job, Findings* findings) {
  const DecodingOptions& o = job.decoding;
  if (!o.sampling.has_value()) return;
  if (o.beam_size.value_or(1) > 1) {
    Conflict("decoding.sampling", absl::StrCat("decoding.beam_size ", *o.beam_size),
             "decoding.num_alternatives is the number of draws", findings);
  }
  if (o.pruning.any()) {
    Conflict("decoding.sampling", "decoding.pruning", "there is no beam to prune", findings);
  }
  if (o.stop_rule.has_value() || o.patience.has_value()) {
    Conflict("decoding.sampling",
             o.stop_rule.has_value() ? "decoding.stop_rule" : "decoding.patience",
             "a draw ends with its first end of sentence", findings);
  }
  if (job.returns.partials) {
    Conflict("decoding.sampling", "return_options.partials", "a draw has no settled prefix",
             findings);
  }
}

void CheckHtml(const TranslationJob& job, Findings* findings) {
  if (!job.html) return;
  if (job.returns.partials) {
    Conflict("mime_type", "return_options.partials",
             "a tag of text/html has its place only once its item is whole", findings);
  }
  if (!job.target_prefixes.empty()) {
    Conflict("mime_type", "target_prefixes", "text/html is translated in parts", findings);
  }
}

}  // namespace

void CheckOptionsTogether(const TranslationJob& job, Findings* findings) {
  if (const char* constraints = ConstrainingField(job)) {
    CheckConstraints(job.decoding, constraints, findings);
  } else {
    CheckStopping(job.decoding, findings);
  }
  CheckNumbers(job.decoding, findings);
  CheckSampling(job, findings);
  CheckHtml(job, findings);
}

}  // namespace dragoman
