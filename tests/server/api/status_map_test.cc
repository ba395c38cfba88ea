#include "server/api/status_map.h"

#include <google/protobuf/any.pb.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "server/base/status_codes.h"
#include "server/base/steady_clock.h"
#include "server/call/request_error.h"
#include "server/call/rpc_status.h"

namespace dragoman::server {
namespace {

google::rpc::Status Details(const grpc::Status& status) {
  google::rpc::Status rpc;
  EXPECT_TRUE(rpc.ParseFromString(status.error_details()));
  return rpc;
}

TEST(StatusMap, MapsEveryCodeOfTheContract) {
  const std::vector<std::pair<absl::StatusCode, grpc::StatusCode>> pairs = {
      {absl::StatusCode::kInvalidArgument, grpc::StatusCode::INVALID_ARGUMENT},
      {absl::StatusCode::kNotFound, grpc::StatusCode::NOT_FOUND},
      {absl::StatusCode::kResourceExhausted, grpc::StatusCode::RESOURCE_EXHAUSTED},
      {absl::StatusCode::kUnavailable, grpc::StatusCode::UNAVAILABLE},
      {absl::StatusCode::kUnimplemented, grpc::StatusCode::UNIMPLEMENTED},
      {absl::StatusCode::kDeadlineExceeded, grpc::StatusCode::DEADLINE_EXCEEDED},
      {absl::StatusCode::kCancelled, grpc::StatusCode::CANCELLED},
      {absl::StatusCode::kUnauthenticated, grpc::StatusCode::UNAUTHENTICATED},
      {absl::StatusCode::kPermissionDenied, grpc::StatusCode::PERMISSION_DENIED},
      {absl::StatusCode::kFailedPrecondition, grpc::StatusCode::FAILED_PRECONDITION},
      {absl::StatusCode::kAborted, grpc::StatusCode::ABORTED},
      {absl::StatusCode::kInternal, grpc::StatusCode::INTERNAL},
      // The engine's contract does not contain these codes, so they are bugs of the server.
      {absl::StatusCode::kUnknown, grpc::StatusCode::INTERNAL},
      {absl::StatusCode::kDataLoss, grpc::StatusCode::INTERNAL}};
  for (const auto& [domain, wire] : pairs) {
    const grpc::Status status = ToGrpcStatus(absl::Status(domain, "why"));
    EXPECT_EQ(status.error_code(), wire);
    EXPECT_EQ(status.error_message(), "why");
    EXPECT_EQ(Details(status).code(), static_cast<int>(wire));
  }
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  EXPECT_EQ(CodeName(absl::StatusCode::kResourceExhausted), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(CodeName(absl::StatusCode::kDataLoss), "INTERNAL");
}

TEST(StatusMap, WhatIsWrongWithTheWholeRequestHasNoFieldBeforeIt) {
  EXPECT_EQ(InvalidField("", "the 4 bytes are no message").message(), "the 4 bytes are no message");
  EXPECT_EQ(InvalidFields({{"", "one"}, {"a", "two"}}, 3).message(), "one; a: two; and 3 more");
}

TEST(StatusMap, CarriesFieldViolations) {
  const google::rpc::Status rpc =
      Details(ToGrpcStatus(InvalidFields({{"a", "found 1"}, {"b[2]", "found 3"}})));
  EXPECT_EQ(rpc.message(), "a: found 1; b[2]: found 3");
  ASSERT_EQ(rpc.details_size(), 1);
  google::rpc::BadRequest bad;
  ASSERT_TRUE(rpc.details(0).UnpackTo(&bad));
  ASSERT_EQ(bad.field_violations_size(), 2);
  EXPECT_EQ(bad.field_violations(1).field(), "b[2]");
  EXPECT_EQ(bad.field_violations(1).description(), "found 3");
}

TEST(StatusMap, CarriesTheRetryHint) {
  const absl::Status status = WithRetryAfter(absl::ResourceExhaustedError("full"), 1'250'000'001);
  EXPECT_EQ(RetryPushbackMs(status), "1251");  // rounded up: never too early
  EXPECT_EQ(RetryAfterOf(status), 1'250'000'001);
  google::rpc::RetryInfo info;
  ASSERT_TRUE(Details(ToGrpcStatus(status)).details(0).UnpackTo(&info));
  EXPECT_EQ(info.retry_delay().seconds(), 1);
  EXPECT_EQ(info.retry_delay().nanos(), 250'000'001);
  EXPECT_FALSE(RetryPushbackMs(absl::InternalError("x")).has_value());
}

TEST(StatusMap, KeepsHeadersSmall) {
  const std::vector<FieldViolation> many(1000, {"contents", "found something"});
  const grpc::Status status = ToGrpcStatus(InvalidFields(many));
  EXPECT_LE(status.error_message().size(), kMaxErrorMessageBytes);
  EXPECT_LE(status.error_details().size(), 4096U);
  // The message is truncated between two characters.
  std::string umlauts;
  for (int i = 0; i < 1000; ++i) umlauts += "aä";
  const std::string cut = ToGrpcStatus(absl::InternalError(umlauts)).error_message();
  EXPECT_LE(cut.size(), kMaxErrorMessageBytes);
  EXPECT_NE(static_cast<unsigned char>(cut.back()), 0xC3);
}

TEST(RequestError, AMessageWithoutDataIsAViolationOfTheWhole) {
  const auto whole = ViolationsOf(
      WithFieldViolation(absl::InvalidArgumentError("source_language_code: found 'fr'")));
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].field, "");
  EXPECT_EQ(whole[0].description, "source_language_code: found 'fr'");
  // A status with details keeps them; other codes get none.
  EXPECT_EQ(ViolationsOf(WithFieldViolation(InvalidField("x", "y"))).at(0).field, "x");
  EXPECT_TRUE(ViolationsOf(WithFieldViolation(absl::InternalError("x: y"))).empty());
}

}  // namespace
}  // namespace dragoman::server
