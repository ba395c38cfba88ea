// Which fields of a message a test has left unset, so that a test which means to cover all of them
// fails for one that is added to the contract.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <set>
#include <string>

namespace dragoman::server {

// Adds the paths of fields that are unset, such as "alternatives.score": at any depth, and in every
// element of a repeated field. A number that is 0 or a text that is empty counts as unset where its
// field has no presence.
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
