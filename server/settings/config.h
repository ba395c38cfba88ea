// The daemon's settings. The command line overrides the configuration file.
//
// One table (option_table.h) defines the flags, the keys of the file and the help text. It also
// parses values into the typed fields below. Errors have the name of the setting, what was found
// and what was expected. Pure, except that it reads the file and DRAGOMAN_CUDA_OFF
// (engine/api/cuda_options.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/api/cuda_options.h"
#include "engine/api/devices.h"
#include "engine/api/engine.h"
#include "engine/api/scheduler_options.h"
#include "server/base/address.h"
#include "server/base/log.h"
#include "server/settings/transport_settings.h"

namespace dragoman::server {

// Where the workers of a model run. See server/process/worker_plan.h.
enum class Pinning : uint8_t { kAuto, kOff, kCores };

// Returns the word that --pin has for `pinning`.
const char* PinningName(Pinning pinning);

// TLS of the HTTP port for operators (`metrics`). kMutual: all requests except probes need a client
// certificate.
enum class HttpTlsMode : uint8_t { kOff, kOn, kMutual };

// Settings by the names of their flags, as in LoadModelRequest. Each value is the text that would
// follow the flag.
using SettingTexts = std::map<std::string, std::string>;

struct ModelSettings {
  std::string model_name;
  std::string model_directory;
  engine::DeviceRequest devices{.automatic = true};
  double device_memory_fraction = 0.9;
  bool own_device_memory_fraction = false;  // false: all models share the fraction
  int max_rows = 0;                         // 0: by device, see server/process/engine_settings.h
  int cpu_workers = 0;                      // 0: by CPUs, see server/models/model_budget.h
  int threads_per_worker = 0;               // 0: by the number of CPUs
  Pinning pin = Pinning::kAuto;
  int text_threads = 0;  // tokenizing threads, and as many detokenizing ones; 0: by CPUs
  int max_queue_segments = 4096;
  int max_queue_tokens = 131'072;
  int kv_memory_mb = 0;  // 0: as much as max_rows needs
  engine::SchedulerOptions scheduler;
  engine::CudaOptions cuda;
  engine::EnsembleChoice ensemble;
  bool lexical_shortlist = false;
  engine::TokenizerChoice tokenizer = engine::TokenizerChoice::kAuto;
  engine::Profile default_profile = engine::Profile::kHf;
  std::string glossary_dir;  // "": no named glossaries
};

// A translation through a pivot language: the model `second` translates the output of `first`.
struct PivotSettings {
  std::string name;  // the name for the `model` field of requests
  std::string first;
  std::string second;
  bool operator==(const PivotSettings&) const = default;
};

// The settings of the process. Its base ModelSettings has the defaults of all models, and the name
// and directory of the default model.
struct ServerConfig : ModelSettings, TransportSettings {
  std::vector<std::string> model;      // each DIR or NAME=DIR as given
  std::string models_dir;              // "": none
  std::string default_model;           // "": the first model
  std::vector<std::string> ensembles;  // each NAME=DIR,DIR,... as given
  std::vector<std::string> pivot;      // each [NAME=]FIRST+SECOND as given
  Address listen{.host = "127.0.0.1", .port = 50'051};
  std::optional<Address> admin_listen;  // nullopt: no AdminService
  std::string admin_client_ca;          // "": AdminService has no TLS
  // The port for operators. nullopt: there is none.
  std::optional<Address> metrics{{.host = "127.0.0.1", .port = 9464}};
  bool page = true;                       // serve the page at / of `http`
  std::vector<std::string> http_hosts;    // names that the HTTP ports answer to; see HostsOf
  std::vector<std::string> cors_origins;  // sites whose pages may read answers; "*": all
  int lame_duck_seconds = 0;
  int drain_seconds = 30;
  bool exit_at_eof = false;  // the end of standard input has the effect of SIGTERM
  LogLevel log_level = LogLevel::kInfo;
  bool log_peers = true;
  // The collector of spans. nullopt: the environment decides (server/observe/otlp_settings.h).
  std::optional<HttpUrl> otlp;
  std::string language_model = "auto";  // a file, or "off"; see server/process/startup.h
  // In lower case; "": the SHA-256 of one of fastText's published files.
  std::string language_model_sha256;
  int receive_timeout_seconds = 20;
  int longest_call_seconds = 120;
  int connection_age_seconds = 300;
  int write_timeout_seconds = 30;
  int max_connections_per_peer = 0;  // 0: no limit per peer
  std::string tls_key;
  std::string tls_client_ca;  // "": clients need no certificate
  HttpTlsMode metrics_tls = HttpTlsMode::kOff;
  std::string api_keys;  // a file; "": calls need no key
  std::string jobs_dir;  // "": a temporary directory
  int jobs_mb = 192;     // 0: no jobs
  int jobs_hours = 24;

  // The served models, from `model`, `ensembles`, `models_dir` and the `models` of the file. The
  // default model is first.
  std::vector<ModelSettings> models;
  // The served pivots, from `pivot`.
  std::vector<PivotSettings> pivots;
};

enum class CommandMode { kServe, kCheckConfig, kPrintProgram, kVersion, kHelp };

enum class HelpForm {
  kCommon,  // the settings that most people need
  kAll,
  kJson  // all, for programs that make completions and manual pages
};

struct CommandLine {
  CommandMode mode = CommandMode::kServe;
  bool verbose = false;               // used by kVersion
  HelpForm help = HelpForm::kCommon;  // used by kHelp
  ServerConfig config;
  // False if --config is a pipe, which cannot be read again when the arguments are parsed again.
  bool can_be_read_again = true;
};

// Parses `args`, which do not include the program's name. Returns INVALID_ARGUMENT for an unknown
// flag or a wrong value. Except for kHelp and kVersion, the settings are complete and checked.
// Reads the list of files in --models-dir, but opens no model.
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& args);

// Describes the characters of a model's name, for error messages.
inline constexpr char kModelNameCharacters[] =
    "letters, digits, '.', '_' and '-', and neither '.' nor '..'";

// Reports whether `name` may be a model's name: at most 128 characters of kModelNameCharacters.
bool IsModelName(std::string_view name);

// Returns `model` with the given settings, by the names of their flags. Returns INVALID_ARGUMENT
// for a wrong value or a name that is not a setting of a model.
absl::StatusOr<ModelSettings> OverrideSettings(ModelSettings model, const SettingTexts& settings);

// Reports whether two models have the same directories and settings, apart from their names.
bool SameSettings(const ModelSettings& a, const ModelSettings& b);

// Returns the names of the process settings in which `a` and `b` differ. A running daemon cannot
// change these. Settings that select models and pivots, and the settings of models, do not count.
std::vector<std::string> ProcessSettingsThatDiffer(const ServerConfig& a, const ServerConfig& b);

std::string HelpText(HelpForm form = HelpForm::kCommon);

// Returns the hosts that the port at `address` answers to (CheckHost,
// server/transport/request_rules.h). These are the hosts of --http-hosts if the flag is given.
// Without the flag, a loopback address answers only to localhost and IP addresses, and other
// addresses answer to any host (nullopt). A Unix socket answers to any host, because no browser
// opens it.
std::optional<std::vector<std::string>> HostsOf(const ServerConfig& config, const Address& address);

// Returns the settings in effect as the text of a configuration file.
std::string ConfigToJson(const ServerConfig& config);

}  // namespace dragoman::server
