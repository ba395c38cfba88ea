#include "server/settings/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/limited_json.h"
#include "server/base/quoted.h"
#include "server/settings/config_check.h"
#include "server/settings/config_file.h"
#include "server/settings/models_config.h"
#include "server/settings/refusal.h"
#include "server/settings/scheduler_settings.h"

namespace dragoman {
namespace {

// What a model may have of its own, and what the process has.
template <typename T>
using OfModel = T ModelSettings::*;
template <typename T>
using OfServer = T ServerConfig::*;
using Texts = std::vector<std::string>;
using Target = std::variant<OfModel<int>, OfModel<double>, OfModel<std::string>, OfServer<int>,
                            OfServer<double>, OfServer<std::string>, OfServer<Texts>>;

// Of a model's own share of a GPU: not the same as all models' together.
constexpr std::string_view kOwnFraction = "device-memory-fraction";

struct Option {
  std::string_view name;      // without the dashes; also the key in the file
  std::string_view argument;  // in the help
  std::string_view help;
  Target target;
  int min = 0;  // of a number
  int max = INT_MAX;
};

const std::vector<Option>& Options() {
  using C = ServerConfig;
  static const auto* const kOptions = new std::vector<Option>{
      {"model", "DIR|NAME=DIR",
       "model directory of Hugging Face, CTranslate2 or Marian, or an Argos package "
       "(*.argosmodel); named NAME, or DIR's last part; one flag for each model, the first is the "
       "default",
       &C::model},
      {"models-dir", "DIR",
       "serve every directory of DIR that has a config.json, an .npz, a .bin or a metadata.json, "
       "and every *.argosmodel, by its name; empty: none",
       &C::models_dir},
      {"default-model", "NAME", "the model of requests that name none and fit it; empty: the first",
       &C::default_model},
      {"ensemble", "NAME=DIR,DIR[,...]",
       "serve the mean of two to eight models of one vocabulary as one model; a DIR may be the "
       "name "
       "of a --model, whose directory is meant; one flag for each",
       &C::ensemble},
      {"pivot", "[NAME=]FIRST+SECOND",
       "serve what model FIRST makes of a text, translated by model SECOND; one flag for each",
       &C::pivot},
      {"listen", "ADDR", "gRPC address, host:port or unix:PATH; port 0 picks a free port",
       &C::listen},
      {"admin-listen", "ADDR",
       "gRPC address for 'dragoman admin' (load, unload, reload): a loopback host:port, for every "
       "user of this machine, or unix:PATH; off: none",
       &C::admin_listen},
      {"metrics", "ADDR",
       "HTTP address of /metrics, /livez, /readyz and /status, host:port; off: no HTTP server",
       &C::metrics},
      {"device", "auto|cpu|cuda:N[,cuda:M]",
       "where to compute; auto: every usable GPU, or the CPU if there is none", &C::device},
      {"compute-type", "auto|float32|float16|bfloat16|int8",
       "number format of the model; auto: int8 on the CPU, float16 on GPUs", &C::compute_type},
      {"device-memory-fraction", "F",
       "largest share of a GPU's memory that may be in use, above 0 and up to 1",
       &C::device_memory_fraction, 0, 1},
      {"max-rows", "N",
       "rows (hypotheses) in each worker's decoding batch; 0: 256 on the CPU, 4096 on a GPU",
       &C::max_rows, 0, 4096},
      {"cpu-workers", "N",
       "workers on the CPU, each an encoder and a decode loop; 0: from the number of CPUs",
       &C::cpu_workers, 0, 1024},
      {"threads-per-worker", "N",
       "threads that share the arithmetic of a CPU worker; 0: from the number of CPUs",
       &C::threads_per_worker, 0, 1024},
      {"pin", "auto|off|cores",
       "keep each CPU worker on processors of its own (cores), or on those of one NUMA node where "
       "there are several (auto)",
       &C::pin},
      {"max-threads-per-worker", "N",
       "threads that may do the arithmetic of one CPU worker while the others' have nothing to do; "
       "1: its own alone; 0: 8, or --threads-per-worker if that is more",
       &C::max_threads_per_worker, 0, 1024},
      {"tokenizer-threads", "N",
       "threads that split and tokenize incoming text; 0: one for every four CPUs",
       &C::tokenizer_threads, 0, 256},
      {"detokenizer-threads", "N",
       "threads that write translations; -1: as tokenizer-threads; 0: decode threads do it",
       &C::detokenizer_threads, -1, 256},
      {"max-queue-segments", "N",
       "segments that may wait to be encoded; requests beyond that are refused",
       &C::max_queue_segments, 1, 10'000'000},
      {"max-queue-tokens", "N",
       "source tokens that may wait to be encoded; requests beyond that are refused",
       &C::max_queue_tokens, 1, 1'000'000'000},
      {"encoded-queue-segments", "N",
       "encoded segments that may wait for a place in the batch of each worker",
       &C::encoded_queue_segments, 1, 1'000'000},
      {"kv-memory-mb", "N",
       "MiB of K/V cache for all workers; 0: what max-rows needs, on a GPU all that is left",
       &C::kv_memory_mb, 0, 16'777'216},
      {"scheduler", "continuous|stream|half-empty|static",
       "when waiting segments enter the batch; never changes a translation", &C::scheduler},
      {"refill-threshold", "N/D",
       "with --scheduler stream: refill once the batch is filled to this fraction or less",
       &C::refill_threshold},
      {"scheduler-unit", "rows|segments|source-tokens", "unit in which the batch's fill is counted",
       &C::scheduler_unit},
      {"scheduler-capacity", "N",
       "capacity of the batch, in --scheduler-unit; 0: max-rows, on a GPU with continuous top-up "
       "9/8 "
       "of it (not for source-tokens)",
       &C::scheduler_capacity, 0, INT_MAX},
      {"slot-selection", "all|shortest-first|longest-first",
       "which segments of the batch a decode step runs first; all: in order of admission",
       &C::slot_selection},
      {"width-budget", "N", "rows that one decode step may run; 0: max-rows", &C::width_budget, 0,
       4096},
      {"max-pause-steps", "N",
       "decode steps after which a paused segment goes before all others; 0: never",
       &C::max_pause_steps, 0, INT_MAX},
      {"decode-lanes", "N",
       "hypotheses that the batch may hold, running or paused; 0: eight times max-rows",
       &C::decode_lanes, 0, 1 << 20},
      {"encode-window-segments", "N",
       "segments that the encoder takes from the queue and sorts at a time",
       &C::encode_window_segments, 1, 1'000'000},
      {"encode-window-tokens", "N",
       "source tokens that the encoder takes from the queue and sorts at a time",
       &C::encode_window_tokens, 1, 100'000'000},
      {"encode-window-order", "arrival|longest-first|shortest-first",
       "order in which the encoder encodes the segments that it has taken",
       &C::encode_window_order},
      {"ensemble-with", "DIR[,DIR...]",
       "directories of models to be decoded together with a model; empty: none. --ensemble sets it",
       &C::ensemble_with},
      {"ensemble-weights", "W,W[,...]",
       "weights of an ensemble's members in their order, each above 0; empty: all the same",
       &C::ensemble_weights},
      {"ensemble-mean", "probability|log-probability", "what of an ensemble's members is averaged",
       &C::ensemble_mean},
      {"lexical-shortlist", "off|on",
       "let translations hold words of the model's lexical shortlist only (Marian's lex.*.bin, on "
       "the CPU)",
       &C::lexical_shortlist},
      {"tokenizer", "auto|slow|fast",
       "cut texts as transformers' slow tokenizer does, by the SentencePiece model, or as its fast "
       "one, by tokenizer.json; auto: slow where its files are there",
       &C::tokenizer},
      {"default-profile", "hf|ct2|marian|paper|article",
       "the rules that decide every option that a request leaves unset", &C::default_profile},
      {"glossary-dir", "DIR",
       "directory of glossaries, NAME.tsv and NAME.csv; read again on SIGHUP; empty: none",
       &C::glossary_dir},
      {"lame-duck-seconds", "N",
       "seconds after SIGTERM or SIGINT in which calls are still taken, though no longer ready, "
       "while balancers notice",
       &C::lame_duck_seconds, 0, 3600},
      {"drain-seconds", "N", "seconds that calls in flight have to finish after SIGTERM or SIGINT",
       &C::drain_seconds, 0, 86'400},
      {"watchdog-seconds", "N",
       "seconds that a worker with busy rows may make no decode step before /livez fails",
       &C::watchdog_seconds, 1, 86'400},
      {"profile-steps", "N",
       "time each operation of N steps of a full batch, on the CPU or on one GPU, print a table "
       "and "
       "exit; 0: serve",
       &C::profile_steps, 0, 1'000'000},
      {"log-level", "LEVEL",
       "least severe lines that are logged: trace, debug, info, warn, error or off", &C::log_level},
      {"otlp", "http://HOST:PORT",
       "OpenTelemetry collector that gets a span of every call and of its stages; empty: none",
       &C::otlp},
      {"max-items", "N", "items (texts) that one request may have", &C::max_items, 1, 1'000'000},
      {"max-code-points", "N", "Unicode code points that the items of one request may have in all",
       &C::max_code_points, 1, 100'000'000},
      {"max-message-mb", "N", "largest request, in MiB; 0: what max-code-points and max-items need",
       &C::max_message_mb, 0, 1024},
      {"max-streams", "N", "calls that one connection may have open at once", &C::max_streams, 1,
       1'000'000},
      {"max-connections", "N",
       "gRPC connections that may be open at once; 0: by the limit on open files, at most 4096",
       &C::max_connections, 0, 1'000'000},
      {"receive-memory-mb", "N",
       "MiB for requests not yet received in full; 0: 32 requests of the largest size",
       &C::receive_memory_mb, 0, 1'048'576},
      {"receive-timeout-seconds", "N",
       "seconds from the start of a call within which its request must arrive in full",
       &C::receive_timeout_seconds, 1, 86'400},
      {"longest-call-seconds", "N", "deadline, in seconds, of calls whose client sets none",
       &C::longest_call_seconds, 1, 86'400},
      {"connection-age-seconds", "N",
       "seconds after which a connection is closed so that its client renews it; 0: never",
       &C::connection_age_seconds, 0, 2'000'000},
      {"write-timeout-seconds", "N",
       "seconds after which a call is ended whose client does not read the answer",
       &C::write_timeout_seconds, 1, 86'400},
      {"max-connections-per-peer", "N",
       "gRPC connections that one address may have open at once; 0: as many as all",
       &C::max_connections_per_peer, 0, 1'000'000},
      {"tls-cert", "FILE",
       "certificate (PEM) of the gRPC port, with its chain; read again when it changes; empty: no "
       "TLS",
       &C::tls_cert},
      {"tls-key", "FILE", "private key (PEM, no password) of --tls-cert", &C::tls_key},
      {"tls-client-ca", "FILE",
       "authorities (PEM) of clients' certificates; with it every client needs one",
       &C::tls_client_ca},
      {"metrics-tls", "off|on|mutual",
       "TLS of the HTTP port, with --tls-cert; mutual: only probes need no client certificate",
       &C::metrics_tls},
      {"api-keys", "FILE",
       "clients and the hashes of their keys (JSON); read again when it changes; empty: calls need "
       "no key",
       &C::api_keys},
  };
  return *kOptions;
}

const Option* FindOption(std::string_view name) {
  for (const Option& option : Options()) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

// Where values go: into a model's settings, or into the process's with those of all models.
struct Place {
  ModelSettings* model;
  ServerConfig* server;  // nullptr: a model's alone
};

template <typename T>
T* Find(const Option& option, const Place& place) {
  if (const auto* of_model = std::get_if<OfModel<T>>(&option.target)) {
    return &(place.model->*(*of_model));
  }
  if (const auto* of_server = std::get_if<OfServer<T>>(&option.target)) {
    return place.server == nullptr ? nullptr : &(place.server->*(*of_server));
  }
  return nullptr;
}

Texts* FindTexts(const Option& option, ServerConfig* config) {
  const auto* texts = std::get_if<OfServer<Texts>>(&option.target);
  return texts == nullptr || config == nullptr ? nullptr : &(config->*(*texts));
}

bool IsOfModel(const Option& option) {
  return std::holds_alternative<OfModel<int>>(option.target) ||
         std::holds_alternative<OfModel<double>>(option.target) ||
         std::holds_alternative<OfModel<std::string>>(option.target);
}

absl::Status SetInt(const Option& option, std::string_view where, int64_t value, int* target) {
  if (value < option.min || value > option.max) {
    return Refuse(where, option.name, absl::StrCat(value),
                  absl::StrCat(option.min, "..", option.max));
  }
  *target = static_cast<int>(value);
  return absl::OkStatus();
}

absl::Status SetReal(const Option& option, std::string_view where, double value, double* target) {
  if (!(value > option.min && value <= option.max)) {
    return Refuse(where, option.name, absl::StrCat(value),
                  absl::StrCat("a number above ", option.min, " and up to ", option.max));
  }
  *target = value;
  return absl::OkStatus();
}

// A flag's value; one of several is added to those that there are. REQUIRES: as SetFromJson.
absl::Status SetFromText(const Option& option, const std::string& value, const Place& place) {
  if (auto* text = Find<std::string>(option, place)) {
    *text = value;
    return absl::OkStatus();
  }
  if (Texts* texts = FindTexts(option, place.server)) {
    texts->push_back(value);
    return absl::OkStatus();
  }
  if (auto* real = Find<double>(option, place)) {
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) {
      return Refuse("--", option.name, Quoted(value), "a number");
    }
    return SetReal(option, "--", number, real);
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) {
    return Refuse("--", option.name, Quoted(value),
                  absl::StrCat("a whole number ", option.min, "..", option.max));
  }
  return SetInt(option, "--", number, Find<int>(option, place));
}

absl::Status SetTexts(const Option& option, const std::string& where, const nlohmann::json& value,
                      Texts* texts) {
  const nlohmann::json list = value.is_string() ? nlohmann::json::array({value}) : value;
  texts->clear();
  if (!list.is_array()) {
    return Refuse(where, option.name, value.type_name(), "a string or an array of strings");
  }
  for (const nlohmann::json& text : list) {
    if (!text.is_string()) {
      return Refuse(where, option.name, absl::StrCat("an array with ", text.type_name()),
                    "a string or an array of strings");
    }
    texts->push_back(text.get<std::string>());
  }
  return absl::OkStatus();
}

// REQUIRES: place.server, or IsOfModel.
absl::Status SetFromJson(const Option& option, const std::string& where,
                         const nlohmann::json& value, const Place& place) {
  if (auto* text = Find<std::string>(option, place)) {
    if (!value.is_string()) return Refuse(where, option.name, value.type_name(), "a string");
    *text = value.get<std::string>();
    return absl::OkStatus();
  }
  if (auto* real = Find<double>(option, place)) {
    if (!value.is_number()) return Refuse(where, option.name, value.type_name(), "a number");
    return SetReal(option, where, value.get<double>(), real);
  }
  int* const target = Find<int>(option, place);
  if (target == nullptr) return SetTexts(option, where, value, FindTexts(option, place.server));
  const std::string expected = absl::StrCat("a whole number ", option.min, "..", option.max);
  if (!value.is_number_integer()) {
    return Refuse(where, option.name, value.is_number() ? value.dump() : value.type_name(),
                  expected);
  }
  if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT_MAX)) {
    return Refuse(where, option.name, value.dump(), expected);
  }
  return SetInt(option, where, value.get<int64_t>(), target);
}

// A file is an object of settings, one of which is a list of objects, of which settings are lists.
constexpr JsonLimits kFileLimits = {
    .max_bytes = kMaxConfigBytes, .max_depth = 8, .max_values = 1 << 18};

absl::Status ReadFile(ServerConfig* config, ModelsOfFile* file) {
  const std::string& path = file->path;
  const absl::StatusOr<std::string> text = ReadConfigFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<nlohmann::json> parsed = ParseJson(*text, path, kFileLimits);
  if (!parsed.ok()) return parsed.status();
  const nlohmann::json& json = *parsed;
  if (!json.is_object()) {
    return Refuse(path, "", json.type_name(), "a JSON object with the flags' names");
  }
  const std::string where = path + ": ";
  for (const auto& [key, value] : json.items()) {
    if (key == "models") {
      if (!value.is_array()) return Refuse(where, key, value.type_name(), "an array of objects");
      file->models = value;
      continue;
    }
    const Option* option = FindOption(key);
    if (option == nullptr) {
      return Refuse(where, Quoted(key), "an unknown setting",
                    "one of the flags that dragomand --help lists, or models");
    }
    absl::Status status = SetFromJson(*option, where, value, {config, config});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Check(const ModelsOfFile& file, ServerConfig* config) {
  absl::Status status = CheckModel(*config);
  if (status.ok()) status = ResolveModels(file, config);
  if (status.ok()) status = ResolvePivots(config);
  if (status.ok()) status = CheckProcess(*config);
  return status;
}

bool IsRepeated(const Option& option) {
  return std::holds_alternative<OfServer<Texts>>(option.target);
}

// A default, in the help.
std::string Shown(const Texts& value) { return absl::StrJoin(value, " "); }
template <typename T>
std::string Shown(const T& value) {
  return absl::StrCat(value);
}

struct Flag {
  std::string name;
  std::optional<std::string> value;
};

// Reads the arguments into flags of the table, and `file`, `mode` and `verbose`.
absl::Status ReadFlags(const std::vector<std::string>& args, std::vector<Flag>* flags,
                       std::string* file, CommandMode* mode, bool* verbose) {
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
    const Option* const known = FindOption(flag.name);
    const bool repeats = known != nullptr && IsRepeated(*known);
    if (!seen.insert(flag.name).second && !repeats) {
      return Refuse("--", flag.name, "two values", "one");
    }
    const bool is_switch = flag.name == "check-config" || flag.name == "print-program" ||
                           flag.name == "version" || flag.name == "verbose" || flag.name == "help";
    if (is_switch) {
      if (flag.value.has_value()) return Refuse("--", flag.name, Quoted(*flag.value), "no value");
      if (flag.name == "help") *mode = CommandMode::kHelp;
      if (flag.name == "verbose") *verbose = true;
      if (flag.name == "version" && *mode != CommandMode::kHelp) *mode = CommandMode::kVersion;
      if (flag.name == "check-config" && *mode == CommandMode::kServe) {
        *mode = CommandMode::kCheckConfig;
      }
      if (flag.name == "print-program" && *mode == CommandMode::kServe) {
        *mode = CommandMode::kPrintProgram;
      }
      continue;
    }
    if (flag.name != "config" && known == nullptr) {
      return Refuse("", Quoted(arg), "an unknown flag", "one of those that dragomand --help lists");
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

// What models_config.h asks of the table.

absl::Status SetModelOption(const std::string& name, const std::string& where,
                            const nlohmann::json& value, ModelSettings* model) {
  const Option* option = FindOption(name);
  if (option == nullptr || !IsOfModel(*option)) {
    std::vector<std::string> names;
    for (const Option& known : Options()) {
      if (IsOfModel(known)) names.emplace_back(known.name);
    }
    return Refuse(where, Quoted(name), "no setting of a model",
                  absl::StrCat("one of ", absl::StrJoin(names, ", ")));
  }
  const Place place{model, nullptr};
  // In a flag's place numbers are text.
  const bool is_text = std::holds_alternative<OfModel<std::string>>(option->target);
  const absl::Status status = value.is_string() && !is_text && where == kSettingsOfRequest
                                  ? SetFromText(*option, value.get<std::string>(), place)
                                  : SetFromJson(*option, where, value, place);
  if (!status.ok()) return status;
  if (name == kOwnFraction) model->own_device_memory_fraction = true;
  return absl::OkStatus();
}

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& args) {
  CommandLine out;
  std::vector<Flag> flags;
  ModelsOfFile file;
  absl::Status status = ReadFlags(args, &flags, &file.path, &out.mode, &out.verbose);
  if (!status.ok()) return status;
  if (out.verbose && out.mode != CommandMode::kVersion && out.mode != CommandMode::kHelp) {
    return Refuse("--", "verbose", "it alone", "--version beside it");
  }
  if (out.mode == CommandMode::kHelp || out.mode == CommandMode::kVersion) return out;
  if (!file.path.empty()) {
    status = ReadFile(&out.config, &file);
    if (!status.ok()) return status;
  }
  // Flags win over the file, also where there are several of one name.
  for (const Flag& flag : flags) {
    if (Texts* texts = FindTexts(*FindOption(flag.name), &out.config)) texts->clear();
  }
  for (const Flag& flag : flags) {
    status = SetFromText(*FindOption(flag.name), *flag.value, {&out.config, &out.config});
    if (!status.ok()) return status;
  }
  status = Check(file, &out.config);
  if (!status.ok()) return status;
  return out;
}

std::string HelpText() {
  const ServerConfig defaults;
  std::string out =
      "dragomand: a translation server\n\n"
      "  dragomand --model DIR [flags]\n\n";
  const auto line = [&out](std::string_view name, std::string_view argument, std::string_view help,
                           const std::string& value) {
    std::string left = absl::StrCat("  --", absl::string_view(name.data(), name.size()), " ",
                                    absl::string_view(argument.data(), argument.size()));
    constexpr size_t kColumn = 36;
    left += left.size() < kColumn ? "" : "\n";
    left.resize(left.back() == '\n' ? left.size() + kColumn : kColumn, ' ');
    absl::StrAppend(&out, left, absl::string_view(help.data(), help.size()),
                    value.empty() ? "" : absl::StrCat(" (", value, ")"), "\n");
  };
  for (const Option& option : Options()) {
    line(option.name, option.argument, option.help,
         std::visit([&](auto target) { return Shown(defaults.*target); }, option.target));
  }
  line("config", "FILE",
       "read settings from FILE, a JSON object keyed by these names; flags override it", "");
  line("check-config", "", "check the settings, print those in effect as JSON and exit", "");
  line("print-program", "", "print the operations of the model's network and exit", "");
  line("version", "", "print the version and exit", "");
  line("verbose", "", "with --version: also the build, the instruction set and the libraries", "");
  line("help", "", "print this help and exit", "");
  return out;
}

std::string ConfigToJson(const ServerConfig& config) {
  nlohmann::ordered_json json;
  for (const Option& option : Options()) {
    std::visit([&](auto target) { json[std::string(option.name)] = config.*target; },
               option.target);
  }
  // All that are served, each with what it has in the end.
  json["models"] = nlohmann::ordered_json::array();
  for (const ModelSettings& model : config.models) {
    nlohmann::ordered_json one = {{"name", model.model_name}, {"directory", model.model_directory}};
    for (const Option& option : Options()) {
      std::visit(
          [&](auto target) {
            if constexpr (std::is_invocable_v<decltype(target), const ModelSettings&>) {
              one[std::string(option.name)] = model.*target;
            }
          },
          option.target);
    }
    json["models"].push_back(std::move(one));
  }
  json["model"] = nlohmann::ordered_json::array();  // they are in `models`
  json["models-dir"] = "";
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

LogLevel ConfiguredLogLevel(const ServerConfig& config) {
  return ParseLogLevel(config.log_level).value_or(LogLevel::kInfo);
}

}  // namespace dragoman
