#include "server/compat/riva.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/call/request_error.h"
#include "tests/server/api/adapter_fixture.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

riva::TranslateTextRequest Minimal() {
  riva::TranslateTextRequest request;
  request.add_texts("Haus");
  request.set_source_language("de");
  request.set_target_language("en");
  return request;
}

TEST(Riva, EveryFieldIsCarried) {
  riva::TranslateTextRequest in = Minimal();
  in.set_model("de-en");
  in.set_max_len_variation("20");
  const auto out = ExpectOk(FromRiva(in));
  EXPECT_THAT(out->contents(), ElementsAre("Haus"));
  EXPECT_EQ(out->model(), "de-en");
  EXPECT_EQ(out->source_language_code(), "de");
  EXPECT_EQ(out->target_language_code(), "en");
  EXPECT_EQ(out->decoding().max_length_ratio(), 1);
  EXPECT_EQ(out->decoding().max_length_extra(), 20);
  EXPECT_FALSE(FromRiva(Minimal())->decoding().has_max_length_extra());
}

TEST(Riva, PhrasesComeInOneStringOrInSeveral) {
  riva::TranslateTextRequest in = Minimal();
  in.add_dnt_phrases("Hund##puppy,Berlin##, New York ,");
  in.add_dnt_phrases("A##B##C");
  const auto out = FromRiva(in);
  ASSERT_TRUE(out.ok());
  EXPECT_THAT(out->do_not_translate(), ElementsAre("Berlin", "New York"));
  ASSERT_EQ(out->terms_size(), 2);
  EXPECT_EQ(out->terms(0).source(), "Hund");
  EXPECT_EQ(out->terms(0).target(), "puppy");
  EXPECT_EQ(out->terms(1).source(), "A");
  EXPECT_EQ(out->terms(1).target(), "B##C");
}

TEST(Riva, WhatIsWrongIsNamed) {
  riva::TranslateTextRequest in;
  in.add_texts("Haus");
  in.set_max_len_variation("2x");
  const absl::Status status = FromRiva(in).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  for (const char* field : {"source_language", "target_language", "max_len_variation"}) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(field));
  }
  in = Minimal();
  in.set_max_len_variation("-1");
  EXPECT_FALSE(FromRiva(in).ok());
}

class RivaListTest : public AdapterFixture {};

TEST_F(RivaListTest, EachModelHasItsLanguages) {
  EXPECT_EQ(PairsOfRiva({}, context_, nullptr).status().code(), absl::StatusCode::kUnavailable);
  Serve();
  const auto all = PairsOfRiva({}, context_, nullptr);
  ASSERT_TRUE(all.ok());
  EXPECT_THAT(all->languages().at("de-en").src_lang(), ElementsAre("de"));
  EXPECT_THAT(all->languages().at("de-en").tgt_lang(), ElementsAre("en"));
  riva::AvailableLanguageRequest request;
  request.set_model("none");
  EXPECT_EQ(PairsOfRiva(request, context_, nullptr).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace dragoman::server
