// Input: the bytes of a TranslateRequest or a ScoreRequest. Checks the parsers, the explanation of a
// refusal, and the promises of an accepted job.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/api/glossary_terms.h"
#include "engine/base/utf8.h"
#include "server/call/request_error.h"
#include "server/call/request_parser.h"
#include "server/call/rpc_status.h"

namespace dragoman {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

void CheckPhraseOf(const std::string& text) {
  Check(!engine::ProblemOfTerm(engine::StripWhiteSpace(text)).has_value());
}

void CheckDecoding(const engine::TranslationJob& job) {
  const engine::DecodingOptions& o = job.decoding;
  engine::VisitNumbers(o, [](const char*, const NumberRange& range, const auto& number) {
    Check(!number.has_value() || range.Contains(*number));
  });
  for (const int head : o.alignment_heads) Check(head >= 0);
  Check(o.required_phrases.size() <= size_t{OptionNamed("required_phrases").most});
  for (const engine::RequiredPhrase& phrase : o.required_phrases) CheckPhraseOf(phrase.text);
  Check(o.forbidden_phrases.size() <= size_t{OptionNamed("forbidden_phrases").most});
  for (const std::string& phrase : o.forbidden_phrases) CheckPhraseOf(phrase);
  if (o.sampling.has_value()) {
    Check(o.beam_size.value_or(1) == 1 && !o.pruning.any() && !job.returns.partials);
  } else {
    Check(!o.beam_size.has_value() || o.num_alternatives.value_or(1) <= *o.beam_size);
  }
  Check(o.min_output_tokens.value_or(0) <= o.max_output_tokens.value_or(1'000'000));
  const bool constrained = !o.required_phrases.empty() || !job.terms.empty() ||
                           !job.glossary.empty() || !job.do_not_translate.empty();
  Check(!constrained ||
        (!o.finalisation.has_value() && !o.pruning.any() && !o.sampling.has_value()));
}

void CheckTexts(const engine::TranslationJob& job) {
  Check(job.terms.size() <= static_cast<size_t>(server::kMaxTerms));
  for (const engine::TermRequest& term : job.terms) {
    CheckPhraseOf(term.source);
    CheckPhraseOf(term.target);
  }
  Check(job.do_not_translate.size() <= static_cast<size_t>(server::kMaxTerms));
  for (const std::string& phrase : job.do_not_translate) CheckPhraseOf(phrase);
  Check(job.target_prefixes.empty() || job.target_prefixes.size() == job.contents.size());
  Check(job.targets.empty() || job.targets.size() == job.contents.size());
  for (const auto& target : job.targets) Check(!engine::FirstInvalidUtf8(target).has_value());
  Check(!job.glossary_ignore_case || !job.glossary.empty());
  Check(job.format == engine::TextFormat::kPlain ||
        (!job.returns.partials && !job.returns.segments && job.target_prefixes.empty()));
}

void CheckJob(const server::ParsedRequest& request, const server::RequestLimits& limits) {
  const engine::TranslationJob& job = request.job;
  Check(!job.contents.empty() && static_cast<int>(job.contents.size()) <= limits.max_items);
  Check(request.code_points <= limits.max_code_points);
  for (const auto& item : job.contents) Check(!engine::FirstInvalidUtf8(item).has_value());
  Check(job.request_id.empty() || server::IsValidRequestId(job.request_id));
  Check(request.labels.size() <= static_cast<size_t>(server::kMaxLabels));
  CheckDecoding(job);
  CheckTexts(job);
}

void CheckParsed(const server::ParsedRequest& request, const server::RequestLimits& limits) {
  switch (request.status.code()) {
    case absl::StatusCode::kOk:
      CheckJob(request, limits);
      break;
    case absl::StatusCode::kInvalidArgument:
      Check(!server::ViolationsOf(request.status).empty());
      break;
    default:
      Check(request.status.code() == absl::StatusCode::kUnimplemented);
  }
  // A refusal is sent in headers, whose size is limited.
  Check(server::ToRpcStatus(request.status).ByteSizeLong() < 8192);
  Check(!server::LoggableMessage(request.status).empty() || request.status.ok());
}

void Run(std::string_view bytes) {
  const server::RequestLimits limits{8, 256};
  for (const server::CallKind kind : {server::CallKind::kUnary, server::CallKind::kStream}) {
    CheckParsed(server::ParseTranslateRequest(bytes, limits, kind), limits);
  }
  CheckParsed(server::ParseScoreRequest(bytes, limits), limits);
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool quiet = [] {
    google::protobuf::SetLogHandler(nullptr);
    return true;
  }();
  (void)quiet;
  dragoman::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
