#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <ostream>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/request_flags.h"
#include "client/load/load_driver.h"
#include "client/load/load_report.h"
#include "client/load/load_texts.h"

namespace dragoman::client {
namespace {

constexpr char kLoadAbout[] =
    "Sends the lines of a file to a server, in order and over and over, and measures it. --rate "
    "sends\nat a fixed rate whatever the server does (open loop); --concurrency keeps C calls in "
    "flight\n(closed loop). Latency counts from the time at which a call was meant to be sent.";

// The value of --max-failed: a number of calls, or a percentage of all calls.
struct AllowedFailures {
  std::string text = "0";
  int64_t calls = 0;
  std::optional<double> percent;

  bool Allow(int64_t failed, int64_t sent) const {
    if (!percent.has_value()) return failed <= calls;
    return static_cast<double>(failed) * 100 <= *percent * static_cast<double>(sent);
  }
};

// Parses the value of --max-failed. Returns "" or, if it is wrong, a description of the expected
// text.
std::string ReadAllowedFailures(const std::string& text, AllowedFailures* allowed) {
  constexpr char kExpected[] = "a number of calls, or a share from 0% to 100%";
  AllowedFailures read{.text = text};
  if (!text.empty() && text.back() == '%') {
    double percent = 0;
    const bool is_number =
        absl::SimpleAtod(absl::string_view(text).substr(0, text.size() - 1), &percent);
    if (!is_number || !(percent >= 0 && percent <= 100)) return kExpected;
    read.percent = percent;
  } else if (!absl::SimpleAtoi(text, &read.calls) || read.calls < 0) {
    return kExpected;
  }
  *allowed = std::move(read);
  return "";
}

struct LoadFlags {
  ClientOptions client;
  RequestFlags request;
  std::string input;
  std::optional<double> rate;
  std::optional<int64_t> concurrency;
  std::string arrivals;
  std::optional<double> duration;
  std::optional<int64_t> requests;
  double warmup = 0;
  double deadline_ms = 120'000;
  int64_t batch = 1;
  int64_t join_lines = 1;
  std::vector<int64_t> beams;
  int64_t seed = 1;
  AllowedFailures max_failed;
  int64_t retries = 0;
  int64_t connections = 1;
  bool shuffle = false;
  bool stream = false;
  bool tokens = true;
  bool json = false;
};

void AddFlags(const Io& io, FlagTable* flags, LoadFlags* o) {
  AddServerFlags(flags, &o->client, io);
  flags->String("input", "FILE", &o->input,
                "file with the lines to send; empty lines are left out");
  flags->OptionalNumber("rate", "R", 1e-3, 1e6, &o->rate, "sends R requests a second (open loop)");
  flags->OptionalInt("concurrency", "C", 1, 100'000, &o->concurrency,
                     "keeps C requests in flight (closed loop); a caller that is\n"
                     "refused waits as long as the server asks for");
  flags->Choice("arrivals", {"poisson", "constant"}, &o->arrivals,
                "times between the requests of --rate: drawn at random, or\n"
                "all the same (default: poisson)");
  flags->OptionalNumber("duration", "S", 1e-3, 1e7, &o->duration,
                        "seconds to measure for, after the warm-up");
  flags->OptionalInt("requests", "N", 1, int64_t{1} << 50, &o->requests,
                     "ends after N requests or at --duration, whichever comes first");
  flags->Number("warmup", "S", 0, 1e7, &o->warmup,
                "seconds at the start that are not measured (default: 0)");
  flags->Number("deadline-ms", "N", 1, 86'400'000, &o->deadline_ms,
                "deadline of a request, in milliseconds (default: 120000)");
  flags->Int("batch", "N", 1, 1024, &o->batch, "texts in one request (default: 1)");
  flags->Int("join-lines", "N", 1, 1024, &o->join_lines,
             "makes each text of 1 to N lines, drawn by --seed, with\n"
             "spaces between; one segment only with --split none\n"
             "(default: 1)");
  flags->Ints("beams", "K,K,...", 1, std::numeric_limits<int32_t>::max(), &o->beams,
              "beam sizes that requests take in turn, instead of\n"
              "--beam-size");
  flags->Bool("shuffle", &o->shuffle, "sends the lines in an order drawn by --seed");
  flags->Int("seed", "N", 0, int64_t{1} << 50, &o->seed,
             "seed of the draws of --rate, --shuffle and --join-lines\n"
             "(default: 1)");
  flags->Custom(
      "max-failed", "N|P%", false,
      [o](const std::string& text) { return ReadAllowedFailures(text, &o->max_failed); },
      "how many calls may fail, or which share of them as 5%;\n"
      "with more the exit status is 1 (default: 0)");
  flags->Int("retries", "N", 0, 1000, &o->retries,
             "how often a refused request is sent again (default: 0)");
  flags->Int("connections", "N", 1, 1024, &o->connections,
             "connections to each address of --server (default: 1)");
  flags->Bool("stream", &o->stream,
              "calls StreamTranslate, with partials unless --html or\n"
              "--sampling is given; measures the first message too");
  flags->Bool("count-tokens", &o->tokens,
              "asks for the tokens of every result and counts them\n"
              "(default: true); =false saves what that costs");
  flags->Bool("json", &o->json, "prints the result as one JSON object");
  o->request.AddTo(flags);
}

// Returns an error text if flags contradict each other, else "".
std::string Contradiction(const LoadFlags& o) {
  if (o.input.empty()) return "--input is missing, expected a file";
  if (o.rate.has_value() == o.concurrency.has_value()) {
    return "expected either --rate or --concurrency";
  }
  if (!o.arrivals.empty() && !o.rate.has_value()) return "--arrivals goes with --rate only";
  if (!o.duration.has_value() && !o.requests.has_value()) {
    return "expected --duration or --requests or both";
  }
  return "";
}

// Returns the texts to send, made of `lines`. The flags set their order and how many lines are
// joined.
std::vector<std::string> MakeTexts(const LoadFlags& o, std::deque<std::string> lines) {
  std::mt19937_64 random(static_cast<uint64_t>(o.seed));
  if (o.shuffle) std::shuffle(lines.begin(), lines.end(), random);
  std::uniform_int_distribution<int64_t> draw(1, o.join_lines);
  std::vector<std::string> texts;
  for (size_t at = 0; at < lines.size();) {
    std::string text = std::move(lines[at++]);
    for (int64_t left = draw(random) - 1; left > 0 && at < lines.size(); --left) {
      absl::StrAppend(&text, " ", lines[at++]);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

ClientLoadDriver::Requests MakeRequests(const LoadFlags& o, v1::TranslateRequest base,
                                        const std::vector<std::string>& texts) {
  base.mutable_return_options()->set_tokens(o.tokens);
  // The server refuses partials with HTML and with sampling.
  const bool partials = o.stream && !o.request.has_markup() && !o.request.sampling();
  base.mutable_return_options()->set_partials(partials);
  ClientLoadDriver::Requests requests;
  for (size_t at = 0; at < texts.size();) {
    auto request = std::make_shared<v1::TranslateRequest>(base);
    for (int64_t i = 0; i < o.batch && at < texts.size(); ++i) request->add_contents(texts[at++]);
    if (!o.beams.empty()) {
      const int64_t beam = o.beams[requests.size() % o.beams.size()];
      request->mutable_decoding()->set_beam_size(static_cast<int32_t>(beam));
    }
    requests.push_back(std::move(request));
  }
  return requests;
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int LoadCommand(const Io& io, const Arguments& arguments) {
  LoadFlags o;
  FlagTable flags;
  AddFlags(io, &flags, &o);
  if (const auto exit_status =
          ParseCommand(io, "load --input FILE (--rate R | --concurrency C) --duration S [flags]",
                       kLoadAbout, arguments, &flags)) {
    return *exit_status;
  }
  if (const std::string wrong = Contradiction(o); !wrong.empty()) {
    return UsageError(io, "load", wrong);
  }
  auto request = o.request.Request();
  if (!request.ok()) return UsageError(io, "load", std::string(request.status().message()));
  if (!o.beams.empty() && request->decoding().has_beam_size()) {
    return UsageError(io, "load", "expected only one of --beam-size and --beams");
  }
  auto lines = ReadLoadTexts(o.input);
  if (!lines.ok()) return Fail(io, "load", lines.status());

  o.client.timeout = Seconds(o.deadline_ms / 1e3);
  o.client.retry.max_attempts = static_cast<int>(o.retries) + 1;
  o.client.connections = static_cast<int>(o.connections);
  const auto client = TranslationClient::Create(o.client);
  if (!client.ok()) return UsageError(io, "load", std::string(client.status().message()));
  ClientLoadDriver driver(client->get(), o.client.clock,
                          MakeRequests(o, *std::move(request), MakeTexts(o, *std::move(lines))),
                          o.stream);
  if (!driver.status().ok()) return Fail(io, "load", driver.status());

  LoadReportContext context;
  LoadOptions& options = context.options;
  options.rate = o.rate.value_or(0);
  options.constant = o.arrivals == "constant";
  options.concurrency = static_cast<int>(o.concurrency.value_or(1));
  options.warmup = Seconds(o.warmup);
  options.duration = Seconds(o.duration.value_or(1e7));
  if (o.requests.has_value()) options.max_calls = *o.requests;
  options.seed = static_cast<uint64_t>(o.seed);
  context.batch = static_cast<int>(o.batch);
  context.join_lines = static_cast<int>(o.join_lines);
  context.beams = o.beams;
  context.stream = o.stream;
  context.tokens = o.tokens;

  const double cpu_before = CpuSeconds();
  const LoadReport report = RunLoad(options, &driver);
  context.client_cpu_seconds = CpuSeconds() - cpu_before;
  if (o.json) {
    io.out << LoadReportJson(report, context) << "\n";
  } else {
    io.out << LoadReportText(report, context);
  }
  if (report.ok == 0) {
    io.err << "dragoman load: none of " << report.sent << " requests was answered with OK\n";
    return kExitFailed;
  }
  if (!o.max_failed.Allow(report.failed, report.sent)) {
    io.err << "dragoman load: " << report.failed << " of " << report.sent
           << " requests failed, expected at most " << o.max_failed.text << " (--max-failed)\n";
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace dragoman::client
