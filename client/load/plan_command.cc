#include <sched.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/commands/command.h"
#include "client/commands/request_flags.h"
#include "client/load/load_driver.h"
#include "client/load/load_texts.h"
#include "client/load/local_daemon.h"
#include "client/load/plan_meter.h"

namespace dragoman::client {
namespace {

constexpr char kPlanAbout[] =
    "Estimates how many replicas, cores and how much memory a model needs for a rate of "
    "characters, "
    "from a\nmeasurement on this machine: it starts a dragomand with the model, keeps its batch "
    "full with the\nlines of a file for some seconds, and counts characters and the daemon's "
    "processor time. Measure on\na quiet machine: a note says where the two halves of the time "
    "differ. On the CPU; a GPU is not\nmeasured.";

// The maximum number of workers that the daemon starts by default.
constexpr int kMostWorkers = 16;

struct PlanFlags {
  std::string model;
  std::string input;
  std::string program = UsualDaemon();
  RequestFlags request;
  std::vector<std::string> settings;  // flags for the daemon
  std::optional<double> rate;
  double utilisation = 0.7;
  std::optional<int64_t> cores;
  int64_t spare = 1;
  double seconds = 10;
  std::optional<int64_t> workers;
  std::optional<int64_t> concurrency;
  bool json = false;
};

int Processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

void AddFlags(FlagTable* flags, PlanFlags* o) {
  flags->String("model", "DIR", &o->model, "the model's directory, as dragomand --model takes it");
  flags->OptionalNumber("chars-per-second", "N", 1e-3, 1e12, &o->rate,
                        "characters of source texts that are to be translated in a second");
  flags->String(
      "input", "FILE", &o->input,
      "file with lines like those that will come, of which short and\nlong ones take turns; "
      "empty lines are left out");
  flags->Number("utilisation", "F", 0.01, 1, &o->utilisation,
                "the share of what they can do that replicas are asked for;\n"
                "towards 1 calls wait longer and longer (default: 0.7)");
  flags->OptionalInt("cores", "N", 1, 1024, &o->cores,
                     "cores of a replica (default: those of this machine)");
  flags->Int("spare", "N", 0, 1000, &o->spare,
             "replicas beyond what the rate needs, for one that is away\\n(default: 1)");
  flags->Number("seconds", "S", 0.1, 86400, &o->seconds,
                "how long is measured, after half of it to warm up; calls that are\nunder way then "
                "are waited for (default: 10)");
  flags->OptionalInt("workers", "N", 1, 1024, &o->workers,
                     "workers of the daemon that is measured, each of one thread\n"
                     "(default: one for each processor, at most 16)");
  flags->OptionalInt("concurrency", "C", 1, 100'000, &o->concurrency,
                     "calls in flight meanwhile, enough to keep the batch full\n"
                     "(default: 128 for each worker, at most 1024)");
  flags->Custom(
      "set", "FLAG=VALUE", true,
      [o](const std::string& text) -> std::string {
        const size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) return "FLAG=VALUE";
        o->settings.push_back("--" + text);
        return "";
      },
      "a flag of the daemon, as compute-type=float32; may be repeated");
  flags->String("dragomand", "FILE", &o->program,
                "the daemon's program (default: the one beside this program,\n"
                "else that of PATH)");
  flags->Bool("json", &o->json, "prints one JSON object");
  o->request.AddTo(flags, /*with_model=*/false);
}

ClientLoadDriver::Requests MakeRequests(const v1::TranslateRequest& base,
                                        std::deque<std::string> texts) {
  ClientLoadDriver::Requests requests;
  for (std::string& text : texts) {
    auto request = std::make_shared<v1::TranslateRequest>(base);
    request->add_contents(std::move(text));
    requests.push_back(std::move(request));
  }
  return requests;
}

struct Measured {
  v1::Model model;
  PlanMeasurement figures;
  double halves_differ = 0;
  double call_seconds = 0;
};

absl::StatusOr<Measured> Measure(const PlanFlags& o, const v1::TranslateRequest& request,
                                 int processors) {
  auto texts = ReadLoadTexts(o.input);
  if (!texts.ok()) return texts.status();
  SpreadLengths(&*texts);
  Measured out;
  out.figures.workers = static_cast<int>(o.workers.value_or(std::min(processors, kMostWorkers)));
  std::vector<std::string> flags = {"--model", o.model, "--device=cpu", "--threads-per-worker=1",
                                    absl::StrCat("--cpu-workers=", out.figures.workers)};
  flags.insert(flags.end(), o.settings.begin(), o.settings.end());
  auto daemon = LocalDaemon::Start(o.program, flags);
  if (!daemon.ok()) return daemon.status();

  ClientOptions options;
  options.server = (*daemon)->address();
  options.timeout = Seconds(86400);
  options.retry.max_attempts = 1;
  const auto client = TranslationClient::Create(options);
  if (!client.ok()) return client.status();
  const auto models = (*client)->ListModels();
  if (!models.ok()) return models.status();
  if (models->models().empty()) return absl::InternalError("the daemon lists no model");
  out.model = models->models(0);
  for (const v1::DeviceMemory& memory : out.model.memory()) {
    out.figures.per_worker += (memory.kv() + memory.workspace()) / out.figures.workers;
  }
  out.figures.bound = (*daemon)->memory_bound_bytes();
  out.figures.at_rest = (*daemon)->resident_bytes();

  ClientLoadDriver driver(client->get(), options.clock, MakeRequests(request, *std::move(texts)),
                          /*stream=*/false);
  if (!driver.status().ok()) return driver.status();
  LoadOptions load;
  load.concurrency = static_cast<int>(
      o.concurrency.value_or(std::min<int64_t>(1024, int64_t{128} * out.figures.workers)));
  load.duration = std::chrono::hours(24);
  PlanMeter meter(&driver,
                  {[&daemon] { return (*daemon)->cpu_time(); },
                   [&daemon] { return (*daemon)->resident_bytes(); }},
                  load.concurrency, Seconds(o.seconds / 2), Seconds(o.seconds));
  load.enough = [&meter] { return meter.enough(); };
  const LoadReport report = RunLoad(load, &meter);
  if (!report.first_error.ok()) {
    return absl::Status(report.first_error.code(),
                        absl::StrCat(report.failed, " of ", report.sent,
                                     " calls failed; the first: ", report.first_error.message()));
  }
  if (report.failed > 0) {
    return absl::InternalError(
        absl::StrCat(report.failed, " of ", report.sent, " calls have texts that failed"));
  }
  meter.Report(&out.figures);
  out.halves_differ = meter.halves_differ();
  out.call_seconds = meter.call_seconds();
  if (out.figures.characters == 0 || out.figures.cpu_seconds <= 0) {
    return absl::DeadlineExceededError(absl::StrFormat(
        "nothing was translated in %g s beside %d calls in flight, expected some: give a longer "
        "--seconds or a smaller --concurrency",
        o.seconds, load.concurrency));
  }
  return out;
}

// Returns a note that says why the result may be inaccurate, or "".
std::string Note(const Measured& run) {
  const PlanMeasurement& measured = run.figures;
  if (run.halves_differ > 0.1) {
    return absl::StrFormat(
        "the two halves of the measurement differ by %.0f%%: give a longer --seconds, and measure "
        "on a quiet machine",
        100 * run.halves_differ);
  }
  if (run.call_seconds > measured.seconds) {
    return absl::StrFormat(
        "a call took %.0f s, longer than was measured: give a longer --seconds, or a smaller "
        "--concurrency",
        run.call_seconds);
  }
  const double busy = measured.cpu_seconds / measured.seconds;
  if (busy > 0.8 * measured.workers) return "";
  return absl::StrFormat(
      "the daemon had %.1f of %d processors meanwhile: other programs had the rest, or "
      "--concurrency "
      "is too small to keep its batch full",
      busy, measured.workers);
}

std::string MiB(int64_t bytes) { return absl::StrFormat("%d MiB", (bytes + (1 << 20) - 1) >> 20); }

std::string ToText(const Measured& measured, const PlanWish& wish, const Plan& plan) {
  const PlanMeasurement& m = measured.figures;
  std::string text = absl::StrFormat("%-14s %s, %s, %.1f million parameters\n", "model",
                                     measured.model.name(), measured.model.compute_type(),
                                     static_cast<double>(measured.model.parameters()) / 1e6);
  absl::StrAppendFormat(&text,
                        "%-14s %.1f s of %d workers, full batch: %.0f characters/s, %.0f for each "
                        "second of a core\n",
                        "measured here", m.seconds, m.workers,
                        static_cast<double>(m.characters) / m.seconds,
                        plan.characters_per_core_second);
  absl::StrAppendFormat(&text, "%-14s %g characters/s at %g%%: %.2f cores\n", "wanted",
                        wish.characters_per_second, 100 * wish.utilisation, plan.cores);
  absl::StrAppendFormat(&text, "%-14s %d of %d cores, %d of them to spare\n", "replicas",
                        plan.replicas, wish.cores, wish.spare);
  absl::StrAppendFormat(&text, "%-14s %s at rest, %s under load; %s as the limit of each\n",
                        "memory", MiB(plan.at_rest), MiB(plan.under_load), MiB(plan.limit));
  absl::StrAppendFormat(&text, "%-14s %.3f core-hours for a million characters\n", "cost",
                        plan.core_hours_per_million);
  if (const std::string note = Note(measured); !note.empty()) {
    absl::StrAppendFormat(&text, "%-14s %s\n", "note", note);
  }
  return text;
}

std::string ToJson(const Measured& measured, const PlanWish& wish, const Plan& plan) {
  const PlanMeasurement& m = measured.figures;
  const nlohmann::ordered_json out = {
      {"model", measured.model.name()},
      {"compute_type", measured.model.compute_type()},
      {"parameters", measured.model.parameters()},
      {"measured",
       {{"seconds", m.seconds},
        {"workers", m.workers},
        {"characters", m.characters},
        {"cpu_seconds", m.cpu_seconds},
        {"characters_per_second", static_cast<double>(m.characters) / m.seconds},
        {"halves_differ", measured.halves_differ},
        {"call_seconds", measured.call_seconds},
        {"at_rest_bytes", m.at_rest},
        {"under_load_bytes", m.under_load},
        {"bound_bytes", m.bound}}},
      {"characters_per_second", wish.characters_per_second},
      {"utilisation", wish.utilisation},
      {"characters_per_core_second", plan.characters_per_core_second},
      {"cores", plan.cores},
      {"cores_per_replica", wish.cores},
      {"replicas", plan.replicas},
      {"spare", wish.spare},
      {"replica_at_rest_bytes", plan.at_rest},
      {"replica_under_load_bytes", plan.under_load},
      {"replica_limit_bytes", plan.limit},
      {"core_hours_per_million_characters", plan.core_hours_per_million},
      {"note", Note(measured)}};
  return out.dump() + "\n";
}

}  // namespace

int PlanCommand(const Io& io, const Arguments& arguments) {
  PlanFlags o;
  FlagTable flags;
  AddFlags(&flags, &o);
  if (const auto exit_status =
          ParseCommand(io, "plan --model DIR --chars-per-second N --input FILE [flags]", kPlanAbout,
                       arguments, &flags)) {
    return *exit_status;
  }
  if (o.model.empty()) return UsageError(io, "plan", "--model is missing, expected a directory");
  if (o.input.empty()) return UsageError(io, "plan", "--input is missing, expected a file");
  if (!o.rate.has_value()) {
    return UsageError(io, "plan", "--chars-per-second is missing, expected a number");
  }
  const auto request = o.request.Request();
  if (!request.ok()) return UsageError(io, "plan", std::string(request.status().message()));
  const int processors = Processors();
  const absl::StatusOr<Measured> measured = Measure(o, *request, processors);
  if (!measured.ok()) return Fail(io, "plan", measured.status());
  PlanWish wish;
  wish.characters_per_second = *o.rate;
  wish.utilisation = o.utilisation;
  wish.cores = static_cast<int>(o.cores.value_or(processors));
  wish.spare = static_cast<int>(o.spare);
  const Plan plan = Estimate(measured->figures, wish);
  io.out << (o.json ? ToJson(*measured, wish, plan) : ToText(*measured, wish, plan));
  return kExitOk;
}

}  // namespace dragoman::client
