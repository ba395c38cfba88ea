// The table of the daemon's settings: name, help, range, and the typed field of the value. It
// defines the flags, the keys of the configuration file, the help and --check-config.
//
// Part of config.h. Constant data.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "server/settings/config.h"

namespace dragoman::server {

// A setting whose value is text that must be parsed, such as a word of a list, a device, or a
// comma-separated list.
struct TextField {
  // Parses the text and sets the setting. Returns "", or a description of the expected text.
  std::function<std::string(const std::string& text)> read;
  // Returns the setting's value as text, which `read` accepts.
  std::function<std::string()> text;
};

using Texts = std::vector<std::string>;
using Field = std::variant<int*, int64_t*, double*, std::string*, Texts*, TextField>;

// The variable that has the value of a setting. It belongs to each model or to the process. A
// Target is made from a pointer to the member or from a function that finds the variable.
struct Target {
  template <typename T>
  // NOLINTNEXTLINE(google-explicit-constructor): rows of the table say &C::max_rows
  Target(T ModelSettings::*member)
      : of_model([member](ModelSettings& settings) -> Field { return &(settings.*member); }) {}
  template <typename T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  Target(T ServerConfig::*member)
      : of_server([member](ServerConfig& settings) -> Field { return &(settings.*member); }) {}
  template <typename T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  Target(T TransportSettings::*member)
      : of_server([member](ServerConfig& settings) -> Field { return &(settings.*member); }) {}
  static Target Model(std::function<Field(ModelSettings&)> find) { return {std::move(find), {}}; }
  static Target Server(std::function<Field(ServerConfig&)> find) { return {{}, std::move(find)}; }

  std::function<Field(ModelSettings&)> of_model;  // of_model or of_server is empty
  std::function<Field(ServerConfig&)> of_server;

 private:
  Target(std::function<Field(ModelSettings&)> model, std::function<Field(ServerConfig&)> server)
      : of_model(std::move(model)), of_server(std::move(server)) {}
};

// Says who needs a setting, and therefore where it is listed.
enum class Audience : uint8_t {
  kEveryone,  // --help lists it
  kSome,      // --help all lists it
  kResearch,  // no flag, but a key of the file's object "schedule"
  kSupport    // no flag, but a key of the file's object "cuda"
};

// The objects of the file whose keys are the settings without flags. They are in the order in which
// the configuration is printed.
inline constexpr std::string_view kOptionObjects[] = {"schedule", "cuda"};

// Returns the object that has the settings of this audience as keys, or "" for flags.
constexpr std::string_view ObjectFor(Audience audience) {
  if (audience == Audience::kResearch) return kOptionObjects[0];
  return audience == Audience::kSupport ? kOptionObjects[1] : "";
}

struct Option {
  Audience audience;
  std::string_view name;      // without the dashes; also the key in the file
  std::string_view argument;  // how the help shows the value
  std::string_view help;
  Target target;
  int64_t min = 0;  // the range of a number
  int64_t max = INT_MAX;
};

// Returns the flags in the order of the help, then the keys of "schedule", then those of "cuda".
const std::vector<Option>& Options();

// Parses `text` as an integer. Returns nullopt if it has anything else, such as a space.
std::optional<int64_t> WholeNumber(std::string_view text);

// Returns the flag of that name, or nullptr.
const Option* FindFlag(std::string_view name);
// Returns the key of that name in an object of kOptionObjects, or nullptr.
const Option* FindKey(std::string_view object, std::string_view name);

}  // namespace dragoman::server
