// CMakeLists.txt compiles this file without optimization, so that every inline function is called
// through its symbol. Two types with the same qualified name would then share their functions.
#include "server/api/field_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/formats/field_reader.h"

namespace dragoman::server {
namespace {

using ::testing::HasSubstr;

class ModelFields : public engine::FieldReader {
 public:
  ModelFields() : engine::FieldReader("config.json") {}

 private:
  std::string Found(std::string_view /*name*/) const override { return "is 3"; }
};

TEST(FieldReader, LivesInOneProgramWithTheReaderOfModelFiles) {
  static_assert(sizeof(FieldReader) != sizeof(engine::FieldReader));
  const nlohmann::json fields = {{"text", "Hallo"}, {"flag", true}};
  FieldReader request(fields);
  ModelFields model;
  model.Fail("d_model", "a multiple of 8");
  EXPECT_EQ(request.Text("text"), "Hallo");
  EXPECT_TRUE(request.Flag("flag"));
  EXPECT_TRUE(request.status().ok()) << request.status();
  EXPECT_EQ(model.status().message(),
            "config.json: field 'd_model' is 3, expected a multiple of 8");
  EXPECT_EQ(model.file(), "config.json");
}

TEST(FieldReader, KeepsTheFirstError) {
  const nlohmann::json fields = {{"list", {"a", "b"}}, {"glossary", "terms"}};
  FieldReader reader(fields);
  EXPECT_EQ(reader.Texts("list"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reader.TextOr("missing", "otherwise"), "otherwise");
  EXPECT_FALSE(reader.Flag("missing"));
  EXPECT_TRUE(reader.status().ok());
  EXPECT_EQ(reader.Text("missing"), "");
  reader.Refuse("glossary", "it is not supported");
  EXPECT_EQ(reader.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(reader.status().message()), HasSubstr("missing"));
}

}  // namespace
}  // namespace dragoman::server
