// Sets the fields of settings from flags and from the configuration file, prints them, and refuses
// in one form what is not understood.
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

// INVALID_ARGUMENT: `where` (a file, "--") and `name`, what was found and what was expected.
absl::Status Refuse(std::string_view where, std::string_view name, const std::string& found,
                    const std::string& expected);

// Where values go: into a model's settings, or into the process's with those of all models.
struct Place {
  ModelSettings* model;
  ServerConfig* server;  // nullptr: model settings only

  // REQUIRES: server, or the option is a model's.
  Field FieldOf(const Option& option) const;
};

bool IsOfModel(const Option& option);
// Whether a flag may be given several times.
bool IsRepeated(const Option& option);

// Sets a flag's value; one of a repeated flag is added to those already given. INVALID_ARGUMENT
// names `where` (a file, "--") and the option.
absl::Status SetFromText(const Option& option, std::string_view where, const std::string& value,
                         const Place& place);

// Sets a value of a configuration file.
absl::Status SetFromFile(const Option& option, const std::string& where,
                         const nlohmann::json& value, const Place& place);
// Sets the fields of an object of kOptionObjects, the file's or a model's. Fields that it leaves out
// stay.
absl::Status SetObject(std::string_view object, const std::string& where,
                       const nlohmann::json& value, ModelSettings* model);

// A setting as SetFromFile takes it, and as text.
nlohmann::json ValueOf(const Option& option, const Place& place);
std::string TextOf(const Option& option, const Place& place);
// A whole object of kOptionObjects.
nlohmann::ordered_json ValuesOf(std::string_view object, const ModelSettings& model);

}  // namespace dragoman::server
