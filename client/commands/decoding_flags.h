// The flags of DecodingOptions, one for each row of proto/options/decoding_options.inc. Values
// go into the message by the field's type, so that a new option needs nothing here.
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

// Adds a flag for each number, enum and list of numbers or texts. The table borrows `decoding`.
// What is out of an option's range is refused with the range; rules between options are the
// server's. Left out are required_phrases and sampling, which are more than a value.
void AddDecodingFlags(FlagTable* flags, v1::DecodingOptions* decoding);

// The row's help text with its range and default.
std::string HelpOf(std::string_view option);

// The value of `type` whose name in small letters is `choice`, or nullptr. Not the one for "unset".
const google::protobuf::EnumValueDescriptor* FindChoice(
    const google::protobuf::EnumDescriptor& type, const std::string& choice);

// The names of all values but the one for "unset", in small letters.
std::vector<std::string> ChoicesOf(const google::protobuf::EnumDescriptor& type);

}  // namespace dragoman::client
