// Settings of the daemon: command line over configuration file over defaults.
//
// One table (option_table.h) makes the flags, the keys of the file and the help text, and parses
// what it is given into the typed fields below. What is not understood is refused with the name,
// what was found and what was expected. Pure, except that it reads the file and DRAGOMAN_CUDA_OFF
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

// Where the workers of a model run, see server/process/worker_plan.h.
enum class Pinning : uint8_t { kAuto, kOff, kCores };

// The word for it in --pin.
const char* PinningName(Pinning pinning);

// TLS of the HTTP port. kMutual: all but probes need a client's certificate.
enum class HttpTlsMode : uint8_t { kOff, kOn, kMutual };

// Settings as texts, by the names of flags: the form of LoadModelRequest.
using SettingTexts = std::map<std::string, std::string>;

// The settings of one model.
struct ModelSettings {
  std::string model_name;
  std::string model_directory;
  engine::DeviceRequest devices{.automatic = true};
  double device_memory_fraction = 0.9;
  bool own_device_memory_fraction = false;  // true: it is the model's, not all models' together
  int max_rows = 0;                         // 0: by device, see server/process/engine_settings.h
  int cpu_workers = 0;                      // 0: by CPUs, see server/models/model_budget.h
  int threads_per_worker = 0;               // 0: by CPUs
  Pinning pin = Pinning::kAuto;
  int text_threads = 0;  // that tokenize, and as many that detokenize; 0: by CPUs
  int max_queue_segments = 4096;
  int max_queue_tokens = 131'072;
  int kv_memory_mb = 0;  // 0: the engine takes what max_rows needs
  engine::SchedulerOptions scheduler;
  engine::CudaOptions cuda;
  engine::EnsembleChoice ensemble;
  bool lexical_shortlist = false;
  engine::TokenizerChoice tokenizer = engine::TokenizerChoice::kAuto;
  engine::Profile default_profile = engine::Profile::kHf;
  std::string glossary_dir;  // "": no named glossaries
};

// A translation over a language between: what `first` makes of a text goes to `second`.
struct PivotSettings {
  std::string name;  // as a request's `model`
  std::string first;
  std::string second;
  bool operator==(const PivotSettings&) const = default;
};

// Its own ModelSettings are what a model has that says nothing else; name and directory are the
// default model's.
struct ServerConfig : ModelSettings, TransportSettings {
  std::vector<std::string> model;      // each DIR or NAME=DIR as given
  std::string models_dir;              // "": none
  std::string default_model;           // "": the first
  std::vector<std::string> ensembles;  // each NAME=DIR,DIR,... as given
  std::vector<std::string> pivot;      // each [NAME=]FIRST+SECOND as given
  Address listen{.host = "127.0.0.1", .port = 50'051};
  std::optional<Address> admin_listen;  // none: no AdminService
  std::string admin_client_ca;          // "": AdminService has no TLS
  std::optional<Address> metrics{{.host = "127.0.0.1", .port = 9464}};  // none: no HTTP
  bool page = true;                                                     // at / of `http`
  std::vector<std::string> http_hosts;    // names that the HTTP ports answer to; see HostsOf
  std::vector<std::string> cors_origins;  // whose pages may read answers; "*": all
  int lame_duck_seconds = 0;
  int drain_seconds = 30;
  LogLevel log_level = LogLevel::kInfo;
  bool log_peers = true;
  std::optional<HttpUrl> otlp;  // none: by the environment, see server/observe/otlp_settings.h
  std::string language_model = "auto";  // a file, or "off"; see server/process/detection.h
  std::string language_model_sha256;    // in lower case; "": that of a published file
  int receive_timeout_seconds = 20;
  int longest_call_seconds = 120;
  int connection_age_seconds = 300;
  int write_timeout_seconds = 30;
  int max_connections_per_peer = 0;  // 0: no limit of their own
  std::string tls_key;
  std::string tls_client_ca;  // "": clients need no certificate
  HttpTlsMode metrics_tls = HttpTlsMode::kOff;
  std::string api_keys;  // a file; "": calls need no key

  // Made from `model`, `ensembles`, the file's `models` and `models_dir`; the default first.
  std::vector<ModelSettings> models;
  // Made from `pivot`.
  std::vector<PivotSettings> pivots;
};

enum class CommandMode { kServe, kCheckConfig, kPrintProgram, kVersion, kHelp };

enum class HelpForm {
  kCommon,  // the settings that a person who serves a model meets
  kAll,
  kJson  // all, for programs: completion and manual pages are made of it
};

struct CommandLine {
  CommandMode mode = CommandMode::kServe;
  bool verbose = false;               // of kVersion
  HelpForm help = HelpForm::kCommon;  // of kHelp
  ServerConfig config;
  // --config is a regular file, or is not given: parsing the arguments again reads what is there then.
  bool can_be_read_again = true;
};

// `args` without the program's name. INVALID_ARGUMENT for anything that is not understood; for
// kServe and kCheckConfig the settings are complete and checked (no model's directory is opened;
// the one of --models-dir is listed).
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& args);

// The characters of a model's name, for errors.
inline constexpr char kModelNameCharacters[] =
    "letters, digits, '.', '_' and '-', and neither '.' nor '..'";

// Whether it may be a model's name: at most 128 of these characters.
bool IsModelName(std::string_view name);

// A model's settings with some of its own, by the names of their flags. INVALID_ARGUMENT as
// ParseCommandLine; also for names that are not settings of a model.
absl::StatusOr<ModelSettings> OverrideSettings(ModelSettings model, const SettingTexts& settings);

// Whether two models have the same directories and settings, apart from their names.
bool SameSettings(const ModelSettings& a, const ModelSettings& b);

// The names of the settings of the process that differ. A running daemon cannot change them. Those that
// say which models and pivots there are, and the settings of models, do not count.
std::vector<std::string> ProcessSettingsThatDiffer(const ServerConfig& a, const ServerConfig& b);

// Text of --help, in each of its forms.
std::string HelpText(HelpForm form = HelpForm::kCommon);

// The hosts that the port at `address` answers to (CheckHost, server/transport/request_rules.h): those of
// --http-hosts where that is given; on a loopback address only localhost and IP addresses without it; any
// host elsewhere, and on a Unix socket, which no browser opens.
std::optional<std::vector<std::string>> HostsOf(const ServerConfig& config, const Address& address);

// The settings in effect, as the text of a configuration file.
std::string ConfigToJson(const ServerConfig& config);

}  // namespace dragoman::server
