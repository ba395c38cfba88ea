// Settings of the daemon: command line over configuration file over defaults.
//
// One table (config.cc) makes the flags, the keys of the file and the help text. What is not
// understood is refused with the name, what was found and what was expected. Pure but for reading
// the file.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/devices.h"
#include "engine/api/engine.h"
#include "server/base/log.h"

namespace dragoman {

struct ServerConfig {
  std::string model;  // DIR or NAME=DIR as given
  std::string listen = "0.0.0.0:50051";
  std::string metrics = "0.0.0.0:9464";  // "off": no HTTP
  std::string device = "auto";
  std::string compute_type = "auto";
  double device_memory_fraction = 0.9;
  int max_rows = 0;              // 0: by device, see server/process/engine_settings.h
  int cpu_workers = 0;           // 0: by CPUs, see server/process/cpu_budget.h
  int threads_per_worker = 0;    // 0: by CPUs
  int tokenizer_threads = 0;     // 0: by CPUs
  int detokenizer_threads = -1;  // -1: as tokenizer_threads; 0: the decode threads do it
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
  std::string default_profile = "hf";
  std::string glossary_dir;  // "": no named glossaries
  int lame_duck_seconds = 0;
  int drain_seconds = 30;
  int watchdog_seconds = 30;
  int profile_steps = 0;  // 0: serve
  std::string log_level = "info";
  std::string otlp;  // "http://HOST:PORT"; "": no spans
  int max_items = 1024;
  int max_code_points = 30'000;
  int max_message_mb = 0;     // 0: what max_items and max_code_points need
  int max_streams = 1024;     // of one connection
  int max_connections = 0;    // 0: by the limit on open files
  int receive_memory_mb = 0;  // 0: by max_message_mb
  int receive_timeout_seconds = 20;
  int longest_call_seconds = 120;
  int connection_age_seconds = 300;
  int write_timeout_seconds = 30;

  // Made from `model`.
  std::string model_name;
  std::string model_directory;
};

enum class CommandMode { kServe, kCheckConfig, kPrintProgram, kVersion, kHelp };

struct CommandLine {
  CommandMode mode = CommandMode::kServe;
  bool verbose = false;  // of kVersion
  ServerConfig config;
};

// `args` without the program's name. INVALID_ARGUMENT for what is not understood; for kServe and
// kCheckConfig the settings are complete and checked (the model's directory is not opened).
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& args);

// Text of --help.
std::string HelpText();

// The settings in effect, as the text of a configuration file.
std::string ConfigToJson(const ServerConfig& config);

// REQUIRES: checked by ParseCommandLine.
DeviceRequest ConfiguredDevices(const ServerConfig& config);
Profile ConfiguredProfile(const ServerConfig& config);
LogLevel ConfiguredLogLevel(const ServerConfig& config);

}  // namespace dragoman
