#include "server/observe/otlp_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/server/base/certificates.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

using Variables = std::map<std::string, std::string>;

const Address kCollector{.host = "collector", .port = 4317};

absl::StatusOr<std::optional<OtlpSettings>> Read(const Variables& variables,
                                                 const char* flag = nullptr) {
  return ReadOtlpSettings(flag == nullptr ? std::nullopt : ParseHttpUrl(flag),
                          [&variables](const char* name) -> const char* {
                            const auto found = variables.find(name);
                            return found == variables.end() ? nullptr : found->second.c_str();
                          });
}

// Returns the settings that these variables and an endpoint make.
OtlpSettings With(const Variables& variables, const char* endpoint = "http://collector:4317") {
  Variables all = variables;
  all.try_emplace("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
  const auto settings = ExpectOk(Read(all));
  return settings.ok() && settings->has_value() ? **settings : OtlpSettings();
}

std::string Error(const Variables& variables, const char* endpoint = "https://collector:4317") {
  Variables all = variables;
  all.try_emplace("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
  return std::string(Read(all).status().message());
}

TEST(OtlpSettings, ThereAreNoneWithoutACollector) {
  EXPECT_EQ(Read({{"OTEL_EXPORTER_OTLP_ENDPOINT", ""},
                  {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"},
                  {"OTEL_EXPORTER_OTLP_HEADERS", "of others"}})
                ->has_value(),
            false);
}

TEST(OtlpSettings, TheFlagOverridesTheVariablesAndThoseOfTracesOverrideThoseOfAllSignals) {
  Variables variables = {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://all:1"}};
  EXPECT_EQ((*Read(variables))->collector.host, "all");
  variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "http://traces:2";
  EXPECT_EQ((*Read(variables))->collector.host, "traces");
  EXPECT_EQ((*Read(variables, "https://flag:3"))->collector.host, "flag");
  EXPECT_TRUE((*Read(variables, "https://flag:3"))->tls);
}

TEST(OtlpSettings, TheSchemeSaysWhetherThereIsTls) {
  EXPECT_EQ(With({}).collector, kCollector);
  EXPECT_FALSE(With({}).tls);
  EXPECT_TRUE(With({}, "https://collector:4317").tls);
  // Without a scheme, OTEL_EXPORTER_OTLP_INSECURE decides. With a scheme, that variable is ignored.
  EXPECT_EQ(With({}, "collector:4317").collector, kCollector);
  EXPECT_TRUE(With({}, "collector:4317").tls);
  EXPECT_FALSE(With({{"OTEL_EXPORTER_OTLP_INSECURE", "True"}}, "collector:4317").tls);
  EXPECT_TRUE(With({{"OTEL_EXPORTER_OTLP_INSECURE", "false"}}, "collector:4317").tls);
  EXPECT_TRUE(With({{"OTEL_EXPORTER_OTLP_INSECURE", "true"}}, "https://collector:4317").tls);
}

TEST(OtlpSettings, RefusesWhatCannotBeUsed) {
  for (const char* wrong : {"collector", "http://collector", "http://collector:4318/v1/traces",
                            "grpc://collector:4317", "collector:0"}) {
    EXPECT_THAT(Error({}, wrong), AllOf(HasSubstr("OTEL_EXPORTER_OTLP_ENDPOINT: found '"),
                                        HasSubstr(wrong), HasSubstr("expected http://HOST:PORT")));
  }
  EXPECT_THAT(Error({{"OTEL_EXPORTER_OTLP_INSECURE", "yes"}}, "collector:4317"),
              HasSubstr("OTEL_EXPORTER_OTLP_INSECURE: found 'yes', expected true or false"));
  EXPECT_THAT(
      Error({{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"}}),
      HasSubstr("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: found 'http/protobuf', expected grpc"));
  for (const char* wrong : {"-1", "10s", "1.5", "2147483648"}) {
    EXPECT_THAT(Error({{"OTEL_EXPORTER_OTLP_TIMEOUT", wrong}}),
                AllOf(HasSubstr("OTEL_EXPORTER_OTLP_TIMEOUT: found '"), HasSubstr(wrong)));
  }
  EXPECT_EQ(Error({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}}), "");
}

TEST(OtlpSettings, TheTimeoutIsInMilliseconds) {
  EXPECT_EQ(With({}).timeout, milliseconds(10'000));
  EXPECT_EQ(With({{"OTEL_EXPORTER_OTLP_TIMEOUT", "250"}}).timeout, milliseconds(250));
  EXPECT_EQ(With({{"OTEL_EXPORTER_OTLP_TIMEOUT", "0"}}).timeout, milliseconds(0));
}

TEST(OtlpSettings, HeadersArePercentEncodedMetadata) {
  EXPECT_THAT(With({{"OTEL_EXPORTER_OTLP_HEADERS",
                     "Authorization=Basic%20c2VjcmV0%3D , x-scope-orgid = 7,api-key=a=b,"}})
                  .headers,
              ElementsAre(Pair("authorization", "Basic c2VjcmV0="), Pair("x-scope-orgid", "7"),
                          Pair("api-key", "a=b")));
  EXPECT_THAT(With({{"OTEL_EXPORTER_OTLP_HEADERS", " ,"}}).headers, IsEmpty());
}

TEST(OtlpSettings, RefusesHeadersThatGrpcCannotSendAndNeverShowsAValue) {
  for (const auto& [text, expected] :
       {std::pair("secret", "header 1: found no '='"),
        std::pair("a=1,b b=secret", "header 2: found a name"),
        std::pair("authorization: secret=", "header 1: found a name"),
        std::pair("=secret", "header 1: found a name"),
        std::pair("grpc-timeout=secret", "header 1: found a name"),
        std::pair("Content-Type=secret", "header 1: found a name"),
        std::pair("key=secret%2", "a value of 'key' that cannot be sent"),
        std::pair("key=secret%zz", "a value of 'key' that cannot be sent"),
        std::pair("key=secret%0d%0ahost: x", "a value of 'key' that cannot be sent")}) {
    EXPECT_THAT(Error({{"OTEL_EXPORTER_OTLP_HEADERS", text}}),
                AllOf(HasSubstr("OTEL_EXPORTER_OTLP_HEADERS: header"), HasSubstr(expected),
                      Not(HasSubstr("secret"))))
        << text;
  }
}

TEST(OtlpSettings, AnErrorOfAFileNamesItsVariable) {
  const TempDirectory directory;
  const testing::Authority authority("of collectors");
  const testing::Authority::Issued own = authority.Issue({.client = true});
  const testing::Authority::Issued other = authority.Issue({.client = true});
  const std::string folder = directory.path() + "/";
  const std::string authorities = folder + "ca.crt";
  testing::Replace(folder + "own.crt", own.certificate);
  testing::Replace(folder + "own.key", own.key);
  testing::Replace(folder + "other.key", other.key);

  Variables variables = {{"OTEL_EXPORTER_OTLP_CERTIFICATE", authorities}};
  EXPECT_THAT(Error(variables), AllOf(HasSubstr("OTEL_EXPORTER_OTLP_CERTIFICATE: '"),
                                      HasSubstr("ca.crt"), HasSubstr("No such file")));
  testing::Replace(authorities, "nothing");
  EXPECT_THAT(Error(variables), HasSubstr("found no certificate in PEM format"));
  testing::Replace(authorities, authority.pem());
  EXPECT_EQ(Error(variables), "");

  variables["OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"] = folder + "own.crt";
  EXPECT_THAT(Error(variables), HasSubstr("OTEL_EXPORTER_OTLP_CLIENT_KEY: found nothing, expected "
                                          "a file with OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"));
  variables["OTEL_EXPORTER_OTLP_CLIENT_KEY"] = folder + "other.key";
  EXPECT_THAT(Error(variables), AllOf(HasSubstr("OTEL_EXPORTER_OTLP_CLIENT_KEY: "),
                                      HasSubstr("found a key that does not belong")));
  variables["OTEL_EXPORTER_OTLP_CLIENT_KEY"] = folder + "own.key";
  EXPECT_EQ(With(variables, "https://collector:4317").files.key, folder + "own.key");
  // Without TLS the files are ignored: they may be meant for other signals.
  testing::Replace(authorities, "nothing");
  EXPECT_EQ(With(variables).files.authorities, "");
}

}  // namespace
}  // namespace dragoman::server
