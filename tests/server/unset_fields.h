// Finds the fields of a message that a test has not set. A test that must cover all fields then
// fails if the interface gets a new one.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <set>
#include <string>

namespace dragoman::server {

// Adds the paths of unset fields, such as "alternatives.score", at any depth and in every element
// of a repeated field. A field without presence counts as unset if it is 0 or empty.
inline void AddUnsetFields(const google::protobuf::Message& message, const std::string& prefix,
                           std::set<std::string>* paths) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const auto* field = message.GetDescriptor()->field(i);
    const std::string path = prefix + field->name();
    const int size = field->is_repeated() ? reflection.FieldSize(message, field)
                                          : static_cast<int>(reflection.HasField(message, field));
    if (size == 0) paths->insert(path);
    if (field->message_type() == nullptr || field->is_map()) continue;
    for (int at = 0; at < size; ++at) {
      AddUnsetFields(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, at)
                                          : reflection.GetMessage(message, field),
                     path + ".", paths);
    }
  }
}

inline std::set<std::string> UnsetFields(const google::protobuf::Message& message) {
  std::set<std::string> paths;
  AddUnsetFields(message, "", &paths);
  return paths;
}

}  // namespace dragoman::server
