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

// Returns INVALID_ARGUMENT with `where` (a file, "--") and `name`, what was found and expected.
absl::Status Refuse(std::string_view where, std::string_view name, const std::string& found,
                    const std::string& expected);

// The settings that have the fields: a model's, or the process's with the defaults of all models.
struct Place {
  ModelSettings* model;
  ServerConfig* server;  // nullptr: model settings only

  // REQUIRES: `server` is not null, or IsOfModel(option).
  Field FieldOf(const Option& option) const;
};

bool IsOfModel(const Option& option);
// Reports whether a flag may be given several times.
bool IsRepeated(const Option& option);

// Sets the value of a flag, or adds it if the flag is repeated. INVALID_ARGUMENT names `where` (a
// file, "--") and the option.
absl::Status SetFromText(const Option& option, std::string_view where, const std::string& value,
                         const Place& place);

absl::Status SetFromFile(const Option& option, const std::string& where,
                         const nlohmann::json& value, const Place& place);
// Sets the fields of an object of kOptionObjects, the file's or a model's. Fields that it leaves
// out keep their values.
absl::Status SetObject(std::string_view object, const std::string& where,
                       const nlohmann::json& value, ModelSettings* model);

// Return a setting in the form of SetFromFile, and as text.
nlohmann::json ValueOf(const Option& option, const Place& place);
std::string TextOf(const Option& option, const Place& place);
// Returns a complete object of kOptionObjects.
nlohmann::ordered_json ValuesOf(std::string_view object, const ModelSettings& model);

}  // namespace dragoman::server
