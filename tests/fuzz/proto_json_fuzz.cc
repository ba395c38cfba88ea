// Input: a body of our REST API. An accepted message stays the same when it is written and read
// again. A refusal names at most 16 violations, in UTF-8.
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/message_differencer.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/v1/translation.pb.h"
#include "engine/base/utf8.h"
#include "server/api/proto_json.h"
#include "server/call/request_error.h"
#include "server/call/request_parser.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using dragoman::FuzzCheck;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  dragoman::v1::TranslateRequest request;
  const absl::Status status = dragoman::server::ReadProtoJson(text, &request);
  if (!status.ok()) {
    const auto violations = dragoman::server::ViolationsOf(status);
    dragoman::FuzzCheck(!violations.empty() &&
                        violations.size() <= dragoman::server::kMaxViolations);
    for (const dragoman::server::FieldViolation& violation : violations) {
      dragoman::FuzzCheck(!dragoman::engine::FirstInvalidUtf8(violation.field).has_value());
      dragoman::FuzzCheck(!dragoman::engine::FirstInvalidUtf8(violation.description).has_value());
    }
    return 0;
  }
  dragoman::v1::TranslateRequest again;
  dragoman::FuzzCheck(
      dragoman::server::ReadProtoJson(dragoman::server::WriteProtoJson(request), &again).ok());
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_field_comparator(&comparator);
  dragoman::FuzzCheck(differencer.Compare(request, again));
  dragoman::server::ReadTranslateRequest(std::move(request), dragoman::server::RequestLimits{},
                                         dragoman::server::CallKind::kStream);
  return 0;
}
