#include "server/call/wire_check.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

constexpr int kMaxDepth = 16;
constexpr size_t kMaxNamed = 8;

// Returns the first string field in `fields` that is not UTF-8, with its path.
std::optional<FieldViolation> FirstBadString(const Descriptor& type, const UnknownFieldSet& fields,
                                             const std::string& prefix, int depth) {
  std::vector<int> seen(type.field_count(), 0);
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    const FieldDescriptor* known = type.FindFieldByNumber(field.number());
    if (known == nullptr || field.type() != UnknownField::TYPE_LENGTH_DELIMITED) continue;
    const int ordinal = seen[known->index()]++;
    std::string path = absl::StrCat(prefix, known->name());
    if (known->is_repeated()) absl::StrAppend(&path, "[", ordinal, "]");
    const std::string& value = field.length_delimited();
    if (known->type() == FieldDescriptor::TYPE_STRING) {
      if (const auto bad = engine::FirstInvalidUtf8(value)) {
        return FieldViolation{path, absl::StrCat("not UTF-8 at byte ", *bad, " of ", value.size(),
                                                 ", expected UTF-8")};
      }
    } else if (known->type() == FieldDescriptor::TYPE_MESSAGE && depth < kMaxDepth) {
      UnknownFieldSet nested;
      if (!nested.ParseFromString(value)) {
        return FieldViolation{path, "not a protobuf message"};
      }
      auto bad = FirstBadString(*known->message_type(), nested, path + ".", depth + 1);
      if (bad.has_value()) return bad;
    }
  }
  return std::nullopt;
}

void AddUnknown(const Message& message, std::vector<std::string>* names) {
  const auto* reflection = message.GetReflection();
  const UnknownFieldSet& unknown = reflection->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count() && names->size() < kMaxNamed; ++i) {
    names->push_back(
        absl::StrCat(message.GetDescriptor()->name(), " field ", unknown.field(i).number()));
  }
  for (int f = 0; f < message.GetDescriptor()->field_count(); ++f) {
    const FieldDescriptor* field = message.GetDescriptor()->field(f);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) continue;
    if (!field->is_repeated()) {
      if (reflection->HasField(message, field)) {
        AddUnknown(reflection->GetMessage(message, field), names);
      }
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field) && names->size() < kMaxNamed; ++i) {
      AddUnknown(reflection->GetRepeatedMessage(message, field, i), names);
    }
  }
}

// Returns INVALID_ARGUMENT that names the field that is not UTF-8, or says that `bytes` are not a
// message of `type`. REQUIRES: the protobuf parser refused `bytes`.
absl::Status ExplainUnparsable(const Descriptor& type, std::string_view bytes) {
  UnknownFieldSet fields;
  if (fields.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    const auto bad = FirstBadString(type, fields, "", 0);
    if (bad.has_value()) return InvalidField(bad->field, bad->description);
  }
  return InvalidField("", absl::StrCat("the ", bytes.size(), " bytes of the request are not a ",
                                       type.name(), " message"));
}

}  // namespace

std::vector<std::string> UnknownFields(const Message& message) {
  std::vector<std::string> names;
  AddUnknown(message, &names);
  return names;
}

absl::Status ParseMessage(std::string_view bytes, Message* message) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return ExplainUnparsable(*message->GetDescriptor(), bytes);
  }
  return absl::OkStatus();
}

absl::Status ParseKnown(std::string_view bytes, Message* message) {
  if (absl::Status parsed = ParseMessage(bytes, message); !parsed.ok()) return parsed;
  const std::vector<std::string> unknown = UnknownFields(*message);
  return unknown.empty() ? absl::OkStatus() : UnimplementedFields(unknown);
}

}  // namespace dragoman::server
