#include "server/api/proto_json.h"

#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/limited_json.h"
#include "server/api/json_body.h"
#include "server/base/quoted.h"
#include "server/base/work_count.h"
#include "server/call/request_error.h"
#include "server/call/violations.h"

namespace dragoman::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::json;

constexpr engine::JsonLimits kMessageLimits{
    .max_bytes = kMaxJsonBytes, .max_depth = 16, .max_values = 1 << 17, .max_fields = 1 << 12};

// Decodes the standard alphabet or that for URLs, with padding or without.
std::optional<std::string> DecodeBase64(const std::string& text) {
  std::string bytes;
  if (absl::Base64Unescape(text, &bytes) || absl::WebSafeBase64Unescape(text, &bytes)) {
    return bytes;
  }
  return std::nullopt;
}

// Describes a value without its text, which may be private.
std::string Found(const Json& value) {
  if (value.is_number()) return absl::StrCat("found the number ", value.dump());
  if (value.is_boolean()) return absl::StrCat("found ", value.get<bool>() ? "true" : "false");
  if (value.is_string()) return "found a string";
  if (value.is_null()) return "found null";
  return value.is_array() ? "found an array" : "found an object";
}

std::string FieldNames(const Descriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->name());
  return absl::StrJoin(names, ", ");
}

std::string ValueNames(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) names.push_back(type.value(i)->name());
  return absl::StrJoin(names, ", ");
}

const FieldDescriptor* FindField(const Descriptor& type, const std::string& name) {
  const FieldDescriptor* field = type.FindFieldByName(name);
  return field != nullptr ? field : type.FindFieldByCamelcaseName(name);
}

// Reads a number or a string with a number; nothing for anything else, such as "" or "0x10".
template <typename Number>
std::optional<Number> ReadInteger(const Json& value) {
  constexpr auto kMin = std::numeric_limits<Number>::min();
  constexpr auto kMax = std::numeric_limits<Number>::max();
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(kMax)) return std::nullopt;
    return static_cast<Number>(number);
  }
  if (value.is_number_integer()) {
    const auto number = value.get<int64_t>();
    if (number < 0 && (kMin == 0 || number < static_cast<int64_t>(kMin))) return std::nullopt;
    if (number > 0 && static_cast<uint64_t>(number) > static_cast<uint64_t>(kMax)) {
      return std::nullopt;
    }
    return static_cast<Number>(number);
  }
  if (value.is_number_float()) {
    // Numbers such as 1e3 and 5.0 are integers. Above 2^53, doubles do not represent every integer.
    const auto number = value.get<double>();
    constexpr double kExact = 9007199254740992.0;
    if (std::trunc(number) != number || std::abs(number) > kExact) return std::nullopt;
    return ReadInteger<Number>(Json(static_cast<int64_t>(number)));
  }
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  const size_t digits_at = text.starts_with('-') ? 1 : 0;
  if (text.size() == digits_at ||
      text.find_first_not_of("0123456789", digits_at) != std::string::npos) {
    return std::nullopt;
  }
  if (int64_t number = 0; absl::SimpleAtoi(text, &number)) return ReadInteger<Number>(Json(number));
  if (uint64_t number = 0; absl::SimpleAtoi(text, &number)) {
    return ReadInteger<Number>(Json(number));
  }
  return std::nullopt;
}

std::optional<double> ReadReal(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  // SimpleAtod accepts other words for infinity and NaN than JSON does.
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string::npos) {
    return std::nullopt;
  }
  double number = 0;
  if (!absl::SimpleAtod(text, &number)) return std::nullopt;
  return number;
}

class Reader {
 public:
  absl::Status Status() const { return violations_.Status(); }

  void ReadMessage(const Json& object, const std::string& path, Message* message) {
    const Descriptor& type = *message->GetDescriptor();
    if (!object.is_object()) return Wrong(path, object, "an object");
    const std::string prefix = path.empty() ? "" : path + ".";
    std::vector<bool> seen(type.field_count(), false);
    for (const auto& [name, value] : object.items()) {
      const FieldDescriptor* field = FindField(type, name);
      if (field == nullptr) {
        violations_.Invalid(
            prefix + Printable(name),
            absl::StrCat("found an unknown field, expected one of ", FieldNames(type)));
        continue;
      }
      const std::string field_path = prefix + field->name();
      if (seen[field->index()]) {
        violations_.Invalid(field_path, absl::StrCat("found as ", field->name(), " and as ",
                                                     field->json_name(), ", expected one of them"));
        continue;
      }
      seen[field->index()] = true;
      if (value.is_null()) continue;
      if (field->is_map()) {
        ReadMap(value, field_path, *field, message);
      } else if (field->is_repeated()) {
        if (!value.is_array()) {
          Wrong(field_path, value, "an array");
          continue;
        }
        for (size_t i = 0; i < value.size(); ++i) {
          ReadValue(value[i], absl::StrCat(field_path, "[", i, "]"), *field, message);
        }
      } else {
        ReadValue(value, field_path, *field, message);
      }
    }
  }

 private:
  void Wrong(const std::string& path, const Json& found, std::string_view expected) {
    violations_.Invalid(path, absl::StrCat(Found(found), ", expected ",
                                           absl::string_view(expected.data(), expected.size())));
  }

  // Reads a map of strings to strings.
  void ReadMap(const Json& value, const std::string& path, const FieldDescriptor& field,
               Message* message) {
    if (!value.is_object()) return Wrong(path, value, "an object of strings");
    const Reflection& reflection = *message->GetReflection();
    for (const auto& [key, entry] : value.items()) {
      if (!entry.is_string()) {
        Wrong(absl::StrCat(path, "[", Quoted(key), "]"), entry, "a string");
        continue;
      }
      Message* added = reflection.AddMessage(message, &field);
      const Reflection& pair = *added->GetReflection();
      pair.SetString(added, field.message_type()->map_key(), key);
      pair.SetString(added, field.message_type()->map_value(),
                     entry.template get_ref<const std::string&>());
    }
  }

  // Sets the field, or adds to it if it is repeated.
  void ReadValue(const Json& value, const std::string& path, const FieldDescriptor& field,
                 Message* message) {
    const Reflection& reflection = *message->GetReflection();
    const bool adds = field.is_repeated();
    // `add` and `set` are functions of Reflection. `read` is empty if the value has another type.
    const auto put = [&](auto read, auto add, auto set, std::string_view expected) {
      if (!read.has_value()) return Wrong(path, value, expected);
      (reflection.*(adds ? add : set))(message, &field, *std::move(read));
    };
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        if (field.type() == FieldDescriptor::TYPE_BYTES) {
          std::optional<std::string> bytes;
          if (value.is_string()) bytes = DecodeBase64(value.get_ref<const std::string&>());
          return put(std::move(bytes), &Reflection::AddString, &Reflection::SetString,
                     "bytes in base64");
        }
        return put(value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt,
                   &Reflection::AddString, &Reflection::SetString, "a string");
      case FieldDescriptor::CPPTYPE_BOOL:
        return put(value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt,
                   &Reflection::AddBool, &Reflection::SetBool, "true or false");
      case FieldDescriptor::CPPTYPE_INT32:
        return put(ReadInteger<int32_t>(value), &Reflection::AddInt32, &Reflection::SetInt32,
                   "an integer of 32 bits");
      case FieldDescriptor::CPPTYPE_INT64:
        return put(ReadInteger<int64_t>(value), &Reflection::AddInt64, &Reflection::SetInt64,
                   "an integer of 64 bits");
      case FieldDescriptor::CPPTYPE_UINT32:
        return put(ReadInteger<uint32_t>(value), &Reflection::AddUInt32, &Reflection::SetUInt32,
                   "an integer of 32 bits, 0 or more");
      case FieldDescriptor::CPPTYPE_UINT64:
        return put(ReadInteger<uint64_t>(value), &Reflection::AddUInt64, &Reflection::SetUInt64,
                   "an integer of 64 bits, 0 or more");
      case FieldDescriptor::CPPTYPE_FLOAT:
        return put(ReadReal(value), &Reflection::AddFloat, &Reflection::SetFloat, "a number");
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return put(ReadReal(value), &Reflection::AddDouble, &Reflection::SetDouble, "a number");
      case FieldDescriptor::CPPTYPE_ENUM:
        return ReadEnumValue(value, path, field, message);
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return ReadMessage(value, path,
                           adds ? reflection.AddMessage(message, &field)
                                : reflection.MutableMessage(message, &field));
    }
  }

  // Reads an enum value, which is given by name or by number. The check of the request reports
  // unknown numbers.
  void ReadEnumValue(const Json& value, const std::string& path, const FieldDescriptor& field,
                     Message* message) {
    const EnumDescriptor& type = *field.enum_type();
    std::optional<int32_t> number;
    if (value.is_string()) {
      const auto* named = type.FindValueByName(value.get_ref<const std::string&>());
      if (named == nullptr) {
        violations_.Invalid(path,
                            absl::StrCat("found ", Quoted(value.get_ref<const std::string&>()),
                                         ", expected one of ", ValueNames(type)));
        return;
      }
      number = named->number();
    } else {
      number = ReadInteger<int32_t>(value);
    }
    if (!number.has_value()) {
      return Wrong(path, value, absl::StrCat("one of ", ValueNames(type)));
    }
    const Reflection& reflection = *message->GetReflection();
    field.is_repeated() ? reflection.AddEnumValue(message, &field, *number)
                        : reflection.SetEnumValue(message, &field, *number);
  }

  Violations violations_;
};

}  // namespace

absl::Status ReadProtoJson(std::string_view text, Message* message) {
  CountBytes(text.size());
  const std::optional<std::string> mended = WithoutLoneSurrogates(text);
  const auto json =
      engine::ParseJson(mended.has_value() ? *mended : text, "the body", kMessageLimits);
  if (!json.ok()) {
    return InvalidField("", absl::StrCat(json.status().message(), ", expected the JSON of a ",
                                         message->GetDescriptor()->name()));
  }
  Reader reader;
  reader.ReadMessage(*json, "", message);
  return reader.Status();
}

std::string WriteProtoJson(const Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string json;
  // Writing fails only for details of an error whose type this program does not have.
  if (google::protobuf::util::MessageToJsonString(message, &json, options).ok()) return json;
  return "{}";
}

}  // namespace dragoman::server
