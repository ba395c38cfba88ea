#include "server/request_parser.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "dragoman/v1/translation.pb.h"
#include "engine/text/utf8.h"
#include "server/quoted.h"
#include "server/request_error.h"
#include "server/wire_check.h"

namespace dragoman {
namespace {

constexpr int kMaxTokensOption = 1'000'000;

// Collects everything that is wrong, so that a caller learns it at once.
class Findings {
 public:
  void Invalid(std::string field, std::string description) {
    violations_.push_back({std::move(field), std::move(description)});
  }

  // A feature that is not there was asked for.
  void Unimplemented(bool asked, const char* field) {
    if (asked) unimplemented_.emplace_back(field);
  }

  void Unknown(std::vector<std::string> names) {
    for (auto& name : names) unimplemented_.push_back(std::move(name));
  }

  // What is invalid is said first: it stays invalid on a server that has the feature.
  absl::Status Status() const {
    if (!violations_.empty()) return InvalidFields(violations_);
    if (!unimplemented_.empty()) return UnimplementedFields(unimplemented_);
    return absl::OkStatus();
  }

 private:
  std::vector<FieldViolation> violations_;
  std::vector<std::string> unimplemented_;
};

std::optional<int> Int(bool set, int value, int low, int high, const char* field,
                       Findings* findings) {
  if (!set) return std::nullopt;
  if (value < low || value > high) {
    findings->Invalid(field, absl::StrCat("found ", value, ", expected ", low, "..", high));
  }
  return value;
}

std::optional<float> Float(bool set, float value, float low, float high, const char* field,
                           Findings* findings) {
  if (!set) return std::nullopt;
  if (!(value >= low && value <= high)) {  // NaN as well
    findings->Invalid(field, absl::StrCat("found ", value, ", expected ", low, "..", high));
  }
  return value;
}

// False for a number that the enum does not have, which is then reported.
template <typename E>
bool KnownEnum(E value, const char* field, Findings* findings) {
  const auto* type = google::protobuf::GetEnumDescriptor<E>();
  if (type->FindValueByNumber(value) != nullptr) return true;
  std::string names;
  for (int i = 1; i < type->value_count(); ++i) {
    absl::StrAppend(&names, i == 1 ? "" : ", ", type->value(i)->name());
  }
  findings->Invalid(field,
                    absl::StrCat("found number ", static_cast<int>(value), ", expected ", names));
  return false;
}

void ReadStopRule(const v1::DecodingOptions& in, DecodingOptions* out, Findings* findings) {
  if (KnownEnum(in.stop_rule(), "decoding.stop_rule", findings)) {
    switch (in.stop_rule()) {
      case v1::DecodingOptions::FIRST_K:
        out->stop_rule = StopRule::kFirstK;
        break;
      case v1::DecodingOptions::HEURISTIC:
        out->stop_rule = StopRule::kHeuristic;
        break;
      case v1::DecodingOptions::NEVER:
        out->stop_rule = StopRule::kNever;
        break;
      case v1::DecodingOptions::ALL_BEAMS:
        findings->Unimplemented(true, "decoding.stop_rule ALL_BEAMS");
        break;
      default:
        break;
    }
  }
  out->patience = Float(in.has_patience(), in.patience(), std::numeric_limits<float>::min(), 64.0F,
                        "decoding.patience", findings);
  if (in.has_patience() && in.stop_rule() != v1::DecodingOptions::FIRST_K) {
    findings->Invalid("decoding.patience",
                      "found with another decoding.stop_rule, expected FIRST_K with it");
  }
}

void ReadForcedEos(const v1::DecodingOptions& in, DecodingOptions* out, Findings* findings) {
  if (!KnownEnum(in.forced_eos(), "decoding.forced_eos", findings)) return;
  switch (in.forced_eos()) {
    case v1::DecodingOptions::MODEL:
      out->forced_eos = ForcedEos::kModel;
      break;
    case v1::DecodingOptions::ZERO:
      out->forced_eos = ForcedEos::kZero;
      break;
    case v1::DecodingOptions::NONE:
      out->forced_eos = ForcedEos::kNone;
      break;
    default:
      break;
  }
}

void ReadLengths(const v1::DecodingOptions& in, DecodingOptions* out, Findings* findings) {
  out->max_output_tokens = Int(in.has_max_output_tokens(), in.max_output_tokens(), 1,
                               kMaxTokensOption, "decoding.max_output_tokens", findings);
  out->max_length_ratio = Float(in.has_max_length_ratio(), in.max_length_ratio(), 0.0F, 1000.0F,
                                "decoding.max_length_ratio", findings);
  out->max_length_extra = Int(in.has_max_length_extra(), in.max_length_extra(), 0, kMaxTokensOption,
                              "decoding.max_length_extra", findings);
  out->min_output_tokens = Int(in.has_min_output_tokens(), in.min_output_tokens(), 0,
                               kMaxTokensOption, "decoding.min_output_tokens", findings);
  if (out->max_length_ratio == 0.0F && out->max_length_extra == 0) {
    findings->Invalid(
        "decoding.max_length_ratio",
        "found 0 together with decoding.max_length_extra 0, expected room for a token");
  }
  if (in.has_max_output_tokens() && in.has_min_output_tokens() &&
      in.min_output_tokens() > in.max_output_tokens()) {
    findings->Invalid(
        "decoding.min_output_tokens",
        absl::StrCat("found ", in.min_output_tokens(), ", expected at most ",
                     in.max_output_tokens(), ", which is decoding.max_output_tokens"));
  }
}

// Options whose feature is not there. What asks for nothing (the neutral value) is let through.
void RefuseMissingDecoding(const v1::DecodingOptions& in, Findings* findings) {
  using D = v1::DecodingOptions;
  if (KnownEnum(in.penalty(), "decoding.penalty", findings)) {
    findings->Unimplemented(in.penalty() == D::GNMT, "decoding.penalty GNMT");
  }
  if (KnownEnum(in.finalisation(), "decoding.finalisation", findings)) {
    findings->Unimplemented(in.finalisation() == D::ON_BEAM, "decoding.finalisation ON_BEAM");
    findings->Unimplemented(in.finalisation() == D::KEEP, "decoding.finalisation KEEP");
  }
  if (KnownEnum(in.profile(), "decoding.profile", findings)) {
    findings->Unimplemented(in.profile() == D::CT2, "decoding.profile CT2");
    findings->Unimplemented(in.profile() == D::MARIAN, "decoding.profile MARIAN");
    findings->Unimplemented(in.profile() == D::PAPER, "decoding.profile PAPER");
    findings->Unimplemented(in.profile() == D::ARTICLE, "decoding.profile ARTICLE");
  }
  const bool known_allocation =
      KnownEnum(in.constraint_allocation(), "decoding.constraint_allocation", findings);
  findings->Unimplemented(
      known_allocation && in.constraint_allocation() != D::CONSTRAINT_ALLOCATION_UNSPECIFIED,
      "decoding.constraint_allocation");
  findings->Unimplemented(in.no_repeat_ngram() != 0, "decoding.no_repeat_ngram");
  findings->Unimplemented(in.has_repetition_penalty() && in.repetition_penalty() != 1.0F,
                          "decoding.repetition_penalty");
  findings->Unimplemented(in.pruning().has_absolute_delta(), "decoding.pruning.absolute_delta");
  findings->Unimplemented(in.pruning().has_relative(), "decoding.pruning.relative");
  findings->Unimplemented(in.pruning().has_max_candidates(), "decoding.pruning.max_candidates");
  findings->Unimplemented(in.required_phrases_size() > 0, "decoding.required_phrases");
  findings->Unimplemented(in.forbidden_phrases_size() > 0, "decoding.forbidden_phrases");
  findings->Unimplemented(in.has_constraint_prune(), "decoding.constraint_prune");
  findings->Unimplemented(in.has_alignment_layer(), "decoding.alignment_layer");
  findings->Unimplemented(in.alignment_heads_size() > 0, "decoding.alignment_heads");
  findings->Unimplemented(in.eos_penalty() != 0.0F, "decoding.eos_penalty");
  findings->Unimplemented(in.has_temperature() && in.temperature() != 1.0F, "decoding.temperature");
  findings->Unimplemented(in.has_sampling(), "decoding.sampling");
}

DecodingOptions ReadDecoding(const v1::DecodingOptions& in, Findings* findings) {
  DecodingOptions out;
  out.beam_size =
      Int(in.has_beam_size(), in.beam_size(), 1, kMaxBeam, "decoding.beam_size", findings);
  out.num_alternatives = Int(in.has_num_alternatives(), in.num_alternatives(), 1, kMaxBeam,
                             "decoding.num_alternatives", findings);
  out.length_penalty = Float(in.has_length_penalty(), in.length_penalty(), -10.0F, 10.0F,
                             "decoding.length_penalty", findings);
  ReadStopRule(in, &out, findings);
  ReadForcedEos(in, &out, findings);
  ReadLengths(in, &out, findings);
  RefuseMissingDecoding(in, findings);
  return out;
}

void ReadSegmentation(const v1::Segmentation& in, TranslationJob* job, Findings* findings) {
  if (KnownEnum(in.split(), "segmentation.split", findings)) {
    switch (in.split()) {
      case v1::Segmentation::NONE:
        job->split = SplitMode::kNone;
        break;
      case v1::Segmentation::SENTENCES:
        job->split = SplitMode::kSentences;
        break;
      case v1::Segmentation::LINES:
        job->split = SplitMode::kLines;
        break;
      default:
        job->split = SplitMode::kUnset;
        break;
    }
  }
  if (KnownEnum(in.on_too_long(), "segmentation.on_too_long", findings)) {
    job->on_too_long =
        in.on_too_long() == v1::Segmentation::REJECT ? OnTooLong::kReject : OnTooLong::kSplit;
  }
}

Priority ReadPriority(v1::Priority in, Findings* findings) {
  if (!KnownEnum(in, "priority", findings)) return Priority::kNormal;
  switch (in) {
    case v1::INTERACTIVE:
      return Priority::kInteractive;
    case v1::BULK:
      return Priority::kBulk;
    default:
      return Priority::kNormal;
  }
}

std::string ReadLanguage(const std::string& code, const char* field, Findings* findings) {
  const bool fine = code.size() <= static_cast<size_t>(kMaxLanguageCodeBytes) &&
                    std::all_of(code.begin(), code.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '-' || c == '_';
                    });
  if (!fine) {
    findings->Invalid(field, absl::StrCat("found ", Quoted(code), ", expected at most ",
                                          kMaxLanguageCodeBytes, " of letters, digits, - and _"));
  }
  return code;
}

ReturnOptions ReadReturns(const v1::ReturnOptions& in, CallKind kind, Findings* findings) {
  ReturnOptions out;
  out.scores = in.scores();
  out.tokens = in.tokens();
  out.token_scores = in.token_scores();
  out.partials = in.partials();
  out.segments = kind == CallKind::kStream;
  findings->Unimplemented(in.alignment(), "return_options.alignment");
  if (in.partials() && kind == CallKind::kUnary) {
    findings->Invalid("return_options.partials", "found with Translate, expected StreamTranslate");
  }
  return out;
}

void ReadContents(const v1::TranslateRequest& in, const RequestLimits& limits, ParsedRequest* out,
                  Findings* findings) {
  out->items = in.contents_size();
  if (in.contents_size() < 1 || in.contents_size() > limits.max_items) {
    findings->Invalid("contents", absl::StrCat("found ", in.contents_size(), " items, expected 1..",
                                               limits.max_items));
  }
  for (const std::string& text : in.contents()) out->code_points += CountCodePoints(text);
  if (out->code_points > limits.max_code_points) {
    findings->Invalid("contents",
                      absl::StrCat("found ", out->code_points, " code points, expected at most ",
                                   limits.max_code_points, " in all items"));
  }
}

void ReadNames(const v1::TranslateRequest& in, ParsedRequest* out, Findings* findings) {
  if (in.model().size() > static_cast<size_t>(kMaxModelNameBytes)) {
    findings->Invalid("model", absl::StrCat("found ", in.model().size(),
                                            " bytes, expected at most ", kMaxModelNameBytes));
  }
  out->model = in.model();
  if (in.request_id().empty() || IsValidRequestId(in.request_id())) {
    out->job.request_id = in.request_id();
  } else {
    findings->Invalid("request_id",
                      absl::StrCat("found ", Quoted(in.request_id()), ", expected at most ",
                                   kMaxRequestIdLength, " printable ASCII characters"));
  }
  if (in.labels_size() > kMaxLabels) {
    findings->Invalid("labels",
                      absl::StrCat("found ", in.labels_size(), ", expected at most ", kMaxLabels));
    return;
  }
  for (const auto& [key, value] : in.labels()) {
    if (std::max(key.size(), value.size()) > static_cast<size_t>(kMaxLabelBytes)) {
      findings->Invalid("labels",
                        absl::StrCat("found a key or value of ", std::max(key.size(), value.size()),
                                     " bytes, expected at most ", kMaxLabelBytes));
      return;
    }
    out->labels.emplace_back(key, value);
  }
  std::sort(out->labels.begin(), out->labels.end());
}

void ReadMimeType(const std::string& mime_type, Findings* findings) {
  findings->Unimplemented(mime_type == "text/html", "mime_type text/html");
  if (!mime_type.empty() && mime_type != "text/plain" && mime_type != "text/html") {
    findings->Invalid("mime_type",
                      absl::StrCat("found ", Quoted(mime_type), ", expected text/plain"));
  }
}

}  // namespace

bool IsValidRequestId(std::string_view id) {
  return !id.empty() && id.size() <= static_cast<size_t>(kMaxRequestIdLength) &&
         std::all_of(id.begin(), id.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

ParsedRequest ParseTranslateRequest(std::string_view bytes, const RequestLimits& limits,
                                    CallKind kind) {
  ParsedRequest out;
  v1::TranslateRequest in;
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    out.status = ExplainUnparsable(*v1::TranslateRequest::descriptor(), bytes);
    return out;
  }
  Findings findings;
  findings.Unknown(UnknownFields(in));
  ReadContents(in, limits, &out, &findings);
  ReadNames(in, &out, &findings);
  ReadMimeType(in.mime_type(), &findings);
  TranslationJob& job = out.job;
  job.source_language = ReadLanguage(in.source_language_code(), "source_language_code", &findings);
  job.target_language = ReadLanguage(in.target_language_code(), "target_language_code", &findings);
  findings.Unimplemented(in.has_glossary_config(), "glossary_config");
  findings.Unimplemented(in.do_not_translate_size() > 0, "do_not_translate");
  findings.Unimplemented(in.terms_size() > 0, "terms");
  findings.Unimplemented(in.target_prefixes_size() > 0, "target_prefixes");
  job.decoding = ReadDecoding(in.decoding(), &findings);
  ReadSegmentation(in.segmentation(), &job, &findings);
  job.priority = ReadPriority(in.priority(), &findings);
  job.returns = ReadReturns(in.return_options(), kind, &findings);
  out.timings = in.return_options().timings();
  out.status = findings.Status();
  if (!out.status.ok()) return out;
  job.items.assign(std::make_move_iterator(in.mutable_contents()->begin()),
                   std::make_move_iterator(in.mutable_contents()->end()));
  return out;
}

absl::Status CheckAgainstModel(const ParsedRequest& request, const ModelInfo& model) {
  const DecodingOptions& decoding = request.job.decoding;
  std::vector<FieldViolation> violations;
  const int max_beam = std::min(model.max_beam, model.max_rows);
  const int beam = decoding.beam_size.value_or(model.default_beam);
  if (beam > max_beam) {
    violations.push_back(
        {"decoding.beam_size", absl::StrCat("found ", beam, ", expected at most ", max_beam,
                                            ", the rows of this server's batch")});
  }
  if (decoding.num_alternatives.value_or(1) > beam) {
    violations.push_back({"decoding.num_alternatives",
                          absl::StrCat("found ", *decoding.num_alternatives, ", expected at most ",
                                       beam, ", which is decoding.beam_size")});
  }
  if (decoding.patience.has_value() &&
      std::floor(static_cast<float>(beam) * *decoding.patience + 0.5F) < 1.0F) {
    violations.push_back({"decoding.patience",
                          absl::StrCat("found ", *decoding.patience, " with decoding.beam_size ",
                                       beam, ", expected a product that rounds to at least 1")});
  }
  return violations.empty() ? absl::OkStatus() : InvalidFields(violations);
}

const std::vector<std::string>& UnimplementedRequestFields() {
  static const auto* const kFields = new std::vector<std::string>{"mime_type text/html",
                                                                  "glossary_config",
                                                                  "do_not_translate",
                                                                  "terms",
                                                                  "target_prefixes",
                                                                  "return_options.alignment",
                                                                  "decoding.penalty GNMT",
                                                                  "decoding.stop_rule ALL_BEAMS",
                                                                  "decoding.finalisation ON_BEAM",
                                                                  "decoding.finalisation KEEP",
                                                                  "decoding.profile CT2",
                                                                  "decoding.profile MARIAN",
                                                                  "decoding.profile PAPER",
                                                                  "decoding.profile ARTICLE",
                                                                  "decoding.no_repeat_ngram",
                                                                  "decoding.repetition_penalty",
                                                                  "decoding.pruning",
                                                                  "decoding.required_phrases",
                                                                  "decoding.forbidden_phrases",
                                                                  "decoding.constraint_prune",
                                                                  "decoding.constraint_allocation",
                                                                  "decoding.alignment_layer",
                                                                  "decoding.alignment_heads",
                                                                  "decoding.eos_penalty",
                                                                  "decoding.temperature",
                                                                  "decoding.sampling"};
  return *kFields;
}

}  // namespace dragoman
