// Parses the bytes of a TranslateRequest into a job for the engine, or reports all errors in them.
//
// Checks everything that does not depend on the model: that the bytes are a message in UTF-8, the
// limits, the range of every option, and options that contradict each other
// (engine/api/option_rules.h). Refuses a request with an option that the job cannot have, instead
// of ignoring the option. The engine checks the job again, with the model and the profile in
// effect.
//
// Pure functions, thread-safe. Lengths of text are Unicode code points unless they say bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "dragoman/v1/translation.pb.h"
#include "engine/api/engine.h"
#include "server/call/violations.h"

namespace dragoman::server {

inline constexpr int kMaxRequestIdLength = 128;
inline constexpr int kMaxLabels = 64;
inline constexpr int kMaxLabelBytes = 128;
inline constexpr int kMaxLanguageCodeBytes = 64;
inline constexpr int kMaxModelNameBytes = 256;
inline constexpr int kMaxGlossaryNameBytes = 256;
inline constexpr int kMaxTerms = 1024;  // also for do_not_translate
// The source language, in any case of letters, that asks for detection of each item's language.
inline constexpr char kDetectedSource[] = "auto";

// Settings of the server.
struct RequestLimits {
  int max_items = 1024;
  int64_t max_code_points = 30'000;
};

enum class CallKind { kUnary, kStream };

struct ParsedRequest {
  absl::Status status;  // OK, INVALID_ARGUMENT or UNIMPLEMENTED
  // These two are also set for a refused request if they could be read. The log shows them.
  int items = 0;
  std::vector<std::pair<std::string, std::string>> labels;
  // The fields below are valid if the status is OK. job.request_id is also set for a refused
  // request, if the client's id is valid. "" means not given.
  std::string model;
  bool timings = false;
  int64_t code_points = 0;
  // If true, the languages of the items have to be detected, and job.source_language is "".
  bool detect_source = false;
  engine::TranslationJob job;
};

ParsedRequest ParseTranslateRequest(std::string_view bytes, const RequestLimits& limits,
                                    CallKind kind);
// Does what ParseTranslateRequest does, but takes a message that an API adapter made. REQUIRES: the
// strings of the message are UTF-8.
ParsedRequest ReadTranslateRequest(v1::TranslateRequest in, const RequestLimits& limits,
                                   CallKind kind);

// Parses the bytes of a ScoreRequest in the same way. The job has `targets`.
ParsedRequest ParseScoreRequest(std::string_view bytes, const RequestLimits& limits);

// Converts the decoding options. Adds every value that is out of its range to `violations`, and
// leaves it unset in the result. engine/api/option_rules.h checks combinations of options. The
// engine checks values that depend on the model (layers, heads, rows).
engine::DecodingOptions ReadDecoding(const v1::DecodingOptions& in, Violations* violations);

// The profiles on the wire and in the engine.
inline constexpr EnumPair<v1::DecodingOptions::Profile, engine::Profile> kProfilePairs[] = {
    {v1::DecodingOptions::HF, engine::Profile::kHf},
    {v1::DecodingOptions::CT2, engine::Profile::kCt2},
    {v1::DecodingOptions::MARIAN, engine::Profile::kMarian},
    {v1::DecodingOptions::PAPER, engine::Profile::kPaper},
    {v1::DecodingOptions::ARTICLE, engine::Profile::kArticle}};

// The following checks are for requests of several methods. They add errors to `violations`.
// CheckContents returns the number of code points.
int64_t CheckContents(const google::protobuf::RepeatedPtrField<std::string>& contents,
                      const RequestLimits& limits, Violations* violations);
engine::TextFormat ReadFormat(const std::string& mime_type, Violations* violations);
void CheckModelName(const std::string& model, Violations* violations);

// Returns the reason under which metrics count a request that the parser refused.
engine::RejectReason ReasonOf(const absl::Status& refusal);

// Reports whether `id` has 1 to 128 characters, all of them printable ASCII.
bool IsValidRequestId(std::string_view id);

}  // namespace dragoman::server
