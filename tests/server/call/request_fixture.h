// Fixture and helpers for the tests of request parsing.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "dragoman/v1/translation.pb.h"
#include "server/call/request_error.h"
#include "server/call/request_parser.h"

namespace dragoman::server {

// Returns "a". Assigning the literal itself causes a false -Wrestrict warning in g++ 12.
inline const std::string& Short() {
  static const auto* const kShort = new std::string("a");
  return *kShort;
}

inline v1::TranslateRequest Minimal() {
  v1::TranslateRequest request;
  request.add_contents("Guten Tag.");
  return request;
}

inline ParsedRequest Parse(const v1::TranslateRequest& request, CallKind kind = CallKind::kUnary) {
  return ParseTranslateRequest(request.SerializeAsString(), RequestLimits{}, kind);
}

using Change = std::function<void(v1::TranslateRequest*)>;

inline ParsedRequest ParseWith(const Change& change, CallKind kind = CallKind::kUnary) {
  v1::TranslateRequest request = Minimal();
  change(&request);
  return Parse(request, kind);
}

inline std::vector<std::string> FieldsAtFault(const absl::Status& status) {
  std::vector<std::string> fields;
  for (const auto& violation : ViolationsOf(status)) fields.push_back(violation.field);
  return fields;
}

inline void ExpectInvalid(const absl::Status& status, const std::string& field) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(FieldsAtFault(status), ::testing::ElementsAre(field)) << status;
}

inline const float kNan = std::numeric_limits<float>::quiet_NaN();
inline const float kInf = std::numeric_limits<float>::infinity();

}  // namespace dragoman::server

// A Change that calls `call` on the request's decoding options.
#define DECODING(call) [](v1::TranslateRequest* r) { r->mutable_decoding()->call; }
