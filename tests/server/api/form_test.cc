#include "server/api/form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

HttpRequest Request(const std::string& query, const std::string& type, const std::string& body) {
  HttpRequest request;
  request.method = "POST";
  request.query = query;
  request.body = body;
  request.headers = {{"content-type", type}};
  return request;
}

constexpr char kMultipart[] = "multipart/form-data; boundary=\"x y\"";

TEST(Form, TakesTheQueryAndTheBody) {
  const auto form = ReadForm(Request("q=a+b&q=%C3%A4%26&empty&source=de",
                                     "Application/X-WWW-Form-Urlencoded; "
                                     "charset=UTF-8",
                                     "q=c%3d&target=en&&=x"));
  ASSERT_TRUE(form.ok()) << form.status();
  std::vector<std::string> values;
  for (const FormField& field : form->fields()) {
    if (field.name == "q") values.push_back(field.value);
  }
  EXPECT_THAT(values, ElementsAre("a b", "\xc3\xa4&", "c="));
  EXPECT_EQ(form->Find("empty"), "");
  EXPECT_EQ(form->Find("target"), "en");
  EXPECT_EQ(form->Find(""), "x");
  EXPECT_EQ(form->Find("none"), std::nullopt);
}

TEST(Form, OtherBodiesAreLeftAlone) {
  const auto form = ReadForm(Request("a=1", "application/json", "{%"));
  ASSERT_TRUE(form.ok());
  EXPECT_EQ(form->fields().size(), 1U);
}

TEST(Form, WhatIsWrongIsNamed) {
  for (const char* wrong : {"%", "a=%4", "a=%zz", "%g0=1"}) {
    EXPECT_THAT(ReadQuery(Request(wrong, "", "")).status().message(),
                HasSubstr("the query: found a '%' without"))
        << wrong;
  }
  EXPECT_THAT(ReadQuery(Request("a=%ff", "", "")).status().message(),
              HasSubstr("field 'a' that is not UTF-8"));
  std::string many;
  for (size_t i = 0; i <= kMaxFormFields; ++i) many += "a&";
  EXPECT_THAT(ReadQuery(Request(many, "", "")).status().message(), HasSubstr("more than 4096"));
}

TEST(Form, MultipartHasFieldsAndFiles) {
  const auto form = ReadForm(
      Request("", kMultipart,
              "--x y\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na&b%20\r\n"
              "--x y\r\ncontent-type: text/plain\r\ncontent-disposition: form-data; filename=\"a "
              "\\\"b.txt\";"
              " name=file\r\n\r\n\xff\r\n-\r\n"
              "--x y\r\nContent-Disposition: form-data; name=empty\r\n\r\n\r\n--x y--\r\n"));
  ASSERT_TRUE(form.ok()) << form.status();
  EXPECT_EQ(form->Find("q"), "a&b%20");
  EXPECT_EQ(form->Find("empty"), "");
  EXPECT_EQ(form->Find("file"), "\xff\r\n-");
  EXPECT_EQ(form->fields()[0].file_name, "");
  EXPECT_EQ(form->fields()[1].file_name, "a \"b.txt");
}

TEST(Form, BrokenMultipartIsRefused) {
  const std::string part = "--x y\r\nContent-Disposition: form-data; name=q\r\n\r\nv\r\n";
  EXPECT_TRUE(ReadForm(Request("", kMultipart, part + "--x y--")).ok());
  EXPECT_TRUE(ReadForm(Request("", kMultipart, "--x y--")).ok());
  for (const std::string& wrong :
       {std::string(), part, part + "--x y", " " + part + "--x y--", part + "--x y--x",
        std::string("--x y\r\nContent-Disposition: form-data\r\n\r\nv\r\n--x y--"),
        std::string("--x y\r\nContent-Disposition: attachment; name=q\r\n\r\nv\r\n--x y--"),
        std::string("--x y\r\nContent-Disposition: form-data; name=\"q\r\n\r\nv\r\n--x y--"),
        std::string("--x y\r\nno colon\r\n\r\nv\r\n--x y--"),
        std::string("--x y\r\n\r\nv\r\n--x y--"), std::string("--x y\r\nContent-Disposition"),
        std::string("--x y\nContent-Disposition: form-data; name=q\n\nv\n--x y--"),
        std::string("--x y\r\nContent-Disposition: form-data; name=q\r\n"
                    "Content-Transfer-Encoding: base64\r\n\r\nv\r\n--x y--"),
        std::string("--x y\r\nContent-Disposition: form-data; name=q\r\n\r\n\xff\r\n--x y--")}) {
    const auto form = ReadForm(Request("", kMultipart, wrong));
    EXPECT_EQ(form.status().code(), absl::StatusCode::kInvalidArgument) << wrong;
    EXPECT_THAT(form.status().message(), HasSubstr("multipart body: found")) << wrong;
  }
  for (const char* type : {"multipart/form-data",
                           "multipart/form-data; boundary=", "multipart/form-data; boundary=\"x"}) {
    EXPECT_FALSE(ReadForm(Request("", type, part + "--x y--")).ok()) << type;
  }
}

}  // namespace
}  // namespace dragoman::server
