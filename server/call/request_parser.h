// The bytes of a TranslateRequest -> a job for the engine, or all that is wrong with them.
//
// Everything that the bytes alone show is checked here and in what it is made of: that they are a
// message and UTF-8, the limits, every option's range (decoding_parser.h), and options that
// contradict each other (engine/api/option_rules.h). No option is ever dropped in silence: what is
// not carried into the job is refused. The engine checks again, with the model and the profile in
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
inline constexpr int kMaxTerms = 1024;  // also of do_not_translate
// The source language, in any case, with which the language of each item is detected.
inline constexpr char kDetectedSource[] = "auto";

// Settings of the server.
struct RequestLimits {
  int max_items = 1024;
  int64_t max_code_points = 30'000;
};

enum class CallKind { kUnary, kStream };

struct ParsedRequest {
  absl::Status status;  // OK, INVALID_ARGUMENT or UNIMPLEMENTED
  // Also set for a refused request, as far as they could be read: for the log.
  int items = 0;
  std::vector<std::pair<std::string, std::string>> labels;
  // Valid with an OK status; job.request_id is set wherever it is acceptable. "" = not given.
  std::string model;
  bool timings = false;
  int64_t code_points = 0;
  // The items' languages are to be detected; job.source_language is "".
  bool detect_source = false;
  engine::TranslationJob job;
};

ParsedRequest ParseTranslateRequest(std::string_view bytes, const RequestLimits& limits,
                                    CallKind kind);
// The same for a message that was made here, from another dialect. REQUIRES: its strings are UTF-8.
ParsedRequest ReadTranslateRequest(v1::TranslateRequest in, const RequestLimits& limits,
                                   CallKind kind);

// Checks that requests of other methods share with TranslateRequest. They add what is wrong to
// `violations`. Returns the code points.
int64_t CheckContents(const google::protobuf::RepeatedPtrField<std::string>& contents,
                      const RequestLimits& limits, Violations* violations);
// Returns whether the texts are HTML.
bool ReadIsHtml(const std::string& mime_type, Violations* violations);
void CheckModelName(const std::string& model, Violations* violations);

// The reason for which a request counts as refused that was refused for its bytes.
engine::RejectReason ReasonOf(const absl::Status& refusal);

// At most 128 printable ASCII characters, at least one.
bool IsValidRequestId(std::string_view id);

}  // namespace dragoman::server
