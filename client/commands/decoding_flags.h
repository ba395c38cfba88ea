// The flags of DecodingOptions, one for each row of proto/options/decoding_options.inc. The field's
// type decides how a value is stored, so a new option needs no change here.
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

// Adds a flag for each number, enum and list of numbers or texts, but not for required_phrases and
// sampling, which are more than a value. The table borrows `decoding`. A flag refuses a value
// outside the option's range. The server checks the rules between options.
void AddDecodingFlags(FlagTable* flags, v1::DecodingOptions* decoding);

// Returns the row's help text with its range and default.
std::string HelpOf(std::string_view option);

// Returns the value of `type` with the lowercase name `choice`, or nullptr. Excludes "unset".
const google::protobuf::EnumValueDescriptor* FindChoice(
    const google::protobuf::EnumDescriptor& type, const std::string& choice);

// Returns the lowercase names of all values except the one for "unset".
std::vector<std::string> ChoicesOf(const google::protobuf::EnumDescriptor& type);

}  // namespace dragoman::client
