#include "server/settings/config.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/limited_json.h"
#include "server/base/quoted.h"
#include "server/settings/config_file.h"
#include "server/settings/models_config.h"
#include "server/settings/option_table.h"
#include "server/settings/option_values.h"

namespace dragoman::server {
namespace {

// The flag for the fraction of a GPU's memory that all models share. If it is set for one model, it
// is the fraction of that model alone.
constexpr std::string_view kOwnFraction = "device-memory-fraction";

// Checks that AdminService has TLS with client certificates, or that only this machine can reach
// it. AdminService authenticates its callers only by certificates.
absl::Status CheckAdminAddress(const ServerConfig& config) {
  if (!config.admin_client_ca.empty()) {
    if (!config.admin_listen.has_value()) {
      return Refuse("--", "admin-client-ca", Quoted(config.admin_client_ca),
                    "--admin-listen with it");
    }
    if (config.tls_cert.empty()) {
      return Refuse("--", "admin-client-ca", Quoted(config.admin_client_ca), "--tls-cert with it");
    }
    return absl::OkStatus();
  }
  if (!config.admin_listen.has_value() || IsLoopback(*config.admin_listen)) return absl::OkStatus();
  return Refuse("--", "admin-listen", Quoted(AddressText(*config.admin_listen)),
                "off, a loopback address (127.0.0.1:PORT) or unix:PATH, or --admin-client-ca: "
                "whoever reaches it may load and unload models");
}

absl::Status CheckTls(const ServerConfig& config) {
  if (config.tls_cert.empty() != config.tls_key.empty()) {
    return Refuse("--", config.tls_cert.empty() ? "tls-cert" : "tls-key", "nothing",
                  config.tls_cert.empty() ? "a file beside --tls-key" : "a file beside --tls-cert");
  }
  if (!config.tls_client_ca.empty() && config.tls_cert.empty()) {
    return Refuse("--", "tls-client-ca", Quoted(config.tls_client_ca), "--tls-cert with it");
  }
  if (config.metrics_tls != HttpTlsMode::kOff && config.tls_cert.empty()) {
    return Refuse("--", "metrics-tls", config.metrics_tls == HttpTlsMode::kMutual ? "mutual" : "on",
                  "--tls-cert with it, or off");
  }
  if (config.metrics_tls == HttpTlsMode::kMutual && config.tls_client_ca.empty()) {
    return Refuse("--", "metrics-tls", "mutual", "--tls-client-ca with it, or on");
  }
  return absl::OkStatus();
}

// Resolves the models and pivots, and checks that the settings fit together.
absl::Status Check(const ModelsOfFile& file, ServerConfig* config) {
  absl::Status status = CheckModel(*config);
  if (status.ok()) status = ResolveModels(file, config);
  if (status.ok()) status = ResolvePivots(config);
  if (status.ok()) status = CheckAdminAddress(*config);
  if (status.ok()) status = CheckTransportSettings(*config);
  if (status.ok()) status = CheckTls(*config);
  return status;
}

struct Flag {
  std::string name;
  std::optional<std::string> value;
};

// Words that may follow --help.
constexpr std::string_view kAll = "all";
constexpr std::string_view kJson = "json";

// Splits the arguments. Flags for settings go to `flags`, the value of --config goes to `file`, and
// all other flags set fields of `out`.
absl::Status ReadFlags(const std::vector<std::string>& args, std::vector<Flag>* flags,
                       std::string* file, CommandLine* out) {
  std::set<std::string> seen;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg.rfind("--", 0) != 0 || arg.size() == 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("found ", Quoted(arg), ", expected --flag; see --help"));
    }
    Flag flag;
    const size_t equals = arg.find('=');
    flag.name = arg.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (equals != std::string::npos) flag.value = arg.substr(equals + 1);
    const Option* const known = FindFlag(flag.name);
    const bool repeats = known != nullptr && IsRepeated(*known);
    if (!seen.insert(flag.name).second && !repeats) {
      return Refuse("--", flag.name, "two values", "one");
    }
    const bool is_switch = flag.name == "check-config" || flag.name == "print-program" ||
                           flag.name == "version" || flag.name == "verbose" || flag.name == "help";
    if (is_switch) {
      if (flag.name == "help" && !flag.value.has_value() && i + 1 < args.size() &&
          (args[i + 1] == kAll || args[i + 1] == kJson)) {
        flag.value = args[++i];
      }
      if (flag.name == "help" && flag.value == kAll) {
        out->help = HelpForm::kAll;
      } else if (flag.name == "help" && flag.value == kJson) {
        out->help = HelpForm::kJson;
      } else if (flag.value.has_value()) {
        return Refuse("--", flag.name, Quoted(*flag.value),
                      flag.name == "help" ? "all, json, or no value" : "no value");
      }
      if (flag.name == "help") out->mode = CommandMode::kHelp;
      if (flag.name == "verbose") out->verbose = true;
      if (flag.name == "version" && out->mode != CommandMode::kHelp) {
        out->mode = CommandMode::kVersion;
      }
      if (flag.name == "check-config" && out->mode == CommandMode::kServe) {
        out->mode = CommandMode::kCheckConfig;
      }
      if (flag.name == "print-program" && out->mode == CommandMode::kServe) {
        out->mode = CommandMode::kPrintProgram;
      }
      continue;
    }
    if (flag.name != "config" && known == nullptr) {
      return Refuse("", Quoted(arg), "an unknown flag",
                    "one of those that dragomand --help all lists");
    }
    if (!flag.value.has_value()) {
      if (i + 1 == args.size()) return Refuse("--", flag.name, "no value", "one");
      flag.value = args[++i];
    }
    if (flag.name == "config") {
      *file = *flag.value;
    } else {
      flags->push_back(std::move(flag));
    }
  }
  return absl::OkStatus();
}

}  // namespace

// Declared in models_config.h.
absl::Status SetModelOption(const std::string& name, const std::string& where,
                            const nlohmann::json& value, ModelSettings* model) {
  const bool is_request = where == kSettingsOfRequest;
  for (const std::string_view object : kOptionObjects) {
    if (name != object) continue;
    if (!is_request || !value.is_string()) return SetObject(object, where, value, model);
    const absl::StatusOr<nlohmann::json> parsed =
        engine::ParseJson(value.get<std::string>(), where + name, kConfigFileLimits);
    return parsed.ok() ? SetObject(object, where, *parsed, model) : parsed.status();
  }
  const Option* option = FindFlag(name);
  if (option == nullptr || !IsOfModel(*option)) {
    std::vector<std::string> names;
    for (const Option& known : Options()) {
      if (IsOfModel(known) && ObjectFor(known.audience).empty()) names.emplace_back(known.name);
    }
    for (const std::string_view object : kOptionObjects) names.emplace_back(object);
    return Refuse(where, Quoted(name), "no setting of a model",
                  absl::StrCat("one of ", absl::StrJoin(names, ", ")));
  }
  const Place place{model, nullptr};
  // The value in a request is the text that would follow the flag.
  absl::Status status = is_request && value.is_string()
                            ? SetFromText(*option, where, value.get<std::string>(), place)
                            : SetFromFile(*option, where, value, place);
  if (status.ok() && name == kOwnFraction) model->own_device_memory_fraction = true;
  return status;
}

std::optional<std::vector<std::string>> HostsOf(const ServerConfig& config,
                                                const Address& address) {
  if (!address.unix_path.empty()) return std::nullopt;
  if (config.http_hosts.empty() && !IsLoopback(address)) return std::nullopt;
  return config.http_hosts;
}

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& args) {
  CommandLine out;
  std::vector<Flag> flags;
  ModelsOfFile file;
  absl::Status status = ReadFlags(args, &flags, &file.path, &out);
  if (!status.ok()) return status;
  if (out.verbose && out.mode != CommandMode::kVersion && out.mode != CommandMode::kHelp) {
    return Refuse("--", "verbose", "it alone", "--version beside it");
  }
  if (out.mode == CommandMode::kHelp || out.mode == CommandMode::kVersion) return out;
  const char* const cuda_off = std::getenv(engine::kCudaOffVariable);
  status = engine::TurnOff(cuda_off == nullptr ? "" : cuda_off, &out.config.cuda);
  if (!status.ok()) return status;
  if (!file.path.empty()) {
    status = ReadConfigFile(&out.config, &file);
    if (!status.ok()) return status;
  }
  // Flags override the file. If a flag may be repeated, its values replace the complete list of the
  // file.
  const Place place{&out.config, &out.config};
  for (const Flag& flag : flags) {
    const Field field = place.FieldOf(*FindFlag(flag.name));
    if (auto* const* texts = std::get_if<Texts*>(&field)) (*texts)->clear();
  }
  for (const Flag& flag : flags) {
    status = SetFromText(*FindFlag(flag.name), "--", *flag.value, place);
    if (!status.ok()) return status;
  }
  status = Check(file, &out.config);
  if (!status.ok()) return status;
  out.can_be_read_again = file.is_regular;
  return out;
}

bool SameSettings(const ModelSettings& a, const ModelSettings& b) {
  ModelSettings one = a;
  ModelSettings other = b;
  const bool same = a.model_directory == b.model_directory &&
                    a.ensemble.directories == b.ensemble.directories &&
                    a.own_device_memory_fraction == b.own_device_memory_fraction;
  return same && std::all_of(Options().begin(), Options().end(), [&](const Option& option) {
           return !IsOfModel(option) ||
                  TextOf(option, {&one, nullptr}) == TextOf(option, {&other, nullptr});
         });
}

std::vector<std::string> ProcessSettingsThatDiffer(const ServerConfig& a, const ServerConfig& b) {
  constexpr std::string_view kOfModels[] = {"model", "models-dir", "default-model", "ensemble",
                                            "pivot"};
  ServerConfig one = a;
  ServerConfig other = b;
  std::vector<std::string> names;
  for (const Option& option : Options()) {
    const bool counts = !IsOfModel(option) && std::find(std::begin(kOfModels), std::end(kOfModels),
                                                        option.name) == std::end(kOfModels);
    if (counts && TextOf(option, {&one, &one}) != TextOf(option, {&other, &other})) {
      names.emplace_back(option.name);
    }
  }
  return names;
}

std::string ConfigToJson(const ServerConfig& config) {
  ServerConfig copy = config;
  nlohmann::ordered_json json;
  for (const Option& option : Options()) {
    if (!ObjectFor(option.audience).empty()) continue;
    json[std::string(option.name)] = ValueOf(option, {&copy, &copy});
  }
  for (const std::string_view object : kOptionObjects) {
    json[std::string(object)] = ValuesOf(object, config);
  }
  // The list has all served models, each with its settings in effect.
  json["models"] = nlohmann::ordered_json::array();
  for (ModelSettings model : config.models) {
    nlohmann::ordered_json one = {{"name", model.model_name}, {"directory", model.model_directory}};
    if (!model.ensemble.directories.empty()) {
      one["directory"] = nlohmann::ordered_json::array({model.model_directory});
      for (const std::string& member : model.ensemble.directories)
        one["directory"].push_back(member);
    }
    for (const Option& option : Options()) {
      if (!ObjectFor(option.audience).empty() || !IsOfModel(option)) continue;
      // If all models share the fraction, it is a setting of the process and not of this model.
      if (option.name == kOwnFraction && !model.own_device_memory_fraction) continue;
      one[std::string(option.name)] = ValueOf(option, {&model, nullptr});
    }
    for (const std::string_view object : kOptionObjects) {
      one[std::string(object)] = ValuesOf(object, model);
    }
    json["models"].push_back(std::move(one));
  }
  // These three are empty, because `models` has the models that they select.
  json["model"] = nlohmann::ordered_json::array();
  json["ensemble"] = nlohmann::ordered_json::array();
  json["models-dir"] = "";
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace dragoman::server
