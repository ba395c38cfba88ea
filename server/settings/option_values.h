// Sets the fields of settings from flags and from the configuration file, and prints them.
//
// Part of config.h. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/settings/config.h"
#include "server/settings/option_table.h"

namespace dragoman::server {

// Returns INVALID_ARGUMENT. The message has `where` (a file's path, or "--" for a flag), `name`,
// what was found and what was expected.
absl::Status Refuse(std::string_view where, std::string_view name, const std::string& found,
                    const std::string& expected);

// Where settings are stored: in one model's settings, or in the process's settings, which contain
// the defaults of all models.
struct Place {
  ModelSettings* model;
  ServerConfig* server;  // nullptr: model settings only

  // REQUIRES: `server` is not null, or IsOfModel(option).
  Field FieldOf(const Option& option) const;
};

bool IsOfModel(const Option& option);
// Reports whether a flag may be given several times.
bool IsRepeated(const Option& option);

// SetFromText sets the value of a flag. If the flag may be repeated, it adds the value to the list
// instead. SetFromFile sets the value of a key in the file, whose JSON type must fit.
// INVALID_ARGUMENT names `where` (a file's path, or "--") and the option.
absl::Status SetFromText(const Option& option, std::string_view where, const std::string& value,
                         const Place& place);

absl::Status SetFromFile(const Option& option, const std::string& where,
                         const nlohmann::json& value, const Place& place);
// Sets the settings that the JSON object `value` has. `object` is one of kOptionObjects. Settings
// that are not in `value` stay unchanged.
absl::Status SetObject(std::string_view object, const std::string& where,
                       const nlohmann::json& value, ModelSettings* model);

// ValueOf: returns a setting as JSON that SetFromFile accepts. TextOf: returns a setting as text.
nlohmann::json ValueOf(const Option& option, const Place& place);
std::string TextOf(const Option& option, const Place& place);
// Returns all settings of one of kOptionObjects as a JSON object.
nlohmann::ordered_json ValuesOf(std::string_view object, const ModelSettings& model);

}  // namespace dragoman::server
