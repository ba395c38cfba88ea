#include "client/commands/decoding_flags.h"

#include <charconv>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "options/decoding_options.h"

namespace dragoman::client {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// A field, and the message that contains it.
struct Place {
  Message* message;
  const FieldDescriptor* field;
};

// Returns the place of the field with this path. Creates the messages that contain it. REQUIRES:
// `path` leads to a field of DecodingOptions.
Place PlaceOf(const std::string& path, Message* message) {
  const std::vector<std::string> names = absl::StrSplit(path, '.');
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    const FieldDescriptor* group = message->GetDescriptor()->FindFieldByName(names[i]);
    message = message->GetReflection()->MutableMessage(message, group);
  }
  return {message, message->GetDescriptor()->FindFieldByName(names.back())};
}

const FieldDescriptor* FieldOf(const std::string& path) {
  const google::protobuf::Descriptor* type = v1::DecodingOptions::descriptor();
  const FieldDescriptor* field = nullptr;
  for (const auto name : absl::StrSplit(path, '.')) {
    field = type->FindFieldByName(std::string(name));
    type = field->message_type();
  }
  return field;
}

template <typename T>
bool Parse(std::string_view text, const NumberRange& range, T* value) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && at == end && range.Contains(*value);
}

// Sets a field, or appends to a repeated field. Returns false if `text` is not a value of the
// field's type or is out of range.
bool SetValue(const Place& place, const NumberRange& range, const std::string& text) {
  const auto* reflection = place.message->GetReflection();
  switch (place.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: {
      int32_t value = 0;
      if (!Parse(text, range, &value)) return false;
      if (place.field->is_repeated()) {
        reflection->AddInt32(place.message, place.field, value);
      } else {
        reflection->SetInt32(place.message, place.field, value);
      }
      return true;
    }
    case FieldDescriptor::CPPTYPE_UINT64: {
      uint64_t value = 0;
      if (!Parse(text, range, &value)) return false;
      reflection->SetUInt64(place.message, place.field, value);
      return true;
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      float value = 0;
      if (!Parse(text, range, &value)) return false;
      reflection->SetFloat(place.message, place.field, value);
      return true;
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* value = FindChoice(*place.field->enum_type(), text);
      if (value == nullptr) return false;
      reflection->SetEnum(place.message, place.field, value);
      return true;
    }
    default:
      reflection->AddString(place.message, place.field, text);
      return true;
  }
}

std::string ExpectedOf(const FieldDescriptor& field, const NumberRange& range) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_ENUM:
      return absl::StrCat("one of ", absl::StrJoin(ChoicesOf(*field.enum_type()), ", "));
    case FieldDescriptor::CPPTYPE_UINT64:
      return "a whole number from 0 to 18446744073709551615";
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat("a whole number, ", range.Words());
    default:
      return range.Words();
  }
}

// Wraps the text into lines of at most 66 columns.
std::string Wrapped(const std::string& text) {
  constexpr size_t kColumns = 66;
  std::string out;
  size_t column = 0;
  for (const auto word : absl::StrSplit(text, ' ')) {
    if (column > 0 && column + 1 + word.size() > kColumns) {
      out += '\n';
      column = 0;
    }
    if (column > 0) out += ' ';
    column += word.size() + (column > 0 ? 1 : 0);
    absl::StrAppend(&out, word);
  }
  return out;
}

bool IsMoreThanAValue(const DecodingOption& option) {
  return option.kind == DecodingOption::Kind::kSwitch || option.name == "required_phrases";
}

}  // namespace

const google::protobuf::EnumValueDescriptor* FindChoice(
    const google::protobuf::EnumDescriptor& type, const std::string& choice) {
  if (choice != absl::AsciiStrToLower(choice)) return nullptr;
  const auto* value = type.FindValueByName(absl::AsciiStrToUpper(choice));
  return value != nullptr && value->number() != 0 ? value : nullptr;
}

std::vector<std::string> ChoicesOf(const google::protobuf::EnumDescriptor& type) {
  std::vector<std::string> choices;
  for (int i = 1; i < type.value_count(); ++i) {
    choices.push_back(absl::AsciiStrToLower(type.value(i)->name()));
  }
  return choices;
}

std::string HelpOf(std::string_view name) {
  for (const DecodingOption& option : kDecodingOptions) {
    if (option.name != name) continue;
    const bool has_range = option.kind == DecodingOption::Kind::kNumber &&
                           option.range.kind != NumberRange::Kind::kAny;
    return Wrapped(absl::StrCat(std::string(option.help), " (",
                                has_range ? option.range.Words() + "; " : std::string(),
                                "default: ", option.by_default.Words(), ")"));
  }
  return "";
}

void AddDecodingFlags(FlagTable* flags, v1::DecodingOptions* decoding) {
  for (const DecodingOption& option : kDecodingOptions) {
    if (IsMoreThanAValue(option)) continue;
    const std::string path(option.name);
    const FieldDescriptor* field = FieldOf(path);
    const bool is_text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    const NumberRange range = option.range;
    FlagTable::Setter set = [=](const std::string& text) -> std::string {
      const Place place = PlaceOf(path, decoding);
      const bool is_list = field->is_repeated() && !is_text;
      const std::vector<std::string> values =
          is_list ? std::vector<std::string>(absl::StrSplit(text, ',')) : std::vector{text};
      for (const std::string& value : values) {
        if (!SetValue(place, range, value)) return ExpectedOf(*field, range);
      }
      return "";
    };
    const std::string value = field->enum_type() != nullptr
                                  ? absl::StrJoin(ChoicesOf(*field->enum_type()), "|")
                                  : std::string(option.value);
    flags->Custom(option.Flag(), value, is_text, std::move(set), HelpOf(option.name));
    if (!option.alias.empty()) flags->Alias(std::string(option.alias));
  }
}

}  // namespace dragoman::client
