#include "server/call/api_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "server/base/steady_clock.h"
#include "server/call/token_bucket.h"
#include "tests/server/base/certificates.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr engine::Nanos kSecond = kNanosPerSecond;
constexpr engine::Nanos kMinute = 60 * kSecond;

TEST(TokenBucket, LetsAMinutesWorthThroughAndThenItsRate) {
  TokenBucket bucket(600);
  EXPECT_EQ(bucket.Take(600, kSecond), 0);
  EXPECT_EQ(bucket.Take(10, kSecond), kSecond);  // 10 a second
  EXPECT_GT(bucket.Take(10, kSecond + kSecond / 2), 0);
  EXPECT_EQ(bucket.Take(10, 2 * kSecond), 0);
  EXPECT_GT(bucket.Take(1, 2 * kSecond), 0);
  // The bucket never holds more than a minute's worth, no matter how long no call comes.
  EXPECT_EQ(bucket.Take(600, 100 * kMinute), 0);
  EXPECT_EQ(bucket.Take(600, 100 * kMinute), kMinute);
}

TEST(TokenBucket, MoreThanAMinutesWorthWaitsForAFullOneAndLeavesADebt) {
  TokenBucket bucket(60);
  EXPECT_EQ(bucket.Take(1, 0), 0);
  EXPECT_EQ(bucket.Take(180, 0), kSecond);
  EXPECT_EQ(bucket.Take(180, kSecond), 0);
  EXPECT_EQ(bucket.Take(1, kSecond), 2 * kMinute + kSecond);
}

TEST(TokenBucket, WhatIsGivenBackMayBeTakenAgain) {
  TokenBucket bucket(60);
  EXPECT_EQ(bucket.Take(60, 0), 0);
  bucket.GiveBack(60);
  EXPECT_EQ(bucket.Take(60, 0), 0);
}

TEST(TokenBucket, ANewRateIsNoNewMinute) {
  TokenBucket bucket(60);
  EXPECT_EQ(bucket.Take(60, 0), 0);
  bucket.SetRate(120);
  EXPECT_GT(bucket.Take(1, 0), 0);
  EXPECT_EQ(bucket.Take(2, kSecond), 0);
  bucket.SetRate(0);
  EXPECT_EQ(bucket.Take(1'000'000, kSecond), 0);
}

std::string Entry(const std::string& name, const std::string& key, const std::string& more = "") {
  return absl::StrCat(R"({"name": ")", name, R"(", "keys": [")", HashOfKey(key), "\"]", more, "}");
}

std::string File(const std::vector<std::string>& entries) {
  std::string out;
  for (const std::string& entry : entries) absl::StrAppend(&out, out.empty() ? "" : ",", entry);
  return absl::StrCat(R"({"clients": [)", out, "]}");
}

TEST(ApiKeyFile, IsReadWithItsDefaults) {
  const auto entries = ExpectOk(ParseApiKeys(
      File({Entry("web", "a"),
            Entry("batch", "b",
                  R"(, "models": ["de-en"], "characters_per_minute": 9000, "share": 3)")})));
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].name, "web");
  EXPECT_THAT((*entries)[0].models, ElementsAre("*"));
  EXPECT_EQ((*entries)[0].characters_per_minute, 0);
  EXPECT_EQ((*entries)[0].share, 1);
  EXPECT_THAT((*entries)[1].models, ElementsAre("de-en"));
  EXPECT_EQ((*entries)[1].characters_per_minute, 9000);
  EXPECT_EQ((*entries)[1].share, 3);
}

TEST(ApiKeyFile, TheHashIsSha256) {
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(HashOfKey("abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(ApiKeyFile, RefusesWithThePlaceWhatWasFoundAndWhatWasExpected) {
  const std::string hash = HashOfKey("a");
  const std::pair<std::string, std::string> cases[] = {
      {"", "no JSON"},
      {"[]", "the list \"clients\""},
      {R"({"clients": [], "more": 1})", "nothing more"},
      {R"({"clients": [1]})", "clients[0]: found number, expected an object"},
      {File({R"({"keys": [")" + hash + "\"]}"}), "clients[0].name: found nothing"},
      {File({R"({"name": "web"})"}), "clients[0].keys: found nothing"},
      {File({R"({"name": "web", "keys": []})"}), "clients[0].keys: found an empty list"},
      {File({Entry("a b", "a")}), "clients[0].name: found a string of 3 bytes"},
      {File({Entry("web", "a", R"(, "color": "red")")}),
       "clients[0]: found a field of another name, expected name, keys"},
      {File({Entry("web", "a", R"(, "share": 0)")}),
       "share: found 0, expected a whole number 1..16"},
      {File({Entry("web", "a", R"(, "share": 1.5)")}), "share: found 1.5"},
      {File({Entry("web", "a", R"(, "characters_per_minute": "many")")}),
       "characters_per_minute: found string"},
      {File({Entry("web", "a", R"(, "models": "de-en")")}), "models: found string"},
      {File({Entry("web", "a", R"(, "models": [])")}), "models: found an empty list"},
      {File({Entry("web", "a", R"(, "keys": [])")}), "a key appears twice"},
      {File({Entry("web", "a"), Entry("web", "b")}),
       "clients[1].name: found the name of clients[0] again"},
      {File({Entry("web", "a"), Entry("app", "a")}), "clients[1].keys: found a hash that was"},
  };
  for (const auto& [text, expected] : cases) {
    const auto entries = ParseApiKeys(text);
    EXPECT_EQ(entries.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(entries.status().message()), HasSubstr(expected)) << text;
  }
}

TEST(ApiKeyFile, RefusesWhatIsNestedTooDeeply) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(std::string(ParseApiKeys(R"({"clients": )" + deep + "}").status().message()),
              HasSubstr("nested deeper than 8 levels"));
}

TEST(ApiKeyFile, AKeyInPlaceOfItsHashIsNotRepeated) {
  for (const std::string& text :
       {std::string(R"({"clients": [{"name": "web", "keys": ["dgm_geheim"]}]})"),
        std::string(R"({"clients": [{"name": "web", "keys": ["dgm_geheim)")}) {
    const auto entries = ParseApiKeys(text);
    EXPECT_THAT(std::string(entries.status().message()), Not(HasSubstr("geheim")));
  }
}

// A key that stands in a wrong place of the file: the error names the place and never prints the
// key.
TEST(ApiKeyFile, AKeyInAnyOtherPlaceIsNotRepeatedEither) {
  const std::string hash = HashOfKey("a");
  const std::string key = "dgm_geheim";
  const std::string texts[] = {
      R"(")" + key + R"(")",
      R"([")" + key + R"("])",
      R"({")" + key + R"(": []})",
      R"({"clients": ")" + key + R"("})",
      R"({"clients": [")" + key + R"("]})",
      R"({"clients": {")" + key + R"(": 1}})",
      R"({"clients": [], ")" + key + R"(": 1})",
      File({R"({")" + key + R"(": "web"})"}),
      File({Entry("web", "a", R"(, ")" + key + R"(": 1)")}),
      File({R"({"name": ")" + key + R"( ", "keys": [")" + hash + R"("]})"}),
      File({R"({"name": ["dgm_geheim"], "keys": [")" + hash + R"("]})"}),
      File({Entry(key, "a"), Entry(key, "b")}),
      File({R"({"name": "web", "keys": ")" + key + R"("})"}),
      File({R"({"name": "web", "keys": {")" + key + R"(": 1}})"}),
      File({Entry("web", "a", R"(, "models": ")" + key + R"(")")}),
      File({Entry("web", "a", R"(, "models": {")" + key + R"(": 1})")}),
      File({Entry("web", "a", R"(, "share": ")" + key + R"(")")}),
      File({Entry("web", "a", R"(, "characters_per_minute": [")" + key + R"("])")}),
      File({R"({")" + key + R"(": 1, ")" + key + R"(": 2})"}),
      File({R"({"name": "web", "keys": [")" + hash + R"("]} )" + key})};
  for (const std::string& text : texts) {
    const auto entries = ParseApiKeys(text);
    EXPECT_FALSE(entries.ok()) << text;
    EXPECT_THAT(std::string(entries.status().message()), Not(HasSubstr("geheim"))) << text;
    EXPECT_THAT(std::string(entries.status().message()), HasSubstr("expected")) << text;
  }
}

TEST(ApiKeyFile, HasABoundOnKeys) {
  std::vector<std::string> entries;
  for (size_t i = 0; i <= kMaxApiKeys; ++i) {
    entries.push_back(Entry(absl::StrCat("c", i), absl::StrCat("k", i)));
  }
  EXPECT_THAT(std::string(ParseApiKeys(File(entries)).status().message()),
              HasSubstr("found 1025 keys, expected at most 1024"));
}

class ApiKeysTest : public ::testing::Test {
 protected:
  void Open(const std::vector<std::string>& entries) {
    testing::Replace(path_, File(entries));
    auto keys = ExpectOk(ApiKeys::Open(path_));
    keys_ = *std::move(keys);
  }
  void Reload(const std::vector<std::string>& entries) {
    testing::Replace(path_, File(entries));
    const absl::Status status = keys_->Reload();
    ASSERT_TRUE(status.ok()) << status;
  }
  std::shared_ptr<Grant> Grant_(const std::string& key) {
    auto grant = ExpectOk(keys_->Authenticate("Bearer " + key));
    return *grant;
  }

  const TempDirectory directory_;
  const std::string path_ = directory_.path() + "/keys.json";
  std::unique_ptr<ApiKeys> keys_;
};

TEST_F(ApiKeysTest, KnowsItsKeysAndNoOthers) {
  Open({Entry("web", "one"), Entry("batch", "two")});
  EXPECT_EQ(Grant_("one")->client().name(), "web");
  EXPECT_EQ(Grant_("two")->client().name(), "batch");
  EXPECT_EQ(keys_->Authenticate("bearer two").value()->client().name(), "batch");
  for (const char* header :
       {"", "Bearer ", "Bearer on", "Bearer one ", "one", "Basic one", "Bearer sha256:one"}) {
    const auto grant = keys_->Authenticate(header);
    EXPECT_EQ(grant.status().code(), absl::StatusCode::kUnauthenticated) << header;
  }
}

TEST_F(ApiKeysTest, ARevokedKeyEndsItsCallsAndNoOthers) {
  Open({Entry("web", "one"), Entry("batch", "two")});
  const auto web = Grant_("one");
  const auto batch = Grant_("two");
  int web_ended = 0;
  int batch_ended = 0;
  int forgotten = 0;
  web->OnRevoked([&] { ++web_ended; });
  batch->OnRevoked([&] { ++batch_ended; });
  web->Forget(web->OnRevoked([&] { ++forgotten; }));
  Reload({Entry("batch", "two")});
  EXPECT_EQ(web_ended, 1);
  EXPECT_EQ(batch_ended, 0);
  EXPECT_EQ(forgotten, 0);
  EXPECT_FALSE(keys_->Authenticate("Bearer one").ok());
  // A call that was admitted just before the reload is revoked at once.
  web->OnRevoked([&] { ++web_ended; });
  EXPECT_EQ(web_ended, 2);
  // When the key is added again, grants that were revoked stay revoked.
  Reload({Entry("web", "one"), Entry("batch", "two")});
  EXPECT_NE(Grant_("one"), web);
  EXPECT_EQ(Grant_("two"), batch);
}

TEST_F(ApiKeysTest, AClientMayChangeItsKeyWithoutAGap) {
  Open({Entry("web", "old")});
  const auto old_grant = Grant_("old");
  const std::string both = absl::StrCat(R"({"name": "web", "keys": [")", HashOfKey("old"), "\", \"",
                                        HashOfKey("new"), "\"]}");
  Reload({both});
  EXPECT_EQ(Grant_("old"), old_grant);
  EXPECT_EQ(&Grant_("new")->client(), &old_grant->client());
  int ended = 0;
  old_grant->OnRevoked([&] { ++ended; });
  Reload({Entry("web", "new")});
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(&Grant_("new")->client(), &old_grant->client());
}

TEST_F(ApiKeysTest, AKeyThatGoesToAnotherClientEndsTheCallsOfTheFirst) {
  Open({Entry("web", "one")});
  int ended = 0;
  Grant_("one")->OnRevoked([&] { ++ended; });
  Reload({Entry("app", "one")});
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(Grant_("one")->client().name(), "app");
}

TEST_F(ApiKeysTest, ReloadsRightsAndRatesOfCallsThatGoOn) {
  Open({Entry("web", "one", R"(, "models": ["de-en"], "characters_per_minute": 60)")});
  Client& web = Grant_("one")->client();
  EXPECT_TRUE(web.MayUse("de-en"));
  EXPECT_FALSE(web.MayUse("en-de"));
  EXPECT_EQ(web.Take(60, 0), 0);
  EXPECT_EQ(web.Take(1, 0), kSecond);
  Reload({Entry("web", "one", R"(, "models": ["*"], "characters_per_minute": 60, "share": 5)")});
  EXPECT_TRUE(web.MayUse("en-de"));
  EXPECT_EQ(web.share(), 5);
  EXPECT_EQ(web.Take(1, 0), kSecond);  // reading the file again does not refill the bucket
}

TEST_F(ApiKeysTest, ABrokenFileChangesNothingAndIsNamed) {
  Open({Entry("web", "one")});
  const auto web = Grant_("one");
  testing::Replace(path_, "{");
  const absl::Status status = keys_->Reload();
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr(path_), HasSubstr("no JSON")));
  EXPECT_EQ(Grant_("one"), web);
  std::filesystem::remove(path_);
  EXPECT_FALSE(keys_->Reload().ok());
  EXPECT_EQ(Grant_("one"), web);
}

}  // namespace
}  // namespace dragoman::server
