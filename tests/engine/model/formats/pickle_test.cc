#include "engine/model/formats/pickle.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;
using Kind = PickleNode::Kind;
using namespace std::string_literals;

constexpr std::string_view kAllowed[] = {"collections.OrderedDict"};

absl::StatusOr<Pickle> Parse(const std::string& bytes) {
  return ParsePickle(Bytes(bytes), "p", kAllowed);
}

std::string PickleError(const std::string& bytes) {
  const auto pickle = Parse(bytes);
  EXPECT_FALSE(pickle.ok());
  return std::string(pickle.status().message());
}

TEST(Pickle, ReadsScalars) {
  EXPECT_EQ(Parse("\x80\x02N.")->root().kind, Kind::kNone);
  EXPECT_EQ(Parse("\x80\x02\x88.")->root().number, 1);
  EXPECT_EQ(Parse("\x80\x02K\xff.")->root().number, 255);
  EXPECT_EQ(Parse("\x80\x02M\xff\xff.")->root().number, 65535);
  EXPECT_EQ(Parse("\x80\x02J\xfe\xff\xff\xff.")->root().number, -2);
  EXPECT_EQ(Parse("\x80\x02\x8a\x02\xe9\x03.")->root().number, 1001);
  EXPECT_EQ(Parse("\x80\x02\x8a\x01\xff.")->root().number, -1);
  EXPECT_EQ(Parse("\x80\x02\x8a\x00."s)->root().number, 0);
  EXPECT_EQ(Parse("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."s)->root().kind,
            Kind::kBigInt);
  EXPECT_EQ(Parse("\x80\x02X\x03\x00\x00\x00"s + "ab\xff.")->root().text, "ab\xff");
  EXPECT_EQ(Parse("\x80\x02G\x00\x00\x00\x00\x00\x00\x00\x00."s)->root().kind, Kind::kFloat);
}

TEST(Pickle, ReadsContainersAndReportsWhereItStopped) {
  // {1: (2, [3, 4])}, followed by other bytes.
  const std::string bytes = "\x80\x02}(K\x01K\x02](K\x03K\x04\x65\x86u.rest";
  const auto pickle = ExpectOk(Parse(bytes));
  EXPECT_EQ(pickle->bytes_used, bytes.size() - 4);
  ASSERT_EQ(pickle->root().kind, Kind::kDict);
  ASSERT_EQ(pickle->root().items.size(), 2U);
  const PickleNode& tuple = pickle->node(pickle->root().items[1]);
  ASSERT_EQ(tuple.kind, Kind::kTuple);
  const PickleNode& list = pickle->node(tuple.items[1]);
  ASSERT_EQ(list.items.size(), 2U);
  EXPECT_EQ(pickle->node(list.items[1]).number, 4);
}

TEST(Pickle, KeepsCallsAndPersistentIdsAsNodes) {
  const auto call = ExpectOk(Parse("\x80\x02"s + "ccollections\nOrderedDict\n)R}b."));
  EXPECT_EQ(call->root().kind, Kind::kCall);
  EXPECT_EQ(call->node(call->root().items[0]).text, "collections.OrderedDict");
  EXPECT_EQ(Parse("\x80\x02K\x07Q.")->root().kind, Kind::kPersistent);
  EXPECT_EQ(Parse("\x80\x04\x8c\x0b"s + "collections\x8c\x0bOrderedDict\x93.")->root().kind,
            Kind::kGlobal);
}

TEST(Pickle, RefusesGlobalsThatAreNotListed) {
  EXPECT_THAT(
      PickleError("\x80\x02"s + "cos\nsystem\nX\x02\x00\x00\x00ls\x85R."s),
      HasSubstr("p: pickle at byte 2: global 'os.system' is not one that a checkpoint needs"));
  EXPECT_THAT(PickleError("\x80\x04\x8c\x02os\x8c\x06system\x93."),
              HasSubstr("global 'os.system'"));
  EXPECT_THAT(PickleError("\x80\x02"s + "cbuiltins\neval\n."), HasSubstr("global 'builtins.eval'"));
  EXPECT_THAT(PickleError("\x80\x02"s + "ccollections.OrderedDict\nx\n."), HasSubstr("refused"));
  EXPECT_THAT(PickleError("\x80\x02"s + "ccollections\nOrderedDict"),
              HasSubstr("a name that does not end"));
}

TEST(Pickle, RefusesOpcodesThatMakeObjects) {
  // INST, OBJ, NEWOBJ, EXT1, BUILD of a value that is not an object, REDUCE of a value that is not
  // a function.
  EXPECT_THAT(PickleError("\x80\x02(ios\nsystem\n."), HasSubstr("opcode 0x69"));
  EXPECT_THAT(PickleError("\x80\x02(o."), HasSubstr("opcode 0x6f"));
  EXPECT_THAT(PickleError("\x80\x02))\x81."), HasSubstr("opcode 0x81"));
  EXPECT_THAT(PickleError("\x80\x02\x82\x01."), HasSubstr("opcode 0x82"));
  EXPECT_THAT(PickleError("\x80\x02}}b."),
              HasSubstr("state is set on a value that is not an object"));
  EXPECT_THAT(PickleError("\x80\x02K\x01)R."), HasSubstr("unknown function"));
}

TEST(Pickle, RefusesStreamsThatAreCutShortAnywhere) {
  const std::string whole =
      "\x80\x02}(X\x01\x00\x00\x00kJ\x01\x00\x00\x00X\x01\x00\x00\x00lK\x01u."s;
  ASSERT_TRUE(Parse(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(PickleError(whole.substr(0, size)), HasSubstr("cut short")) << size;
  }
}

TEST(Pickle, RefusesABrokenStack) {
  EXPECT_THAT(PickleError("\x80\x02."), HasSubstr("values left on the stack"));
  EXPECT_THAT(PickleError("\x80\x02K\x01K\x02."), HasSubstr("values left on the stack"));
  EXPECT_THAT(PickleError("\x80\x02(K\x01."), HasSubstr("values left on the stack"));
  EXPECT_THAT(PickleError("\x80\x02K\x01\x86."), HasSubstr("too few values"));
  EXPECT_THAT(PickleError("\x80\x02K\x01(R."), HasSubstr("too few values"));
  EXPECT_THAT(PickleError("\x80\x02K\x01t."), HasSubstr("no mark"));
  EXPECT_THAT(PickleError("\x80\x02K\x01(K\x01K\x02u."), HasSubstr("not a dict"));
  EXPECT_THAT(PickleError("\x80\x02}(K\x01u."), HasSubstr("not a dict"));
  EXPECT_THAT(PickleError("\x80\x02K\x01K\x02"s + "a."), HasSubstr("not a list"));
  EXPECT_THAT(PickleError("\x80\x02h\x05."), HasSubstr("memo entry 5 does not exist"));
  EXPECT_THAT(PickleError("\x80\x09."), HasSubstr("protocol 9"));
}

TEST(Pickle, RefusesBombs) {
  // Too deep nesting.
  EXPECT_THAT(PickleError("\x80\x02" + std::string(100000, '(')), HasSubstr("nested deeper"));
  // Too many values, on the stack and in the memo.
  EXPECT_THAT(PickleError("\x80\x02" + std::string(1 << 20, 'N')),
              HasSubstr("more than 524288 values"));
  std::string gets = "\x80\x02Nq";
  gets.push_back('\0');
  for (int i = 0; i < (1 << 20); ++i) gets += "h\0"s;
  EXPECT_THAT(PickleError(gets), HasSubstr("stack is too deep"));
  std::string puts = "\x80\x02N";
  for (uint32_t i = 0; i < (1U << 19) + 1; ++i) puts += "r" + Raw(i);
  EXPECT_THAT(PickleError(puts), HasSubstr("more than 524288 memo entries"));
  // A string longer than the file, and one that exceeds the limit.
  EXPECT_THAT(PickleError("\x80\x02X\xff\xff\xff\xff"), HasSubstr("string of 4294967295 bytes"));
  EXPECT_THAT(PickleError("\x80\x02X" + Raw(uint32_t{70000}) + std::string(70000, 'x') + "."),
              HasSubstr("string of 70000 bytes, expected at most 65536"));
}

TEST(Pickle, DoublingListsStayLinear) {
  // Each list contains the previous one twice. Expanded, they would be 2^60 values.
  std::string bytes = "\x80\x02]q"s + std::string(1, '\0');
  for (int level = 1; level <= 60; ++level) {
    const char previous = static_cast<char>(level - 1);
    bytes += "](h"s + previous + "h" + previous + "eq" + static_cast<char>(level);
  }
  // All lists are on the stack. STOP needs a single value, so this pickle is refused. A tuple of
  // all of them is accepted.
  const auto pickle = Parse(bytes + ".");
  EXPECT_FALSE(pickle.ok());
  std::string tuple = "\x80\x02(" + bytes.substr(2) + "t.";
  const auto whole = ExpectOk(Parse(tuple));
  EXPECT_EQ(whole->nodes.size(), 62U);
}

TEST(Pickle, TakesAListThatHoldsItself) {
  const auto pickle = ExpectOk(Parse("\x80\x02]q\x01h\x01"s + "a."));
  EXPECT_EQ(&pickle->node(pickle->root().items[0]), &pickle->root());
}

}  // namespace
}  // namespace dragoman::engine
