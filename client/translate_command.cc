#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "client/command.h"
#include "client/line_printer.h"
#include "client/line_source.h"
#include "client/request_flags.h"
#include "client/translate_run.h"

namespace dragoman {
namespace {

constexpr char kAbout[] =
    "Translates FILE, or standard input, line by line: line in, line out, in the same order. An "
    "empty\nline stays empty. A line that fails leaves an empty line and a message on standard "
    "error, and\nthe exit status is 1.";

struct Options {
  ClientOptions client;
  RequestFlags request;
  TranslateRunOptions run;
  std::optional<int64_t> nbest;
  bool stream = false;
  bool json = false;
  bool tokens = false;
  bool token_scores = false;
  double timeout = 120;
  int64_t retries = 7;
  int64_t concurrency = 16;
  int64_t batch = 16;
};

void AddFlags(const Io& io, FlagTable* flags, Options* o) {
  AddServerFlag(flags, &o->client.server, io);
  o->request.AddTo(flags);
  flags->OptionalInt("nbest", "N", 1, 1 << 20, &o->nbest,
                     "N hypotheses: line TAB rank TAB score TAB text");
  flags->Bool("stream", &o->stream,
              "receive results as they come; on a terminal the\n"
              "translation is shown as it grows");
  flags->Bool("json", &o->json, "one JSON object per line");
  flags->Bool("tokens", &o->tokens, "with --json: the tokens of source and target");
  flags->Bool("token-scores", &o->token_scores, "with --json: the log-probability of each token");
  flags->Number("timeout", "S", 0.001, 86400, &o->timeout,
                "seconds for a request, its retries included (default 120)");
  flags->Int("retries", "N", 0, 1000, &o->retries,
             "of a request that the server refuses or that does not\n"
             "reach it; one with a hint when to come back is free\n"
             "(default 7)");
  flags->Int("concurrency", "C", 1, 4096, &o->concurrency, "requests in flight (default 16)");
  flags->Int("batch", "N", 1, 1024, &o->batch, "lines per request, at most (default 16)");
}

// Size of the input where it has one.
std::optional<int64_t> SizeOf(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return info.st_size;
}

int Translate(const Io& io, Options& o, int fd) {
  const bool shows_partials = o.stream && io.out_terminal && !o.json && !o.nbest.has_value();
  o.run.stream = o.stream;
  o.run.concurrency = static_cast<int>(o.concurrency);
  o.run.batch = static_cast<int>(o.batch);
  o.run.request = o.request.Request();
  if (o.nbest.has_value()) {
    o.run.request.mutable_decoding()->set_num_alternatives(static_cast<int32_t>(*o.nbest));
  }
  v1::ReturnOptions* wanted = o.run.request.mutable_return_options();
  wanted->set_scores(o.json || o.nbest.has_value());
  wanted->set_tokens(o.tokens);
  wanted->set_token_scores(o.token_scores);
  wanted->set_partials(shows_partials);

  o.client.timeout = Seconds(o.timeout);
  o.client.retry.patient = true;
  o.client.retry.max_attempts = static_cast<int>(o.retries) + 1;
  // Enough for all calls in flight to try as often as they may: a run that has lost its server
  // ends.
  o.client.retry.budget = static_cast<double>(std::max<int64_t>(20, o.concurrency * o.retries));
  const auto client = TranslationClient::Create(o.client);
  if (!client.ok()) return UsageError(io, "translate", std::string(client.status().message()));

  LinePrinter::Options printing;
  printing.format = o.json                ? LinePrinter::Format::kJson
                    : o.nbest.has_value() ? LinePrinter::Format::kNBest
                                          : LinePrinter::Format::kText;
  printing.partials = shows_partials;
  // Who types the lines needs no bar, and who watches a translation grow neither.
  printing.progress = io.err_terminal && !shows_partials && isatty(fd) == 0;
  printing.total_bytes = SizeOf(fd);
  LinePrinter printer(printing, io, o.client.clock);
  LineSource source(fd);
  const absl::Status input = RunTranslate(o.run, client->get(), &source, &printer);
  printer.Close();
  if (!input.ok()) return Fail(io, "translate", input);
  return printer.failed_lines() > 0 ? kExitFailed : kExitOk;
}

}  // namespace

int TranslateCommand(const Io& io, const Arguments& arguments) {
  Options o;
  FlagTable flags;
  AddFlags(io, &flags, &o);
  std::vector<std::string> positional;
  int exit_status = kExitOk;
  if (!ParseCommand(io, "translate [flags] [FILE]", kAbout, arguments, 1, &flags, &positional,
                    &exit_status)) {
    return exit_status;
  }
  if ((o.tokens || o.token_scores) && !o.json) {
    return UsageError(io, "translate", "--tokens and --token-scores need --json");
  }
  if (positional.empty() || positional[0] == "-") return Translate(io, o, io.in_fd);
  const int fd = open(positional[0].c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Fail(io, "translate", absl::ErrnoToStatus(errno, "cannot open " + positional[0]));
  }
  exit_status = Translate(io, o, fd);
  close(fd);
  return exit_status;
}

}  // namespace dragoman
