#include "server/call/request_parser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "dragoman/v1/translation.pb.h"
#include "engine/api/option_rules.h"
#include "engine/base/utf8.h"
#include "server/base/quoted.h"
#include "server/call/violations.h"
#include "server/call/wire_check.h"

namespace dragoman::server {
namespace {

constexpr EnumPair<v1::Segmentation::Split, engine::SplitMode> kSplits[] = {
    {v1::Segmentation::NONE, engine::SplitMode::kNone},
    {v1::Segmentation::SENTENCES, engine::SplitMode::kSentences},
    {v1::Segmentation::LINES, engine::SplitMode::kLines}};
constexpr EnumPair<v1::Segmentation::OnTooLong, engine::OnTooLong> kOnTooLong[] = {
    {v1::Segmentation::REJECT, engine::OnTooLong::kReject},
    {v1::Segmentation::SPLIT, engine::OnTooLong::kSplit}};
constexpr EnumPair<v1::Priority, engine::Priority> kPriorities[] = {
    {v1::INTERACTIVE, engine::Priority::kInteractive},
    {v1::NORMAL, engine::Priority::kNormal},
    {v1::BULK, engine::Priority::kBulk}};

constexpr EnumPair<v1::TranslateRequest::Guard, engine::Guard> kGuards[] = {
    {v1::TranslateRequest::WARN, engine::Guard::kWarn},
    {v1::TranslateRequest::RETRY, engine::Guard::kRetry},
    {v1::TranslateRequest::OFF, engine::Guard::kOff}};

std::string ReadLanguage(const std::string& code, const char* field, Violations* violations) {
  const bool fine = code.size() <= static_cast<size_t>(kMaxLanguageCodeBytes) &&
                    std::all_of(code.begin(), code.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '-' || c == '_';
                    });
  if (!fine) {
    violations->Invalid(field, absl::StrCat("found ", Quoted(code), ", expected at most ",
                                            kMaxLanguageCodeBytes, " of letters, digits, - and _"));
  }
  return code;
}

engine::ReturnOptions ReadReturns(const v1::ReturnOptions& in, CallKind kind,
                                  Violations* violations) {
  engine::ReturnOptions out;
  out.scores = in.scores();
  out.tokens = in.tokens();
  out.token_scores = in.token_scores();
  out.alignment = in.alignment();
  out.partials = in.partials();
  out.segments = kind == CallKind::kStream;
  if (in.partials() && kind == CallKind::kUnary) {
    violations->Invalid("return_options.partials",
                        "found with Translate, expected StreamTranslate");
  }
  return out;
}

// Request is TranslateRequest or ScoreRequest.
template <typename Request>
void ReadNames(const Request& in, ParsedRequest* out, Violations* violations) {
  CheckModelName(in.model(), violations);
  out->model = in.model();
  if (in.request_id().empty() || IsValidRequestId(in.request_id())) {
    out->job.request_id = in.request_id();
  } else {
    violations->Invalid("request_id",
                        absl::StrCat("found ", Quoted(in.request_id()), ", expected at most ",
                                     kMaxRequestIdLength, " printable ASCII characters"));
  }
  if (in.labels_size() > kMaxLabels) {
    violations->Invalid(
        "labels", absl::StrCat("found ", in.labels_size(), ", expected at most ", kMaxLabels));
    return;
  }
  for (const auto& [key, value] : in.labels()) {
    if (std::max(key.size(), value.size()) > static_cast<size_t>(kMaxLabelBytes)) {
      violations->Invalid(
          "labels", absl::StrCat("found a key or value of ", std::max(key.size(), value.size()),
                                 " bytes, expected at most ", kMaxLabelBytes));
      return;
    }
    out->labels.emplace_back(key, value);
  }
  std::sort(out->labels.begin(), out->labels.end());
}

void ReadTerms(const v1::TranslateRequest& in, engine::TranslationJob* job,
               Violations* violations) {
  const bool few = CheckCount(in.terms_size(), kMaxTerms, "terms", violations);
  for (int i = 0; few && i < in.terms_size(); ++i) {
    const v1::Term& term = in.terms(i);
    const std::string field = absl::StrCat("terms[", i, "]");
    CheckPhrase(term.source(), field + ".source", violations);
    CheckPhrase(term.target(), field + ".target", violations);
    job->terms.push_back({term.source(), term.target(), term.ignore_case()});
  }
  const bool few_kept =
      CheckCount(in.do_not_translate_size(), kMaxTerms, "do_not_translate", violations);
  for (int i = 0; few_kept && i < in.do_not_translate_size(); ++i) {
    CheckPhrase(in.do_not_translate(i), absl::StrCat("do_not_translate[", i, "]"), violations);
    job->do_not_translate.push_back(in.do_not_translate(i));
  }
  if (in.has_preserve()) job->preserve = in.preserve();
  if (in.has_recase()) job->recase = in.recase();
  const v1::GlossaryConfig& glossary = in.glossary_config();
  if (glossary.glossary().size() > static_cast<size_t>(kMaxGlossaryNameBytes)) {
    violations->Invalid("glossary_config.glossary",
                        absl::StrCat("found ", glossary.glossary().size(),
                                     " bytes, expected at most ", kMaxGlossaryNameBytes));
  }
  if (glossary.ignore_case() && glossary.glossary().empty()) {
    violations->Invalid("glossary_config.ignore_case",
                        "found without glossary_config.glossary, expected a name with it");
  }
  job->glossary = glossary.glossary();
  job->glossary_ignore_case = glossary.ignore_case();
}

void ReadTargetPrefixes(const v1::TranslateRequest& in, const RequestLimits& limits,
                        engine::TranslationJob* job, Violations* violations) {
  if (in.target_prefixes_size() == 0) return;
  if (in.target_prefixes_size() != in.contents_size()) {
    violations->Invalid("target_prefixes",
                        absl::StrCat("found ", in.target_prefixes_size(), ", expected ",
                                     in.contents_size(), ", one for each item, or none"));
  }
  int64_t code_points = 0;
  for (const std::string& prefix : in.target_prefixes())
    code_points += engine::CountCodePoints(prefix);
  if (code_points > limits.max_code_points) {
    violations->Invalid("target_prefixes",
                        absl::StrCat("found ", code_points, " code points, expected at most ",
                                     limits.max_code_points, " in all"));
  }
  // If all prefixes are empty, they have no effect.
  if (code_points > 0) {
    job->target_prefixes.assign(in.target_prefixes().begin(), in.target_prefixes().end());
  }
}

}  // namespace

int64_t CheckContents(const google::protobuf::RepeatedPtrField<std::string>& contents,
                      const RequestLimits& limits, Violations* violations) {
  if (contents.empty() || contents.size() > limits.max_items) {
    violations->Invalid("contents", absl::StrCat("found ", contents.size(), " items, expected 1..",
                                                 limits.max_items));
  }
  int64_t code_points = 0;
  for (const std::string& text : contents) code_points += engine::CountCodePoints(text);
  if (code_points > limits.max_code_points) {
    violations->Invalid("contents",
                        absl::StrCat("found ", code_points, " code points, expected at most ",
                                     limits.max_code_points, " in all items"));
  }
  return code_points;
}

engine::TextFormat ReadFormat(const std::string& mime_type, Violations* violations) {
  using engine::TextFormat;
  if (mime_type.empty()) return TextFormat::kPlain;
  for (const auto format : {TextFormat::kPlain, TextFormat::kHtml, TextFormat::kMarkdown}) {
    if (mime_type == engine::MimeTypeOf(format)) return format;
  }
  violations->Invalid("mime_type",
                      absl::StrCat("found ", Quoted(mime_type),
                                   ", expected text/plain, text/html or text/markdown"));
  return TextFormat::kPlain;
}

void CheckModelName(const std::string& model, Violations* violations) {
  if (model.size() <= static_cast<size_t>(kMaxModelNameBytes)) return;
  violations->Invalid("model", absl::StrCat("found ", model.size(), " bytes, expected at most ",
                                            kMaxModelNameBytes));
}

engine::RejectReason ReasonOf(const absl::Status& refusal) {
  return refusal.code() == absl::StatusCode::kUnimplemented ? engine::RejectReason::kUnsupported
                                                            : engine::RejectReason::kInvalid;
}

bool IsValidRequestId(std::string_view id) {
  return !id.empty() && id.size() <= static_cast<size_t>(kMaxRequestIdLength) &&
         std::all_of(id.begin(), id.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

ParsedRequest ParseTranslateRequest(std::string_view bytes, const RequestLimits& limits,
                                    CallKind kind) {
  v1::TranslateRequest in;
  absl::Status parsed = ParseMessage(bytes, &in);
  if (!parsed.ok()) return {.status = std::move(parsed)};
  return ReadTranslateRequest(std::move(in), limits, kind);
}

ParsedRequest ParseScoreRequest(std::string_view bytes, const RequestLimits& limits) {
  ParsedRequest out;
  v1::ScoreRequest in;
  out.status = ParseMessage(bytes, &in);
  if (!out.status.ok()) return out;
  Violations violations;
  violations.Unimplemented(UnknownFields(in));
  out.items = in.pairs_size();
  if (in.pairs().empty() || in.pairs_size() > limits.max_items) {
    violations.Invalid("pairs",
                       absl::StrCat("found ", in.pairs_size(), ", expected 1..", limits.max_items));
  }
  engine::TranslationJob& job = out.job;
  int64_t targets = 0;
  for (v1::ScoreRequest::Pair& pair : *in.mutable_pairs()) {
    out.code_points += engine::CountCodePoints(pair.source());
    targets += engine::CountCodePoints(pair.target());
    job.contents.push_back(std::move(*pair.mutable_source()));
    job.targets.push_back(std::move(*pair.mutable_target()));
  }
  if (const int64_t most = std::max(out.code_points, targets); most > limits.max_code_points) {
    violations.Invalid("pairs", absl::StrCat("found ", most, " code points in all ",
                                             most == targets ? "targets" : "sources",
                                             ", expected at most ", limits.max_code_points));
  }
  ReadNames(in, &out, &violations);
  job.source_language =
      ReadLanguage(in.source_language_code(), "source_language_code", &violations);
  job.target_language =
      ReadLanguage(in.target_language_code(), "target_language_code", &violations);
  if (absl::EqualsIgnoreCase(job.source_language, kDetectedSource)) {
    violations.Invalid("source_language_code", "found \"auto\", expected a language");
  }
  job.decoding = ReadDecoding(in.decoding(), &violations);
  engine::VisitOptions(job.decoding, [&](const DecodingOption& option, const auto& member) {
    const bool acts =
        option.name == "profile" || option.name == "penalty" || option.name == "length_penalty";
    if (acts || !engine::IsGiven(member)) return;
    violations.Invalid(absl::StrCat("decoding.", std::string(option.name)),
                       "found with Score, expected profile, penalty and length_penalty alone");
  });
  job.priority = ReadEnum(in.priority(), kPriorities, "priority", &violations)
                     .value_or(engine::Priority::kNormal);
  job.returns.scores = job.returns.token_scores = true;
  job.returns.tokens = in.return_tokens();
  out.status = violations.Status();
  return out;
}

ParsedRequest ReadTranslateRequest(v1::TranslateRequest in, const RequestLimits& limits,
                                   CallKind kind) {
  ParsedRequest out;
  Violations violations;
  violations.Unimplemented(UnknownFields(in));
  out.items = in.contents_size();
  out.code_points = CheckContents(in.contents(), limits, &violations);
  ReadNames(in, &out, &violations);
  engine::TranslationJob& job = out.job;
  job.format = ReadFormat(in.mime_type(), &violations);
  job.source_language =
      ReadLanguage(in.source_language_code(), "source_language_code", &violations);
  job.target_language =
      ReadLanguage(in.target_language_code(), "target_language_code", &violations);
  if (absl::EqualsIgnoreCase(job.source_language, kDetectedSource)) {
    job.source_language.clear();
    out.detect_source = true;
  }
  ReadTerms(in, &job, &violations);
  ReadTargetPrefixes(in, limits, &job, &violations);
  job.decoding = ReadDecoding(in.decoding(), &violations);
  const v1::Segmentation& segmentation = in.segmentation();
  job.split = ReadEnum(segmentation.split(), kSplits, "segmentation.split", &violations)
                  .value_or(engine::SplitMode::kUnset);
  job.on_too_long =
      ReadEnum(segmentation.on_too_long(), kOnTooLong, "segmentation.on_too_long", &violations)
          .value_or(engine::OnTooLong::kSplit);
  job.priority = ReadEnum(in.priority(), kPriorities, "priority", &violations)
                     .value_or(engine::Priority::kNormal);
  job.guard = ReadEnum(in.guard(), kGuards, "guard", &violations).value_or(engine::Guard::kWarn);
  if (job.guard == engine::Guard::kRetry && kind == CallKind::kStream) {
    violations.Invalid("guard",
                       "found RETRY, expected WARN: a stream cannot take back what it has sent");
  }
  if (job.guard == engine::Guard::kRetry && in.decoding().has_sampling()) {
    violations.Invalid("guard",
                       "found RETRY with decoding.sampling, expected WARN: a draw is not repeated");
  }
  job.returns = ReadReturns(in.return_options(), kind, &violations);
  out.timings = in.return_options().timings();
  violations.Invalid(engine::CheckOptionsTogether(job.decoding, engine::ContextOf(job)));
  violations.Invalid(engine::CheckMarkup(job));
  // The places of tags are known only when the item is complete, so no segments are sent.
  if (job.format != engine::TextFormat::kPlain) job.returns.segments = false;
  out.status = violations.Status();
  if (!out.status.ok()) return out;
  job.contents.assign(std::make_move_iterator(in.mutable_contents()->begin()),
                      std::make_move_iterator(in.mutable_contents()->end()));
  return out;
}

}  // namespace dragoman::server
