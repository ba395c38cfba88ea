#include "server/observe/span.h"

#include <gtest/gtest.h>

#include <string>

namespace dragoman::server {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kSpan = "00f067aa0ba902b7";

TEST(TraceContext, ReadsTraceparent) {
  const auto parent = ParseTraceparent("00-" + kTrace + "-" + kSpan + "-01");
  ASSERT_TRUE(parent.has_value());
  EXPECT_EQ(parent->trace_id, kTrace);
  EXPECT_EQ(parent->span_id, kSpan);
  EXPECT_TRUE(parent->sampled);
  // Parsing uses only the part of later versions that this version defines.
  EXPECT_TRUE(ParseTraceparent("01-" + kTrace + "-" + kSpan + "-01-more").has_value());
}

TEST(TraceContext, TheLastBitSaysWhetherItIsRecorded) {
  const auto sampled = [](const std::string& flags) {
    return ParseTraceparent("00-" + kTrace + "-" + kSpan + "-" + flags)->sampled;
  };
  EXPECT_FALSE(sampled("00"));
  EXPECT_FALSE(sampled("fe"));
  EXPECT_TRUE(sampled("03"));
  EXPECT_TRUE(sampled("0b"));
}

TEST(TraceContext, IgnoresWhatIsNone) {
  const std::string none(32, '0');
  for (const std::string& wrong :
       {"00-" + kTrace + "-" + kSpan + "-01-more", "ff-" + kTrace + "-" + kSpan + "-01",
        "00-" + none + "-" + kSpan + "-01", "00-" + kTrace + "-" + none.substr(16) + "-01",
        "00-" + std::string(32, 'G') + "-" + kSpan + "-01", std::string("00-short"),
        "00-" + kTrace + "-" + kSpan + "-0x", std::string()}) {
    EXPECT_FALSE(ParseTraceparent(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace dragoman::server
