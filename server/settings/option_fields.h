// Reads and writes the values of settings that are neither numbers nor plain text: choices of
// words, devices, comma-separated lists, addresses.
//
// Part of config.h. Pure. Each function borrows the field that its result sets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "server/base/address.h"
#include "server/settings/config.h"
#include "server/settings/option_table.h"

namespace dragoman::server {

// A word of a flag, and the value that it stands for.
template <typename E>
struct OptionWord {
  const char* name;
  E value;
};

// Joins the words for a message: "off, on or mutual". REQUIRES: at least two words.
std::string ListOfWords(const std::vector<std::string>& words);

// Makes a field whose text is one of the words in `names`. REQUIRES: `names` outlives the result.
template <typename E, size_t kSize>
TextField ChoiceField(E* field, const OptionWord<E> (&names)[kSize]) {
  TextField out;
  out.read = [field, &names](const std::string& text) -> std::string {
    std::vector<std::string> words;
    for (const OptionWord<E>& named : names) {
      words.emplace_back(named.name);
      if (text != named.name) continue;
      *field = named.value;
      return "";
    }
    return ListOfWords(words);
  };
  out.text = [field, &names]() -> std::string {
    for (const OptionWord<E>& named : names) {
      if (named.value == *field) return named.name;
    }
    return "";
  };
  return out;
}

TextField DeviceField(engine::DeviceRequest* field);
TextField ComputeTypeField(engine::DeviceRequest* field);
// Names of hosts, separated by commas.
TextField HostsField(std::vector<std::string>* field);
// Origins as browsers write them ("https://example.org:8443"), or "*", separated by commas.
TextField OriginsField(std::vector<std::string>* field);
// Numbers above 0, separated by commas.
TextField WeightsField(std::vector<double>* field);
TextField LogLevelField(LogLevel* field);
TextField AddressField(Address* field, AddressForms forms);
// An address, or "off".
TextField AddressOrOffField(std::optional<Address>* field, AddressForms forms);
// The URL of a collector, or empty.
TextField OtlpField(std::optional<HttpUrl>* field);
// 64 hexadecimal digits, or empty.
TextField Sha256Field(std::string* field);
// An exact fraction, such as "1/6".
TextField ThresholdField(engine::SchedulerOptions* field);

}  // namespace dragoman::server
