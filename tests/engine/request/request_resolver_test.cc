#include "engine/request/request_resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/request/model_tokenizer.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A T5 model, which selects languages by a prompt such as "translate English to German:".
class RequestResolverTest : public ::testing::Test {
 protected:
  RequestResolverTest()
      : model_(*LoadModel(DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-t5")),
        tokenizer_(*MakeTokenizer(model_)),
        glossaries_(""),
        resolver_(&model_, tokenizer_.get(), &glossaries_, &sentinels_, Profile::kHf, 8) {}

  static TranslationJob Job(const std::string& text) {
    TranslationJob job;
    job.contents = {text};
    job.source_language = "en";
    job.target_language = "de";
    return job;
  }

  LoadedModel model_;
  std::unique_ptr<Tokenizer> tokenizer_;
  Glossaries glossaries_;
  const std::map<std::string, std::string, std::less<>> sentinels_;
  RequestResolver resolver_;
};

TEST_F(RequestResolverTest, APromptNamesTheLanguages) {
  const auto plan = ExpectOk(resolver_.Prepare(Job("Hello.")));
  const TextStage::Request& text = (*plan)->request.text;
  EXPECT_THAT(text.prompt, Not(IsEmpty()));
  EXPECT_EQ(text.prompt, tokenizer_->EncodePrompt("translate English to German:"));
  EXPECT_TRUE(text.tags.follows_text);
  EXPECT_EQ(text.source_language, "en");
  EXPECT_EQ((*plan)->size.segments, 1);
}

TEST_F(RequestResolverTest, RefusesWhatTheBytesShow) {
  TranslationJob none = Job("");
  none.contents.clear();
  const absl::Status no_items = resolver_.Prepare(none).status();
  EXPECT_EQ(no_items.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(no_items.message()), HasSubstr("contents"));

  TranslationJob unknown = Job("Hello.");
  unknown.glossary = "cities";
  const absl::Status no_glossary = resolver_.Prepare(unknown).status();
  EXPECT_EQ(no_glossary.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(no_glossary.message()), HasSubstr("glossary_config.glossary"));

  TranslationJob wide = Job("Hello.");
  wide.decoding.beam_size = 9;  // exceeds the 8 rows
  const absl::Status too_wide = resolver_.Prepare(wide).status();
  EXPECT_EQ(too_wide.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(too_wide.message()), HasSubstr("beam_size"));

  TranslationJob other = Job("Hello.");
  other.target_language = "tlh";
  EXPECT_THAT(std::string(resolver_.Prepare(other).status().message()), HasSubstr("tlh"));
}

TEST_F(RequestResolverTest, EstimatesTheSizeFromBytes) {
  PlannerRequest request;
  const JobSize one = EstimateSize(Job("Good day."), request);
  EXPECT_EQ(one.segments, 1);
  EXPECT_EQ(one.tokens, 9 + 3);
  const JobSize two = EstimateSize(Job("Good day. Come in."), request);
  EXPECT_EQ(two.segments, 2);
  const JobSize cut = EstimateSize(Job(std::string(256, 'a')), request);
  EXPECT_EQ(cut.segments, 1 + 2);
  request.text.prompt = {1, 2, 3, 4};
  EXPECT_EQ(EstimateSize(Job("Good day."), request).tokens, one.tokens + 4);
}

}  // namespace
}  // namespace dragoman::engine
