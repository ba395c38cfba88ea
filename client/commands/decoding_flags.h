// The flags for DecodingOptions. Each row of proto/options/decoding_options.inc has one flag. How a
// value is stored depends on the type of the field, so a new option needs no change here.
//
// Not thread-safe.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>
#include <vector>

#include "client/commands/flags.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::client {

// Adds a flag for each option that is a number, an enum, or a list of numbers or texts. Adds none
// for required_phrases and sampling, which are messages. The table borrows `decoding`. A flag
// refuses a value outside the option's range. The server checks which options exclude each other.
void AddDecodingFlags(FlagTable* flags, v1::DecodingOptions* decoding);

// Returns the help text of an option with its range and default.
std::string HelpOf(std::string_view option);

// Returns the value of the enum `type` whose name in lower case is `choice`, or nullptr. Never
// returns value 0, which means "unset".
const google::protobuf::EnumValueDescriptor* FindChoice(
    const google::protobuf::EnumDescriptor& type, const std::string& choice);

// Returns the names of an enum's values in lower case, except value 0.
std::vector<std::string> ChoicesOf(const google::protobuf::EnumDescriptor& type);

}  // namespace dragoman::client
