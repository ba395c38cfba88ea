// Settings of the daemon: command line over configuration file over defaults.
//
// One table (config.cc) makes the flags, the keys of the file and the help text. What is not
// understood is refused with the name, what was found and what was expected. Pure but for reading
// the file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/api/devices.h"
#include "engine/api/engine.h"
#include "server/base/log.h"
#include "server/guard/guard.h"

namespace dragoman {

// Of one model.
struct ModelSettings {
  std::string model_name;
  std::string model_directory;
  std::string device = "auto";
  std::string compute_type = "auto";
  double device_memory_fraction = 0.9;
  bool own_device_memory_fraction = false;  // the model's, and not all models' together
  int max_rows = 0;                         // 0: by device, see server/process/engine_settings.h
  int cpu_workers = 0;                      // 0: by CPUs, see server/models/model_budget.h
  int threads_per_worker = 0;               // 0: by CPUs
  std::string pin = "auto";                 // where workers run: auto, off or cores
  int max_threads_per_worker = 0;           // 0: see engine/worker_places.cc
  int tokenizer_threads = 0;                // 0: by CPUs
  int detokenizer_threads = -1;             // -1: as tokenizer_threads; 0: the decode threads do it
  int max_queue_segments = 4096;
  int max_queue_tokens = 131'072;
  int encoded_queue_segments = 256;  // of each worker
  int kv_memory_mb = 0;              // 0: the engine takes what max_rows needs
  // The scheduler, see engine/api/scheduler_options.h.
  std::string scheduler = "continuous";
  std::string refill_threshold = "1/6";
  std::string scheduler_unit = "rows";
  int scheduler_capacity = 0;  // 0: max_rows
  std::string slot_selection = "all";
  int width_budget = 0;      // 0: max_rows
  int max_pause_steps = 64;  // 0: no bound
  int decode_lanes = 0;      // 0: the engine's choice
  int encode_window_segments = 64;
  int encode_window_tokens = 8192;
  std::string encode_window_order = "longest-first";
  std::string ensemble_with;     // directories, by commas; "": the model alone
  std::string ensemble_weights;  // by commas, the model's own first; "": all the same
  std::string ensemble_mean = "probability";
  std::string lexical_shortlist = "off";
  std::string tokenizer = "auto";  // or slow, or fast
  std::string default_profile = "hf";
  std::string glossary_dir;  // "": no named glossaries
  int watchdog_seconds = 30;
};

// A translation over a language between: what `first` makes of a text goes to `second`.
struct PivotSettings {
  std::string name;  // as a request's `model`
  std::string first;
  std::string second;
};

// Its own ModelSettings are what a model has that says nothing else; name and directory are the
// default model's.
struct ServerConfig : ModelSettings, TransportSettings {
  std::vector<std::string> model;     // each DIR or NAME=DIR as given
  std::string models_dir;             // "": none
  std::string default_model;          // "": the first
  std::vector<std::string> ensemble;  // each NAME=DIR,DIR,... as given
  std::vector<std::string> pivot;     // each [NAME=]FIRST+SECOND as given
  std::string listen = "0.0.0.0:50051";
  std::string admin_listen = "off";
  std::string metrics = "0.0.0.0:9464";  // "off": no HTTP
  int lame_duck_seconds = 0;
  int drain_seconds = 30;
  int profile_steps = 0;  // 0: serve
  std::string log_level = "info";
  std::string otlp;  // "http://HOST:PORT"; "": no spans
  int receive_timeout_seconds = 20;
  int longest_call_seconds = 120;
  int connection_age_seconds = 300;
  int write_timeout_seconds = 30;
  int max_connections_per_peer = 0;  // 0: no limit of their own
  std::string tls_key;
  std::string tls_client_ca;  // "": clients need no certificate
  std::string metrics_tls = "off";
  std::string api_keys;  // a file; "": calls need no key

  // Made from `model`, `ensemble`, the file's `models` and `models_dir`; the default first.
  std::vector<ModelSettings> models;
  // Made from `pivot`.
  std::vector<PivotSettings> pivots;
};

enum class CommandMode { kServe, kCheckConfig, kPrintProgram, kVersion, kHelp };

struct CommandLine {
  CommandMode mode = CommandMode::kServe;
  bool verbose = false;  // of kVersion
  ServerConfig config;
};

// `args` without the program's name. INVALID_ARGUMENT for what is not understood; for kServe and
// kCheckConfig the settings are complete and checked (no model's directory is opened; the one of
// --models-dir is listed).
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& args);

// What a model's name is made of, for errors.
inline constexpr char kModelNameCharacters[] =
    "letters, digits, '.', '_' and '-', and neither '.' nor '..'";

// Whether a model may be called so: at most 128 of these.
bool IsModelName(std::string_view name);

// A model's settings with some of its own, by the names of their flags. INVALID_ARGUMENT as
// ParseCommandLine; also for what is no setting of a model.
absl::StatusOr<ModelSettings> OverrideSettings(ModelSettings model,
                                               const std::map<std::string, std::string>& settings);

// Text of --help.
std::string HelpText();

// The settings in effect, as the text of a configuration file.
std::string ConfigToJson(const ServerConfig& config);

// REQUIRES: checked by ParseCommandLine.
DeviceRequest ConfiguredDevices(const ModelSettings& settings);
Profile ConfiguredProfile(const ModelSettings& settings);
EnsembleChoice ConfiguredEnsemble(const ModelSettings& settings);
TokenizerChoice ConfiguredTokenizer(const ModelSettings& settings);
LogLevel ConfiguredLogLevel(const ServerConfig& config);

}  // namespace dragoman
