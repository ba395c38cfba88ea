// Checks that the contract's fields, the table of options and the documents list the same options.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/commands/decoding_flags.h"
#include "dragoman/v1/translation.pb.h"
#include "options/decoding_options.h"

namespace dragoman::client {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

std::set<std::string> NamesOfTable() {
  std::set<std::string> names;
  for (const DecodingOption& option : kDecodingOptions) names.insert(std::string(option.name));
  return names;
}

// Adds the fields of `type`. A group counts by its fields and is not added itself, except sampling,
// whose presence requests it.
void AddFields(const Descriptor& type, const std::string& prefix, std::set<std::string>* names) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    const std::string name = prefix + field->name();
    const bool is_group = field->message_type() != nullptr && !field->is_repeated();
    if (!is_group || name == "sampling") names->insert(name);
    if (is_group) AddFields(*field->message_type(), name + ".", names);
  }
}

TEST(OptionsAgreement, EveryFieldHasARowAndEveryRowAField) {
  std::set<std::string> fields;
  AddFields(*v1::DecodingOptions::descriptor(), "", &fields);
  EXPECT_EQ(NamesOfTable(), fields);
}

const FieldDescriptor* FieldOf(const std::string& path) {
  const Descriptor* type = v1::DecodingOptions::descriptor();
  const FieldDescriptor* field = nullptr;
  for (const auto name : absl::StrSplit(path, '.')) {
    field = type->FindFieldByName(std::string(name));
    type = field->message_type();
  }
  return field;
}

TEST(OptionsAgreement, NumbersCanBeToldFromUnset) {
  for (const DecodingOption& option : kDecodingOptions) {
    const FieldDescriptor* field = FieldOf(std::string(option.name));
    switch (option.kind) {
      case DecodingOption::Kind::kNumber:
        EXPECT_TRUE(field->has_presence()) << option.name;
        EXPECT_TRUE(field->enum_type() == nullptr) << option.name;
        break;
      case DecodingOption::Kind::kChoice:
        EXPECT_TRUE(field->enum_type() != nullptr) << option.name;
        break;
      case DecodingOption::Kind::kList:
        EXPECT_TRUE(field->is_repeated()) << option.name;
        break;
      case DecodingOption::Kind::kSwitch:
        EXPECT_TRUE(field->message_type() != nullptr) << option.name;
        break;
    }
  }
}

// Returns the lines between "<!-- options -->" and "<!-- end of options -->".
std::vector<std::string> TableOf(const std::string& document) {
  std::ifstream file(absl::StrCat(DRAGOMAN_SOURCE_DIR, "/", document));
  EXPECT_TRUE(file.is_open()) << document;
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "<!-- end of options -->") return lines;
    if (inside) lines.push_back(line);
    if (line == "<!-- options -->") inside = true;
  }
  ADD_FAILURE() << document << " has no table of options";
  return lines;
}

// Escapes `|` in a cell, before which Markdown needs a backslash.
std::string Cell(const std::string& text) {
  return absl::StrJoin(absl::StrSplit(text, '|'), "\\|");
}

std::string RangeOf(const DecodingOption& option) {
  const FieldDescriptor* field = FieldOf(std::string(option.name));
  if (field->enum_type() != nullptr) return absl::StrJoin(ChoicesOf(*field->enum_type()), ", ");
  if (option.kind == DecodingOption::Kind::kSwitch) return "";
  std::string range = option.range.Words();
  if (option.kind != DecodingOption::Kind::kList) return range;
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_INT32) range += " bytes";
  return absl::StrCat("at most ", option.most, ", each ", range);
}

std::string LineOf(const DecodingOption& option) {
  const std::string value =
      option.value.empty() ? "" : absl::StrCat(" ", std::string(option.value));
  std::string flags = absl::StrCat("`--", option.Flag(), value, "`");
  if (!option.alias.empty()) absl::StrAppend(&flags, " `--", std::string(option.alias), "`");
  return absl::StrCat("| `", std::string(option.name), "` | ", flags, " | ", RangeOf(option), " | ",
                      option.by_default.Words(), " | ", Cell(std::string(option.help)), " |");
}

TEST(OptionsAgreement, TheClientsDocumentHasTheTable) {
  std::vector<std::string> expected = {"| option | flags | range | default | what |",
                                       "|---|---|---|---|---|"};
  for (const DecodingOption& option : kDecodingOptions) expected.push_back(LineOf(option));
  EXPECT_EQ(TableOf("client/OPTIONS.md"), expected) << "expected, between the markers:\n\n"
                                                    << absl::StrJoin(expected, "\n");
}

TEST(OptionsAgreement, TheRulesOfTheSearchNameEveryOption) {
  std::set<std::string> named;
  for (const std::string& line : TableOf("kernels/search/SEARCH.md")) {
    const std::vector<std::string> quoted = absl::StrSplit(line, '`');
    if (quoted.size() > 1) named.insert(quoted[1]);
  }
  EXPECT_EQ(named, NamesOfTable());
}

TEST(OptionsAgreement, HelpLinesStandAlone) {
  for (const DecodingOption& option : kDecodingOptions) {
    const std::string help(option.help);
    for (const char* reference : {"see --", "see above"}) {
      EXPECT_EQ(help.find(reference), std::string::npos) << option.name << ": " << help;
    }
    EXPECT_NE(help.back(), '.') << option.name;
  }
}

}  // namespace
}  // namespace dragoman::client
