#include "server/settings/option_fields.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace dragoman::server {
namespace {

constexpr char kOff[] = "off";

// Makes a field of comma-separated words. `fits` must accept each word, and `expected` describes
// such words.
TextField WordsField(std::vector<std::string>* field, bool (*fits)(const std::string&),
                     const char* expected) {
  TextField out;
  out.read = [field, fits, expected](const std::string& text) -> std::string {
    std::vector<std::string> words;
    if (!text.empty()) words = absl::StrSplit(text, ',');
    if (!std::all_of(words.begin(), words.end(), fits)) return expected;
    *field = std::move(words);
    return "";
  };
  out.text = [field] { return absl::StrJoin(*field, ","); };
  return out;
}

bool IsHostName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_';
  });
}

// Reports whether `text` is an origin as browsers write it ("https://example.org:8443"), or "*".
bool IsOrigin(const std::string& text) {
  if (text == "*") return true;
  const size_t host = text.find("://");
  return host != std::string::npos && host > 0 && host + 3 < text.size() &&
         std::all_of(text.begin() + static_cast<ptrdiff_t>(host) + 3, text.end(),
                     [](unsigned char c) {
                       return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '.' ||
                              c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
                     });
}

std::string ExpectedAddress(AddressForms forms) {
  return absl::StrCat("host:port with a port from 0 to 65535",
                      forms == AddressForms::kHostOrUnix ? ", or unix:PATH" : "");
}

}  // namespace

std::string ListOfWords(const std::vector<std::string>& words) {
  return absl::StrCat(absl::StrJoin(words.begin(), words.end() - 1, ", "), " or ", words.back());
}

TextField DeviceField(engine::DeviceRequest* field) {
  TextField out;
  out.read = [field](const std::string& text) { return engine::ReadDevice(text, field); };
  out.text = [field] { return engine::DeviceText(*field); };
  return out;
}

TextField ComputeTypeField(engine::DeviceRequest* field) {
  TextField out;
  out.read = [field](const std::string& text) { return engine::ReadComputeType(text, field); };
  out.text = [field]() -> std::string {
    return field->compute_type.has_value() ? kernels::ComputeTypeName(*field->compute_type)
                                           : "auto";
  };
  return out;
}

TextField HostsField(std::vector<std::string>* field) {
  return WordsField(field, IsHostName, "names of hosts without ports, by commas");
}

TextField OriginsField(std::vector<std::string>* field) {
  return WordsField(field, IsOrigin, "origins such as https://example.org, or *, by commas");
}

TextField WeightsField(std::vector<double>* field) {
  TextField out;
  out.read = [field](const std::string& text) -> std::string {
    std::vector<std::string> words;
    if (!text.empty()) words = absl::StrSplit(text, ',');
    std::vector<double> weights;
    for (const std::string& word : words) {
      double weight = 0;
      if (!absl::SimpleAtod(word, &weight) || !(weight > 0) || !(weight <= 1e6)) {
        return "a number above 0, up to 1000000, for each member, by commas";
      }
      weights.push_back(weight);
    }
    *field = std::move(weights);
    return "";
  };
  out.text = [field] { return absl::StrJoin(*field, ","); };
  return out;
}

TextField LogLevelField(LogLevel* field) {
  TextField out;
  out.read = [field](const std::string& text) -> std::string {
    const std::optional<LogLevel> level = ParseLogLevel(text);
    if (!level.has_value()) return "trace, debug, info, warn, error or off";
    *field = *level;
    return "";
  };
  out.text = [field]() -> std::string { return LogLevelName(*field); };
  return out;
}

TextField AddressField(Address* field, AddressForms forms) {
  TextField out;
  out.read = [field, forms](const std::string& text) -> std::string {
    std::optional<Address> address = ParseAddress(text, forms);
    if (!address.has_value()) return ExpectedAddress(forms);
    *field = *std::move(address);
    return "";
  };
  out.text = [field] { return AddressText(*field); };
  return out;
}

TextField AddressOrOffField(std::optional<Address>* field, AddressForms forms) {
  TextField out;
  out.read = [field, forms](const std::string& text) -> std::string {
    std::optional<Address> address;
    if (text != kOff) {
      address = ParseAddress(text, forms);
      if (!address.has_value()) return absl::StrCat(ExpectedAddress(forms), ", or ", kOff);
    }
    *field = std::move(address);
    return "";
  };
  out.text = [field]() -> std::string { return field->has_value() ? AddressText(**field) : kOff; };
  return out;
}

TextField OtlpField(std::optional<HttpUrl>* field) {
  TextField out;
  out.read = [field](const std::string& text) -> std::string {
    std::optional<HttpUrl> collector;
    if (!text.empty()) {
      collector = ParseHttpUrl(text);
      if (!collector.has_value()) {
        return "http://HOST:PORT or https://HOST[:PORT], the address of OTLP over gRPC";
      }
    }
    *field = std::move(collector);
    return "";
  };
  out.text = [field] { return field->has_value() ? HttpUrlText(**field) : ""; };
  return out;
}

TextField Sha256Field(std::string* field) {
  TextField out;
  out.read = [field](const std::string& text) -> std::string {
    constexpr size_t kDigits = 64;
    const bool is_sum =
        text.size() == kDigits && std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
    if (!text.empty() && !is_sum) return "64 hexadecimal digits";
    *field = absl::AsciiStrToLower(text);
    return "";
  };
  out.text = [field] { return *field; };
  return out;
}

TextField ThresholdField(engine::SchedulerOptions* field) {
  TextField out;
  out.read = [field](const std::string& text) -> std::string {
    constexpr int64_t kLargest = 1'000'000;
    const size_t slash = text.find('/');
    if (slash != std::string::npos) {
      const auto above = WholeNumber(std::string_view(text).substr(0, slash));
      const auto below = WholeNumber(std::string_view(text).substr(slash + 1));
      if (above.has_value() && below.has_value() && *above >= 0 && *above <= *below &&
          *below >= 1 && *below <= kLargest) {
        field->eps_num = *above;
        field->eps_den = *below;
        return "";
      }
    }
    return "a fraction from 0 to 1, such as 1/6, of whole numbers up to 1000000";
  };
  out.text = [field] { return absl::StrCat(field->eps_num, "/", field->eps_den); };
  return out;
}

}  // namespace dragoman::server
