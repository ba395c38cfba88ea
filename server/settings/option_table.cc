#include "server/settings/option_table.h"

#include <charconv>
#include <optional>
#include <system_error>

#include "server/settings/option_fields.h"

namespace dragoman::server {
namespace {

constexpr OptionWord<bool> kSwitch[] = {{"off", false}, {"on", true}};
constexpr OptionWord<kernels::QuantizedType> kProducts[] = {
    {"model", kernels::QuantizedType::kNone},
    {"float8", kernels::QuantizedType::kFloat8},
    {"int8", kernels::QuantizedType::kInt8}};
constexpr OptionWord<Pinning> kPinnings[] = {
    {"auto", Pinning::kAuto}, {"off", Pinning::kOff}, {"cores", Pinning::kCores}};
constexpr OptionWord<kernels::MeanKind> kMeans[] = {
    {"probability", kernels::MeanKind::kProbability},
    {"log-probability", kernels::MeanKind::kLogProbability}};
constexpr OptionWord<engine::TokenizerChoice> kTokenizers[] = {
    {"auto", engine::TokenizerChoice::kAuto},
    {"slow", engine::TokenizerChoice::kSlow},
    {"fast", engine::TokenizerChoice::kFast}};
constexpr OptionWord<engine::Profile> kProfiles[] = {{"hf", engine::Profile::kHf},
                                                     {"ct2", engine::Profile::kCt2},
                                                     {"marian", engine::Profile::kMarian},
                                                     {"paper", engine::Profile::kPaper},
                                                     {"article", engine::Profile::kArticle}};
constexpr OptionWord<HttpTlsMode> kHttpTlsModes[] = {
    {"off", HttpTlsMode::kOff}, {"on", HttpTlsMode::kOn}, {"mutual", HttpTlsMode::kMutual}};
constexpr OptionWord<engine::RefillRule> kRefillRules[] = {
    {"continuous", engine::RefillRule::kContinuous},
    {"stream", engine::RefillRule::kStream},
    {"half-empty", engine::RefillRule::kHalfEmpty},
    {"static", engine::RefillRule::kStatic}};
constexpr OptionWord<engine::CapacityUnit> kUnits[] = {
    {"rows", engine::CapacityUnit::kRows},
    {"segments", engine::CapacityUnit::kSegments},
    {"source-tokens", engine::CapacityUnit::kSourceTokens}};
constexpr OptionWord<kernels::SlotSelection> kSelections[] = {
    {"all", kernels::SlotSelection::kAll},
    {"shortest-first", kernels::SlotSelection::kShortest},
    {"longest-first", kernels::SlotSelection::kLongest}};
constexpr OptionWord<engine::WindowOrder> kOrders[] = {
    {"arrival", engine::WindowOrder::kArrival},
    {"longest-first", engine::WindowOrder::kLongestFirst},
    {"shortest-first", engine::WindowOrder::kShortestFirst}};

template <typename E, size_t kSize>
Target Choice(E ModelSettings::*member, const OptionWord<E> (&names)[kSize]) {
  return Target::Model([member, &names](ModelSettings& settings) -> Field {
    return ChoiceField(&(settings.*member), names);
  });
}

}  // namespace

const std::vector<Option>& Options() {
  using C = ServerConfig;
  using M = ModelSettings;
  using enum Audience;
  static const auto* const kOptions = new std::vector<Option>{
      {kEveryone, "model", "DIR|NAME=DIR",
       "model directory of Hugging Face, CTranslate2 or Marian, or an Argos package "
       "(*.argosmodel), or the name of a model that dragoman fetch has downloaded; named NAME, or "
       "DIR's last part; one flag for each model, the first is the default",
       &C::model},
      {kEveryone, "models-dir", "DIR",
       "serve every directory of DIR that has a config.json, an .npz, a .bin or a metadata.json, "
       "and every *.argosmodel, by its name; empty: none",
       &C::models_dir},
      {kSome, "default-model", "NAME",
       "the model of requests that name none and fit it; empty: the first", &C::default_model},
      {kSome, "ensemble", "NAME=DIR,DIR[,...]",
       "serve the mean of two to eight models of one vocabulary as one model; a DIR may be the "
       "name of a --model, whose directory is meant; one flag for each",
       &C::ensembles},
      {kSome, "pivot", "[NAME=]FIRST+SECOND",
       "serve what model FIRST makes of a text, translated by model SECOND; one flag for each",
       &C::pivot},
      {kEveryone, "listen", "ADDR",
       "gRPC address, host:port or unix:PATH; port 0 picks a free port",
       Target::Server(
           [](C& c) -> Field { return AddressField(&c.listen, AddressForms::kHostOrUnix); })},
      {kEveryone, "http", "ADDR",
       "HTTP address of our REST, the page, and the APIs of other translation servers, host:port "
       "or unix:PATH; TLS and keys as for gRPC; off: none",
       Target::Server(
           [](C& c) -> Field { return AddressOrOffField(&c.http, AddressForms::kHostOrUnix); })},
      {kSome, "page", "off|on",
       "serve a page at / of --http, on which texts can be translated in a browser",
       Target::Server([](C& c) -> Field { return ChoiceField(&c.page, kSwitch); })},
      {kSome, "http-hosts", "NAME[,NAME...]",
       "names by which clients reach --http and --metrics, besides localhost and IP addresses; "
       "requests for any other host are refused on a loopback address, and on any address where "
       "names are given; empty: none",
       Target::Server([](C& c) -> Field { return HostsField(&c.http_hosts); })},
      {kSome, "cors-origin", "ORIGIN[,ORIGIN...]",
       "sites whose pages may read every answer of --http (CORS) and open WebSockets, such as "
       "https://example.org; *: all sites; empty: none, except where the original API lets all",
       Target::Server([](C& c) -> Field { return OriginsField(&c.cors_origins); })},
      {kSome, "admin-listen", "ADDR",
       "gRPC address for 'dragoman admin' (load, unload, reload): a loopback host:port, for every "
       "user of this machine, or unix:PATH; off: none",
       Target::Server([](C& c) -> Field {
         return AddressOrOffField(&c.admin_listen, AddressForms::kHostOrUnix);
       })},
      {kSome, "admin-client-ca", "FILE",
       "authorities (PEM) of certificates that may administer; with it --admin-listen speaks TLS "
       "by --tls-cert, needs such a certificate and may be any address; empty: no TLS",
       &C::admin_client_ca},
      {kEveryone, "metrics", "ADDR",
       "HTTP address of /metrics, /livez, /readyz and /status, host:port; off: no HTTP server",
       Target::Server(
           [](C& c) -> Field { return AddressOrOffField(&c.metrics, AddressForms::kHostPort); })},
      {kEveryone, "device", "auto|cpu|cuda:N[,cuda:M]",
       "where to compute; auto: every usable GPU, or the CPU if there is none",
       Target::Model([](M& m) -> Field { return DeviceField(&m.devices); })},
      {kEveryone, "compute-type", "auto|float32|float16|bfloat16|int8",
       "number format of the model; auto: int8 on the CPU, float16 on GPUs",
       Target::Model([](M& m) -> Field { return ComputeTypeField(&m.devices); })},
      {kSome, "device-memory-fraction", "F",
       "largest share of a GPU's memory that may be in use, above 0 and up to 1",
       &C::device_memory_fraction, 0, 1},
      {kEveryone, "max-rows", "N",
       "rows (hypotheses) in each worker's decoding batch; 0: 256 on the CPU, 4096 on a GPU",
       &C::max_rows, 0, 4096},
      {kSome, "cpu-workers", "N",
       "workers on the CPU, each an encoder and a decode loop; 0: from the number of CPUs",
       &C::cpu_workers, 0, 1024},
      {kSome, "threads-per-worker", "N",
       "threads that share the arithmetic of a CPU worker; 0: from the number of CPUs",
       &C::threads_per_worker, 0, 1024},
      {kSome, "pin", "auto|off|cores",
       "keep each CPU worker on processors of its own (cores), or on those of one NUMA node where "
       "there are several (auto)",
       Choice(&M::pin, kPinnings)},
      {kSome, "text-threads", "N",
       "threads that tokenize texts, and as many again that detokenize; 0: one for every four CPUs",
       &C::text_threads, 0, 256},
      {kSome, "max-queue-segments", "N",
       "segments that may wait to be encoded; requests beyond that are refused",
       &C::max_queue_segments, 1, 10'000'000},
      {kSome, "max-queue-tokens", "N",
       "source tokens that may wait to be encoded; requests beyond that are refused",
       &C::max_queue_tokens, 1, 1'000'000'000},
      {kSome, "kv-memory-mb", "N",
       "MiB of K/V cache for all workers; 0: what max-rows needs, on a GPU all that is left",
       &C::kv_memory_mb, 0, 16'777'216},
      {kSome, "ensemble-weights", "W,W[,...]",
       "weights of an ensemble's members in their order, each above 0; empty: all the same",
       Target::Model([](M& m) -> Field { return WeightsField(&m.ensemble.weights); })},
      {kSome, "ensemble-mean", "probability|log-probability",
       "what of an ensemble's members is averaged",
       Target::Model([](M& m) -> Field { return ChoiceField(&m.ensemble.mean, kMeans); })},
      {kSome, "lexical-shortlist", "off|on",
       "limit translations to words of the model's lexical shortlist (Marian's lex.*.bin, on the "
       "CPU)",
       Choice(&M::lexical_shortlist, kSwitch)},
      {kSome, "tokenizer", "auto|slow|fast",
       "cut texts as transformers' slow tokenizer does, by the SentencePiece model, or as its fast "
       "one, by tokenizer.json; auto: slow where its files are there",
       Choice(&M::tokenizer, kTokenizers)},
      {kEveryone, "default-profile", "hf|ct2|marian|paper|article",
       "the rules that decide every option that a request leaves unset",
       Choice(&M::default_profile, kProfiles)},
      {kEveryone, "glossary-dir", "DIR",
       "directory of glossaries, NAME.tsv and NAME.csv; read again on SIGHUP; empty: none",
       &C::glossary_dir},
      {kSome, "language-model", "auto|off|FILE",
       "classifier by fastText with which the languages of texts are detected, lid.176.ftz or "
       "lid.176.bin; auto: the one that is installed with dragomand, if there is one",
       &C::language_model},
      {kSome, "language-model-sha256", "HEX",
       "SHA-256 of the file of --language-model, which may then be any classifier by fastText; "
       "only for files that you trust; empty: that of lid.176.ftz or lid.176.bin",
       Target::Server([](C& c) -> Field { return Sha256Field(&c.language_model_sha256); })},
      {kSome, "lame-duck-seconds", "N",
       "seconds after SIGTERM or SIGINT in which calls are still taken, though no longer ready, "
       "while balancers notice",
       &C::lame_duck_seconds, 0, 3600},
      {kEveryone, "drain-seconds", "N",
       "seconds that calls in flight have to finish after SIGTERM or SIGINT", &C::drain_seconds, 0,
       86'400},
      {kSome, "exit-at-eof", "off|on",
       "treat the end of standard input as SIGTERM: the daemon ends when the last process has "
       "closed "
       "the other end",
       Target::Server([](C& c) -> Field { return ChoiceField(&c.exit_at_eof, kSwitch); })},
      {kEveryone, "log-level", "LEVEL",
       "least severe lines that are logged: trace, debug, info, warn, error or off",
       Target::Server([](C& c) -> Field { return LogLevelField(&c.log_level); })},
      {kSome, "log-peers", "on|off", "log the addresses of clients; off: no line has one",
       Target::Server([](C& c) -> Field { return ChoiceField(&c.log_peers, kSwitch); })},
      {kSome, "otlp", "URL",
       "OpenTelemetry collector that gets a span of every call and of its stages by OTLP over "
       "gRPC, http://HOST:4317 or https://HOST:4317; empty: the one of "
       "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT, or none",
       Target::Server([](C& c) -> Field { return OtlpField(&c.otlp); })},
      {kSome, "max-items", "N", "items (texts) that one request may have", &C::max_items, 1,
       1'000'000},
      {kSome, "max-code-points", "N",
       "Unicode code points that the items of one request may have in all", &C::max_code_points, 1,
       100'000'000},
      {kSome, "max-connections", "N",
       "connections that may be open at once, of gRPC and of --http; 0: by the limit on open "
       "files, at most 4096",
       &C::max_connections, 0, 1'000'000},
      {kSome, "receive-memory-mb", "N",
       "MiB for requests not yet received in full; 0: 32 requests of the largest size",
       &C::receive_memory_mb, 0, 1'048'576},
      {kSome, "receive-timeout-seconds", "N",
       "seconds from the start of a call within which its request must arrive in full",
       &C::receive_timeout_seconds, 1, 86'400},
      {kSome, "longest-call-seconds", "N", "deadline, in seconds, of calls whose client sets none",
       &C::longest_call_seconds, 1, 86'400},
      {kSome, "connection-age-seconds", "N",
       "seconds after which a connection is closed so that its client renews it; 0: never",
       &C::connection_age_seconds, 0, 2'000'000},
      {kSome, "write-timeout-seconds", "N",
       "seconds after which a call is ended whose client does not read the answer",
       &C::write_timeout_seconds, 1, 86'400},
      {kSome, "max-connections-per-peer", "N",
       "connections that one address may have open at once, of gRPC and of --http; 0: as many as "
       "all",
       &C::max_connections_per_peer, 0, 1'000'000},
      {kEveryone, "tls-cert", "FILE",
       "certificate (PEM) of gRPC and --http, with its chain; read again when it changes; empty: "
       "no TLS",
       &C::tls_cert},
      {kEveryone, "tls-key", "FILE", "private key (PEM, no password) of --tls-cert", &C::tls_key},
      {kSome, "tls-client-ca", "FILE",
       "authorities (PEM) of clients' certificates; with it every client needs one",
       &C::tls_client_ca},
      {kSome, "metrics-tls", "off|on|mutual",
       "TLS of the port of --metrics, with --tls-cert; mutual: all but probes need a client "
       "certificate",
       Target::Server([](C& c) -> Field { return ChoiceField(&c.metrics_tls, kHttpTlsModes); })},
      {kEveryone, "api-keys", "FILE",
       "clients and the hashes of their keys (JSON); read again when it changes; empty: calls need "
       "no key",
       &C::api_keys},
      {kSome, "jobs-dir", "DIR",
       "directory of jobs, documents that are translated in the background, which then survive a "
       "restart; empty: a temporary one, which ends with the daemon",
       &C::jobs_dir},
      {kSome, "jobs-mb", "N",
       "MiB of disk that jobs may use, each three times its document; a document may have a sixth, "
       "half of it text; 0: no jobs",
       &C::jobs_mb, 0, 16'777'216},
      {kSome, "jobs-hours", "N", "hours after which a job and its texts are deleted",
       &C::jobs_hours, 1, 8760},

      // Keys of "schedule": when segments enter and leave the batch. None changes a translation.
      {kResearch, "refill", "continuous|stream|half-empty|static",
       "when waiting segments enter the batch; never changes a translation",
       Target::Model([](M& m) -> Field { return ChoiceField(&m.scheduler.refill, kRefillRules); })},
      {kResearch, "threshold", "N/D",
       "with refill stream: refill once the batch is filled to this fraction or less",
       Target::Model([](M& m) -> Field { return ThresholdField(&m.scheduler); })},
      {kResearch, "unit", "rows|segments|source-tokens",
       "unit in which the batch's fill is counted",
       Target::Model([](M& m) -> Field { return ChoiceField(&m.scheduler.unit, kUnits); })},
      {kResearch, "capacity", "N",
       "capacity of the batch, in units; 0: max-rows, on a GPU with continuous top-up 9/8 of it "
       "(not for source-tokens)",
       Target::Model([](M& m) -> Field { return &m.scheduler.capacity; }), 0, INT_MAX},
      {kResearch, "slots", "all|shortest-first|longest-first",
       "which segments of the batch a decode step runs first; all: in order of admission",
       Target::Model(
           [](M& m) -> Field { return ChoiceField(&m.scheduler.selection, kSelections); })},
      {kResearch, "width-budget", "N", "rows that one decode step may run; 0: max-rows",
       Target::Model([](M& m) -> Field { return &m.scheduler.width_budget; }), 0, 4096},
      {kResearch, "max-pause-steps", "N",
       "decode steps after which a paused segment goes before all others; 0: never",
       Target::Model([](M& m) -> Field { return &m.scheduler.max_pause; }), 0, INT_MAX},
      {kResearch, "lanes", "N",
       "hypotheses that the batch may hold, running or paused; 0: eight times max-rows",
       Target::Model([](M& m) -> Field { return &m.scheduler.lanes; }), 0, 1 << 20},
      {kResearch, "window-segments", "N",
       "segments that the encoder takes from the queue and sorts at a time",
       Target::Model([](M& m) -> Field { return &m.scheduler.window.segments; }), 1, 1'000'000},
      {kResearch, "window-tokens", "N",
       "source tokens that the encoder takes from the queue and sorts at a time",
       Target::Model([](M& m) -> Field { return &m.scheduler.window.tokens; }), 1, 100'000'000},
      {kResearch, "window-order", "arrival|longest-first|shortest-first",
       "order in which the encoder encodes the segments that it has taken",
       Target::Model(
           [](M& m) -> Field { return ChoiceField(&m.scheduler.window.order, kOrders); })},

      // Keys of "cuda", which change scores for more speed.
      {kSupport, "output-products", "model|float8|int8",
       "numbers that the products of the fused output layer multiply: the compute type's, e4m3 "
       "(8.9, 9.0 and from 12.0 on) or int8 (8.0 to 9.0 and from 12.0 on)",
       Target::Model(
           [](M& m) -> Field { return ChoiceField(&m.cuda.output_products, kProducts); })},
      {kSupport, "layer-products", "model|int8",
       "numbers that the products of the layers multiply: the compute type's, or int8 (7.5 to 9.0 "
       "and from 12.0 on)",
       Target::Model([](M& m) -> Field { return ChoiceField(&m.cuda.layer_products, kProducts); })},
  };
  return *kOptions;
}

const char* PinningName(Pinning pinning) {
  for (const OptionWord<Pinning>& named : kPinnings) {
    if (named.value == pinning) return named.name;
  }
  return "";
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

const Option* FindFlag(std::string_view name) { return FindKey("", name); }

const Option* FindKey(std::string_view object, std::string_view name) {
  for (const Option& option : Options()) {
    if (option.name == name && ObjectFor(option.audience) == object) return &option;
  }
  return nullptr;
}

}  // namespace dragoman::server
