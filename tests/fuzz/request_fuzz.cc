// Bytes of a request: the parser, what explains a refusal, and what an accepted job promises.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "engine/text/utf8.h"
#include "server/request_error.h"
#include "server/request_parser.h"
#include "server/status_map.h"

namespace dragoman {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

template <typename T>
void CheckRange(const std::optional<T>& value, T low, T high) {
  Check(!value.has_value() || (*value >= low && *value <= high));
}

void CheckJob(const ParsedRequest& request, const RequestLimits& limits) {
  const TranslationJob& job = request.job;
  Check(!job.items.empty() && static_cast<int>(job.items.size()) <= limits.max_items);
  Check(request.code_points <= limits.max_code_points);
  for (const auto& item : job.items) Check(!FirstInvalidUtf8(item).has_value());
  Check(job.request_id.empty() || IsValidRequestId(job.request_id));
  Check(request.labels.size() <= static_cast<size_t>(kMaxLabels));
  CheckRange(job.decoding.beam_size, 1, kMaxBeam);
  CheckRange(job.decoding.num_alternatives, 1, kMaxBeam);
  CheckRange(job.decoding.length_penalty, -10.0F, 10.0F);
  CheckRange(job.decoding.patience, 0.0F, 64.0F);
  CheckRange(job.decoding.max_length_ratio, 0.0F, 1000.0F);
  CheckRange(job.decoding.max_output_tokens, 1, 1'000'000);
  ModelInfo model;
  model.max_rows = model.max_beam = 16;
  model.default_beam = 4;
  const absl::Status fits = CheckAgainstModel(request, model);
  Check(fits.ok() || fits.code() == absl::StatusCode::kInvalidArgument);
}

void Run(std::string_view bytes) {
  const RequestLimits limits{8, 256};
  for (const CallKind kind : {CallKind::kUnary, CallKind::kStream}) {
    const ParsedRequest request = ParseTranslateRequest(bytes, limits, kind);
    switch (request.status.code()) {
      case absl::StatusCode::kOk:
        CheckJob(request, limits);
        break;
      case absl::StatusCode::kInvalidArgument:
        Check(!ViolationsOf(request.status).empty());
        break;
      default:
        Check(request.status.code() == absl::StatusCode::kUnimplemented);
    }
    // A refusal travels in headers, which are bounded.
    Check(ToRpcStatus(request.status).ByteSizeLong() < 8192);
  }
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
