#include "engine/base/field_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/cord.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

std::string MessageOf(const FieldError& error) {
  return std::string(InvalidRequest(error).message());
}

TEST(FieldError, AStatusCarriesItWhateverItsTextsHold) {
  const std::vector<FieldError> errors = {
      {.field = "decoding.beam_size", .found = "65", .expected = "1..64"},
      Contradiction("decoding.sampling", "decoding.pruning", "there is no beam"),
      {.field = "terms[0]", .words = std::string("3:a\0b; 12:\n", 11)},
      {.predicate = "has: all; of, them"}};
  const absl::Status status = InvalidRequest(errors);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(FieldErrorsOf(status), ElementsAreArray(errors));
  EXPECT_THAT(FieldErrorsOf(WithoutFieldErrors(status)), IsEmpty());
  EXPECT_EQ(WithoutFieldErrors(status).message(), status.message());
}

TEST(FieldError, TheMessageSaysFieldFoundAndExpected) {
  EXPECT_EQ(MessageOf({.field = "decoding.beam_size", .found = "65", .expected = "1..64"}),
            "decoding.beam_size: found 65, expected 1..64");
  EXPECT_EQ(MessageOf(Contradiction("decoding.sampling", "decoding.pruning", "there is no beam")),
            "decoding.sampling: found together with decoding.pruning, expected one of them: there "
            "is no beam");
  EXPECT_EQ(MessageOf({.field = "terms[1]", .words = "a second target"}),
            "terms[1]: a second target");
  EXPECT_EQ(MessageOf({.field = "terms[1]", .predicate = "is empty"}), "terms[1] is empty");
  EXPECT_EQ(MessageOf({.words = "too much in all"}), "too much in all");
  const std::vector<FieldError> two = {{.field = "a", .found = "1", .expected = "2"},
                                       {.field = "b", .predicate = "is empty"}};
  EXPECT_EQ(InvalidRequest(two).message(), "a: found 1, expected 2; b is empty");
}

TEST(FieldError, RewordingAMessageChangesNoData) {
  FieldError error{.field = "a", .found = "1", .expected = "2"};
  FieldError reworded = error;
  reworded.words = "one is not two";
  reworded = FieldErrorsOf(InvalidRequest(reworded)).at(0);
  EXPECT_EQ(reworded.field, error.field);
  EXPECT_EQ(reworded.found, error.found);
  EXPECT_EQ(reworded.expected, error.expected);
}

TEST(FieldError, OtherStatusesHaveNone) {
  EXPECT_THAT(FieldErrorsOf(absl::OkStatus()), IsEmpty());
  EXPECT_THAT(FieldErrorsOf(absl::InvalidArgumentError("a: found 1, expected 2")), IsEmpty());
  absl::Status broken = absl::InvalidArgumentError("x");
  for (const char* payload : {"1", "9:a", ":", "x:y", "1:a1:b", "99999999999999999999:a"}) {
    broken.SetPayload("dragoman/field-errors", absl::Cord(payload));
    EXPECT_THAT(FieldErrorsOf(broken), IsEmpty()) << payload;
  }
}

}  // namespace
}  // namespace dragoman::engine
