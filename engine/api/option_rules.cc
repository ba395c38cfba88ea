#include "engine/api/option_rules.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/api/profiles.h"

namespace dragoman::engine {
namespace {

using Errors = std::vector<FieldError>;

FieldError Error(std::string field, std::string found, std::string expected) {
  FieldError error;
  error.field = std::move(field);
  error.found = std::move(found);
  error.expected = std::move(expected);
  return error;
}

// Returns the number K of complete hypotheses after which stop rule FIRST_K ends a search: beam *
// patience, rounded. nullopt if the beam or the patience is not known.
std::optional<float> FirstK(std::optional<int> beam_size, std::optional<float> patience) {
  if (!beam_size.has_value() || !patience.has_value()) return std::nullopt;
  return std::floor(static_cast<float>(*beam_size) * *patience + 0.5F);
}

const char* StoppingField(const DecodingOptions& o) {
  return o.stop_rule.has_value() ? "decoding.stop_rule" : "decoding.patience";
}

void CheckConstraints(const DecodingOptions& o, const OptionContext& context, Errors* errors) {
  const char* constraints = context.constraints;
  if (o.finalisation.has_value()) {
    errors->push_back(Contradiction("decoding.finalisation", constraints,
                                    "constrained search has its own finishing"));
  }
  // FIRST_K with K = 1, which stops at the first complete hypothesis, is allowed with constraints.
  const bool may_be_early = o.stop_rule == kernels::StopRule::kFirstK && o.patience.has_value() &&
                            FirstK(context.beam_size, o.patience).value_or(1.0F) <= 1.0F;
  if ((o.stop_rule.has_value() || o.patience.has_value()) && !may_be_early) {
    errors->push_back(
        Contradiction(StoppingField(o), constraints,
                      "only FIRST_K with a decoding.patience of 1 / decoding.beam_size goes with "
                      "it, which stops at the first complete hypothesis"));
  }
  if (o.pruning.any()) {
    errors->push_back(Contradiction("decoding.pruning", constraints,
                                    "decoding.constraint_prune is its threshold"));
  }
  if (o.sampling.has_value()) {
    errors->push_back(
        Contradiction("decoding.sampling", constraints, "a draw cannot be made to meet it"));
  }
}

// Returns the name of the profile for a message; the server's if the request has none.
std::string ProfileInEffect(const DecodingOptions& o) {
  if (!o.profile.has_value()) return "the server's decoding.profile";
  switch (*o.profile) {
    case Profile::kHf:
      return "decoding.profile HF";
    case Profile::kCt2:
      return "decoding.profile CT2";
    case Profile::kMarian:
      return "decoding.profile MARIAN";
    case Profile::kPaper:
      return "decoding.profile PAPER";
    case Profile::kArticle:
      break;
  }
  return "decoding.profile ARTICLE";
}

void CheckStopping(const DecodingOptions& o, const OptionContext& context, Errors* errors) {
  if (context.finalisation.value_or(kernels::Finalisation::kImmediate) !=
      kernels::Finalisation::kImmediate) {
    const std::string other =
        o.finalisation.has_value()
            ? absl::StrCat("decoding.finalisation ",
                           *o.finalisation == kernels::Finalisation::kOnBeam ? "ON_BEAM" : "KEEP")
            : ProfileInEffect(o);
    if (o.stop_rule.has_value()) {
      errors->push_back(Contradiction("decoding.stop_rule", other,
                                      "stop rules apply to decoding.finalisation IMMEDIATE only"));
    } else if (o.patience.has_value()) {
      errors->push_back(Contradiction("decoding.patience", other,
                                      "patience applies to decoding.stop_rule FIRST_K only"));
    }
    return;
  }
  if (!o.patience.has_value()) return;
  if (context.stop_rule.value_or(kernels::StopRule::kFirstK) == kernels::StopRule::kFirstK) return;
  FieldError error = Error("decoding.patience", "", "decoding.stop_rule FIRST_K");
  if (o.stop_rule.has_value()) {
    error.other = "decoding.stop_rule";
    error.found = "it with another decoding.stop_rule";
  } else {
    error.other = ProfileInEffect(o);
    error.found = absl::StrCat("it with the decoding.stop_rule of ", error.other);
  }
  errors->push_back(std::move(error));
}

void CheckNumbersTogether(const DecodingOptions& o, const OptionContext& context, Errors* errors) {
  if (FirstK(context.beam_size, o.patience).value_or(1.0F) < 1.0F) {
    const char* const beam =
        o.beam_size.has_value() ? " with decoding.beam_size " : " with the beam size in effect, ";
    errors->push_back(Error("decoding.patience",
                            absl::StrCat(*o.patience, beam, *context.beam_size),
                            "a product that rounds to at least 1"));
  }
  if (o.max_length_ratio == 0.0F && o.max_length_extra == 0) {
    errors->push_back(Error("decoding.max_length_ratio",
                            "0 together with decoding.max_length_extra 0", "room for a token"));
  }
  if (o.max_output_tokens.has_value() && o.min_output_tokens.has_value() &&
      *o.min_output_tokens > *o.max_output_tokens) {
    errors->push_back(Error(
        "decoding.min_output_tokens", absl::StrCat(*o.min_output_tokens),
        absl::StrCat("at most ", *o.max_output_tokens, ", which is decoding.max_output_tokens")));
  }
  if (!o.sampling.has_value() && o.beam_size.has_value() &&
      o.num_alternatives.value_or(1) > *o.beam_size) {
    errors->push_back(
        Error("decoding.num_alternatives", absl::StrCat(*o.num_alternatives),
              absl::StrCat("at most ", *o.beam_size, ", which is decoding.beam_size")));
  }
}

void CheckSampling(const DecodingOptions& o, const OptionContext& context, Errors* errors) {
  if (!o.sampling.has_value()) return;
  const auto conflict = [errors](std::string other, std::string why) {
    errors->push_back(Contradiction("decoding.sampling", std::move(other), std::move(why)));
  };
  if (o.beam_size.value_or(1) > 1) {
    conflict(absl::StrCat("decoding.beam_size ", *o.beam_size),
             "decoding.num_alternatives is the number of draws");
  }
  if (o.pruning.any()) conflict("decoding.pruning", "there is no beam to prune");
  if (o.stop_rule.has_value() || o.patience.has_value()) {
    conflict(StoppingField(o), "a draw ends with its first end of sentence");
  }
  if (context.partials) conflict("return_options.partials", "a draw has no settled prefix");
}

}  // namespace

const char* ConstrainingField(const TranslationJob& job) {
  if (!job.decoding.required_phrases.empty()) return "decoding.required_phrases";
  if (!job.terms.empty()) return "terms";
  if (!job.glossary.empty()) return "glossary_config";
  if (!job.do_not_translate.empty()) return "do_not_translate";
  return nullptr;
}

OptionContext ContextOf(const TranslationJob& job) {
  const DecodingOptions& o = job.decoding;
  OptionContext context;
  context.constraints = ConstrainingField(job);
  context.partials = job.returns.partials;
  context.beam_size = o.beam_size;
  if (o.profile.has_value()) {
    context.finalisation = ConstantsOf(*o.profile).finalisation;
    context.stop_rule = ConstantsOf(*o.profile).stop_rule;
  }
  if (o.finalisation.has_value()) context.finalisation = o.finalisation;
  if (o.stop_rule.has_value()) context.stop_rule = o.stop_rule;
  return context;
}

std::vector<FieldError> CheckOptionsTogether(const DecodingOptions& options,
                                             const OptionContext& context) {
  Errors errors;
  if (context.constraints != nullptr) {
    CheckConstraints(options, context, &errors);
  } else {
    CheckStopping(options, context, &errors);
  }
  CheckNumbersTogether(options, context, &errors);
  if (options.term_placement == TermPlacement::kAligned && context.partials) {
    errors.push_back(Contradiction("decoding.term_placement ALIGNED", "return_options.partials",
                                   "a second search may replace what was shown"));
  }
  CheckSampling(options, context, &errors);
  return errors;
}

std::optional<FieldError> CheckWidth(const DecodingOptions& options, int max_rows) {
  // Without beam_size the beam is at least num_alternatives. For sampling, num_alternatives is the
  // number of draws.
  const bool draws = options.sampling.has_value() || !options.beam_size.has_value();
  const int asked = (draws ? options.num_alternatives : options.beam_size).value_or(1);
  const NumberRange range{NumberRange::Kind::kBetween, 1, std::min(kernels::kMaxBeam, max_rows)};
  if (asked <= range.high) return std::nullopt;
  return OutOfRange(draws ? "decoding.num_alternatives" : "decoding.beam_size", asked, range,
                    "the rows of this server's batch");
}

std::vector<FieldError> CheckMarkup(const TranslationJob& job) {
  Errors errors;
  if (job.format == TextFormat::kPlain) return errors;
  const std::string type(MimeTypeOf(job.format));
  if (job.returns.partials) {
    errors.push_back(Contradiction(
        "mime_type", "return_options.partials",
        absl::StrCat("a tag of ", type, " has its place only once its item is whole")));
  }
  if (std::ranges::any_of(job.target_prefixes, [](const auto& text) { return !text.empty(); })) {
    errors.push_back(Contradiction("mime_type", "target_prefixes",
                                   absl::StrCat(type, " is translated in parts")));
  }
  return errors;
}

}  // namespace dragoman::engine
