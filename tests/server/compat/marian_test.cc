#include "server/compat/marian.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/compat/dialect_fixture.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;

class MarianTest : public DialectFixture {};

TEST_F(MarianTest, TranslatesLineByLine) {
  ServeAdapter<MarianAdapter>();
  HttpRequest message;
  message.method = kWebSocketMethod;
  message.path = "/translate";
  message.body = "a. b.\n\nc\n";
  const v1::TranslateRequest asked = AskedFor(message);
  EXPECT_THAT(asked.contents(), ElementsAre("a. b.", "", "c"));
  EXPECT_EQ(asked.segmentation().split(), v1::Segmentation::NONE);
  EXPECT_EQ(AnswerTo(message).body, "[a. b.]\n[]\n[c]\n");
  message.body = "a";
  EXPECT_EQ(AnswerTo(message).body, "[a]");
  message.query = "source=de&target=en&model=de-en&token=k";
  EXPECT_EQ(AskedFor(message).model(), "de-en");
  EXPECT_EQ(AskedFor(message).source_language_code(), "de");
  EXPECT_EQ(adapter_->Key(message), "k");
  message.body = "fails";
  EXPECT_EQ(AnswerTo(message).status, 400);
  message.body = "\xff";
  EXPECT_EQ(AnswerTo(message).status, 400);
}

}  // namespace
}  // namespace dragoman::server
