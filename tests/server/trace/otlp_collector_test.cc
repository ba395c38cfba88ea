#include "server/trace/otlp_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/security/certificates.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(OtlpHeaders, AreThoseOfOpenTelemetrysVariable) {
  const auto headers =
      ParseOtlpHeaders("Authorization=Basic%20c2VjcmV0%3D , x-scope-orgid = 7,\n api-key=a=b\n");
  ASSERT_TRUE(headers.ok()) << headers.status();
  EXPECT_THAT(*headers, ElementsAre(Pair("Authorization", "Basic c2VjcmV0="),
                                    Pair("x-scope-orgid", "7"), Pair("api-key", "a=b")));
  EXPECT_THAT(*ParseOtlpHeaders(" \n,\r\n"), IsEmpty());
}

TEST(OtlpHeaders, RefuseWhatIsNoneAndNeverShowAValue) {
  for (const auto& [text, expected] :
       {std::pair("secret", "header 1: found no '='"),
        std::pair("a=1,b b=secret", "header 2: found the name 'b b'"),
        std::pair("=secret", "header 1: found the name ''"),
        std::pair("key=secret%2", "header 'key': found a value"),
        std::pair("key=secret%zz", "header 'key': found a value"),
        std::pair("key=secret%0d%0aHost: x", "header 'key'"),
        std::pair("Host=secret", "every request has its own"),
        std::pair("content-LENGTH=secret", "'content-LENGTH'")}) {
    const auto headers = ParseOtlpHeaders(text);
    EXPECT_THAT(std::string(headers.status().message()),
                AllOf(HasSubstr(expected), Not(HasSubstr("secret"))))
        << text;
  }
}

class OtlpCollectorTest : public ::testing::Test {
 protected:
  std::string Error(const OtlpCollectorSettings& settings) const {
    return std::string(OtlpCollector::Open(settings).status().message());
  }
  OtlpCollectorSettings Settings() const {
    return {.url = *ParseHttpUrl("https://localhost:1"),
            .header_text = "",
            .header_file = "",
            .authorities = folder_ + "ca.crt",
            .certificate = "",
            .key = ""};
  }

  const TempDirectory directory_;
  const std::string folder_ = directory_.path() + "/";
  const testing::Authority authority_{"of collectors"};
};

TEST_F(OtlpCollectorTest, NamesTheFileThatIsWrong) {
  OtlpCollectorSettings settings = Settings();
  EXPECT_THAT(Error(settings), AllOf(HasSubstr("--otlp-ca: "), HasSubstr("ca.crt")));
  testing::Replace(settings.authorities, "nothing");
  EXPECT_THAT(Error(settings), HasSubstr("--otlp: authorities: found no certificate"));
  testing::Replace(settings.authorities, authority_.pem());
  EXPECT_EQ(Error(settings), "");
  settings.header_text = "no header";
  EXPECT_THAT(Error(settings), HasSubstr("OTEL_EXPORTER_OTLP_HEADERS: header 1"));
  settings.header_file = folder_ + "headers";
  EXPECT_THAT(Error(settings), AllOf(HasSubstr("--otlp-headers: "), HasSubstr("headers")));
  testing::Replace(settings.header_file, "key=1");
  EXPECT_EQ(Error(settings), "");
}

}  // namespace
}  // namespace dragoman
