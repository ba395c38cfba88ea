#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <iterator>
#include <ostream>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/commands/command.h"
#include "client/commands/document_run.h"
#include "client/commands/line_printer.h"
#include "client/commands/line_source.h"
#include "client/commands/output_file.h"
#include "client/commands/request_flags.h"
#include "client/commands/translate_run.h"
#include "client/commands/utf8.h"

namespace dragoman::client {
namespace {

constexpr char kTranslateAbout[] =
    "Translates documents (docx, pptx, xlsx, odt, odp, ods, epub, html, md, srt, vtt, po, xliff, "
    "json,\nyaml, properties, csv, tsv) to --output, or folders of them: their formatting and all "
    "other bytes stay.\nTranslates any other FILE, or standard input, line by line and in order. "
    "An "
    "empty line stays empty. A "
    "line\nthat fails leaves an empty line and a message on standard error, and the exit status is "
    "1. With\n--num-alternatives the output is line TAB rank TAB score TAB text. With "
    "--sampling-seed each line\nis sent alone, because draws depend on what is sent with it.";

struct TranslateFlags {
  ClientOptions client;
  RequestFlags request;
  TranslateRunOptions run;
  std::string target_prefix_file;
  std::string output;
  std::string format;
  std::string fields;
  bool retranslate = false;
  bool resume = false;
  bool whole = false;
  bool alignment = false;
  bool stream = false;
  bool json = false;
  bool tokens = false;
  bool token_scores = false;
  double timeout = 120;
  int64_t retries = 7;
  int64_t concurrency = 16;
  std::optional<int64_t> batch;
};

constexpr int64_t kDefaultBatch = 16;
constexpr size_t kMostFiles = 1'000'000;

void AddFlags(const Io& io, FlagTable* flags, TranslateFlags* o) {
  AddServerFlags(flags, &o->client, io);
  o->request.AddTo(flags);
  flags->String("target-prefix", "TEXT", &o->run.target_prefix,
                "text with which the translation of every line starts");
  flags->String("target-prefix-file", "FILE", &o->target_prefix_file,
                "file whose line n is the text with which the translation\n"
                "of line n starts");
  flags->Bool("whole", &o->whole,
              "takes the whole input as one text instead of one per line;\n"
              "for HTML and for paragraphs of several lines (with\n"
              "--markdown always)");
  flags->Bool("stream", &o->stream,
              "receives results as they are made; a terminal shows each\n"
              "translation as it grows");
  flags->String("output", "PATH", &o->output,
                "writes to PATH, which is not there yet, instead of\n"
                "standard output; for several documents a folder");
  flags->Bool("resume", &o->resume,
              "goes on with the --output of an earlier run: lines and\n"
              "documents that have a translation are kept, the rest is\n"
              "translated");
  flags->String("format", "NAME", &o->format,
                "the format of the documents, if their extensions do not\n"
                "say it");
  flags->String("fields", "NAME,...", &o->fields,
                "the columns (numbers or names) or members that are\n"
                "translated, of csv, tsv, json and yaml (default: all)");
  flags->Bool("retranslate", &o->retranslate,
              "also translates what has a translation in a po or xliff");
  flags->Bool("json", &o->json, "prints one JSON object for each line");
  flags->Bool("tokens", &o->tokens, "adds the tokens of source and target; needs --json");
  flags->Bool("token-scores", &o->token_scores,
              "adds the log-probability of each token; needs --json");
  flags->Bool("alignment", &o->alignment,
              "prints line TAB source TAB target for each token of the\n"
              "translation, or its bytes with --json");
  flags->Number("timeout", "S", 0.001, 86400, &o->timeout,
                "seconds that a request with its retries may take; so long\n"
                "it waits for a server that has answered and is away\n"
                "(default: 120)");
  flags->Int("retries", "N", 0, 1000, &o->retries,
             "how often a request that was refused or did not reach the\n"
             "server is sent again; refusals that say when to come back\n"
             "do not count (default: 7)");
  flags->Int("concurrency", "C", 1, 4096, &o->concurrency,
             "requests that are in flight at once (default: 16)");
  flags->OptionalInt("batch", "N", 1, 1024, &o->batch,
                     "lines that one request has at most (default: 16)");
}

// Returns the size of the input if it is a regular file, else nullopt.
std::optional<int64_t> SizeOf(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return info.st_size;
}

LinePrinter::Format FormatOf(const TranslateFlags& o) {
  if (o.json) return LinePrinter::Format::kJson;
  if (o.request.has_num_alternatives()) return LinePrinter::Format::kNBest;
  return o.alignment ? LinePrinter::Format::kAlignment : LinePrinter::Format::kText;
}

// Returns an error text if flags contradict each other, else "".
std::string Contradiction(const TranslateFlags& o) {
  if ((o.tokens || o.token_scores) && !o.json) return "--tokens and --token-scores need --json";
  if (o.alignment && o.request.has_num_alternatives() && !o.json) {
    return "--alignment and --num-alternatives (--nbest) together need --json";
  }
  if (o.request.has_seed() && o.batch.value_or(1) > 1) {
    return "--sampling-seed (--seed) and --batch do not go together: each line is sent alone";
  }
  if (o.resume && o.output.empty()) return "--resume needs --output";
  if (o.resume && FormatOf(o) != LinePrinter::Format::kText && !o.json) {
    return "--resume needs a line of output for each of the input: no --num-alternatives (--nbest) "
           "or --alignment without --json";
  }
  if (o.resume && o.whole) return "--resume and --whole do not go together";
  if (o.resume && o.request.markdown()) return "--resume and --markdown do not go together";
  if (!o.run.target_prefix.empty() && !o.target_prefix_file.empty()) {
    return "expected only one of --target-prefix and --target-prefix-file";
  }
  return "";
}

absl::StatusOr<std::vector<std::string>> ReadPrefixes(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{256} << 20;
  const absl::StatusOr<std::deque<std::string>> lines = ReadLinesOf(path, kMaxBytes);
  if (!lines.ok()) return lines.status();
  for (const std::string& line : *lines) {
    if (FirstInvalidUtf8(line)) return absl::InvalidArgumentError(path + " is not UTF-8");
  }
  return std::vector<std::string>(lines->begin(), lines->end());
}

// Sets the fields of the request that are the same for all lines.
void FillRequest(const TranslateFlags& o, bool shows_partials, v1::TranslateRequest* request) {
  v1::ReturnOptions* wanted = request->mutable_return_options();
  wanted->set_scores(o.json || o.request.has_num_alternatives());
  wanted->set_tokens(o.tokens);
  wanted->set_token_scores(o.token_scores);
  wanted->set_alignment(o.alignment);
  wanted->set_partials(shows_partials);
}

// Returns a list of the languages that can be translated into `target`; "" as `target` means any
// language. Returns "" if the server lists none or a model accepts any source.
std::string SourcesInto(TranslationClient* client, const std::string& model,
                        const std::string& target) {
  constexpr size_t kListed = 24;
  const auto languages = client->ListLanguages(model);
  if (!languages.ok()) return "";
  std::set<std::string> fitting;
  std::set<std::string> all;
  for (const v1::LanguagePair& pair : languages->pairs()) {
    if (pair.source_language_code().empty()) return "";  // any source
    all.insert(pair.source_language_code());
    if (pair.target_language_code() == target) fitting.insert(pair.source_language_code());
  }
  // If no pair has `target`, the models may spell it differently. Then all sources are listed.
  const std::set<std::string>& sources = fitting.empty() ? all : fitting;
  const auto end =
      std::next(sources.begin(), static_cast<std::ptrdiff_t>(std::min(kListed, sources.size())));
  return absl::StrCat(absl::StrJoin(sources.begin(), end, ", "),
                      sources.size() > kListed ? ", ..." : "");
}

// Prints a note about the lines that were left unchanged because no supported language was
// detected.
void NoteUnknown(const Io& io, const LinePrinter& printer, const TranslateFlags& o,
                 TranslationClient* client) {
  const int64_t lines = printer.unknown_lines();
  if (lines == 0) return;
  const std::vector<int64_t>& first = printer.first_unknown();
  const bool more = lines > static_cast<int64_t>(first.size());
  const v1::TranslateRequest& request = o.run.request;
  const std::string sources = SourcesInto(client, request.model(), request.target_language_code());
  io.err << "dragoman translate: note: " << lines << (lines == 1 ? " line (" : " lines (")
         << absl::StrJoin(first, ", ") << (more ? ", ..." : "") << (lines == 1 ? ") was" : ") were")
         << " left untranslated: found no language that this "
         << "server translates from" << (sources.empty() ? "" : ", expected one of " + sources)
         << '\n';
}

// Prints a note about the lines that were kept from an earlier run.
void NoteKept(const Io& io, const OutputFile& file) {
  if (file.kept() == 0) return;
  io.err << "dragoman translate: note: " << file.kept() << " lines are kept";
  if (file.kept_without() > 0) io.err << ", " << file.kept_without() << " of them empty or failed";
  io.err << '\n';
}

int Translate(const Io& io, TranslateFlags& o, int fd) {
  if (o.request.markdown()) o.whole = true;
  // With markup or sampling, lines appear only when they are complete, because the server refuses
  // partials.
  const bool shows_partials = o.stream && io.out_terminal && o.output.empty() &&
                              FormatOf(o) == LinePrinter::Format::kText && !o.whole &&
                              !o.request.has_markup() && !o.request.sampling();
  o.run.stream = o.stream;
  o.run.concurrency = static_cast<int>(o.concurrency);
  o.run.batch = static_cast<int>(o.batch.value_or(o.request.has_seed() ? 1 : kDefaultBatch));
  auto request = o.request.Request();
  if (!request.ok()) return UsageError(io, "translate", std::string(request.status().message()));
  o.run.request = *std::move(request);
  FillRequest(o, shows_partials, &o.run.request);
  if (!o.target_prefix_file.empty()) {
    auto prefixes = ReadPrefixes(o.target_prefix_file);
    if (!prefixes.ok()) return Fail(io, "translate", prefixes.status());
    o.run.target_prefixes = *std::move(prefixes);
  }

  o.client.timeout = Seconds(o.timeout);
  o.client.retry.patient = true;
  o.client.retry.max_attempts = static_cast<int>(o.retries) + 1;
  // The retry budget suffices for all attempts of all calls in flight. Because it is limited, a run
  // ends if its server has stopped.
  o.client.retry.budget = static_cast<double>(std::max<int64_t>(20, o.concurrency * o.retries));
  const auto client = TranslationClient::Create(o.client);
  if (!client.ok()) return UsageError(io, "translate", std::string(client.status().message()));

  LinePrinter::Options printing;
  printing.format = FormatOf(o);
  printing.whole = o.whole;
  printing.partials = shows_partials;
  // Shows no progress bar if a user types the lines or sees translations grow.
  printing.progress = io.err_terminal && !shows_partials && isatty(fd) == 0;
  printing.total_bytes = SizeOf(fd);
  OutputFile file;
  const Io to_file{.in_fd = io.in_fd,
                   .out = file.stream(),
                   .err = io.err,
                   .in_terminal = io.in_terminal,
                   .err_terminal = io.err_terminal,
                   .columns = io.columns,
                   .environment = io.environment};
  if (!o.output.empty()) {
    const absl::Status opened = file.Open(o.output, o.resume, o.json);
    if (!opened.ok()) return Fail(io, "translate", opened);
    o.run.skip = file.kept();
    NoteKept(io, file);
  }
  LinePrinter printer(printing, o.output.empty() ? io : to_file, o.client.clock);
  LineSource source(fd, o.whole ? LineSource::Unit::kWhole : LineSource::Unit::kLine);
  const absl::Status input = RunTranslate(o.run, client->get(), &source, &printer);
  printer.Close();
  if (!o.json) NoteUnknown(io, printer, o, client->get());
  if (!input.ok()) return Fail(io, "translate", input);
  if (!o.output.empty()) {
    if (const absl::Status written = file.Close(); !written.ok())
      return Fail(io, "translate", written);
  }
  if (o.run.target_prefixes.has_value() &&
      o.run.skip + printer.lines() < static_cast<int64_t>(o.run.target_prefixes->size())) {
    return Fail(io, "translate",
                absl::InvalidArgumentError(
                    absl::StrCat(o.target_prefix_file, " has ", o.run.target_prefixes->size(),
                                 " lines, the input has ", o.run.skip + printer.lines())));
  }
  return printer.failed_lines() > 0 ? kExitFailed : kExitOk;
}

// Reports whether the inputs are documents, and not texts that are translated line by line.
bool AreDocuments(const TranslateFlags& o, const std::vector<std::string>& inputs) {
  // --whole, --html and --markdown ask for the text of one file on standard output.
  if (inputs.empty() || inputs[0] == "-" || o.whole || o.request.has_markup()) return false;
  struct stat info {};
  return !o.format.empty() || inputs.size() > 1 || IsDocument(inputs[0]) ||
         (stat(inputs[0].c_str(), &info) == 0 && S_ISDIR(info.st_mode));
}

int TranslateDocuments(const Io& io, TranslateFlags& o, const std::vector<std::string>& inputs) {
  if (o.output.empty()) {
    return UsageError(io, "translate",
                      "a document needs --output PATH (or --html or --markdown, for its text on "
                      "standard output)");
  }
  if (o.json || o.stream || o.alignment || !o.run.target_prefix.empty() ||
      !o.target_prefix_file.empty() || o.request.has_num_alternatives()) {
    return UsageError(io, "translate",
                      "--json, --stream, --alignment, --target-prefix and --num-alternatives are "
                      "for lines, not for documents");
  }
  auto request = o.request.Request();
  if (!request.ok()) return UsageError(io, "translate", std::string(request.status().message()));
  const auto files = FindDocuments(inputs, o.output);
  if (!files.ok()) return Fail(io, "translate", files.status());
  DocumentRunOptions options;
  options.request = *std::move(request);
  options.format = o.format;
  if (!o.fields.empty()) options.fields = absl::StrSplit(o.fields, ',');
  options.retranslate = o.retranslate;
  options.resume = o.resume;
  o.client.one_server = true;
  o.client.timeout = Seconds(o.timeout);
  o.client.retry.patient = true;
  o.client.retry.max_attempts = static_cast<int>(o.retries) + 1;
  const auto client = TranslationClient::Create(o.client);
  if (!client.ok()) return UsageError(io, "translate", std::string(client.status().message()));
  return RunDocuments(io, options, *files, client->get(), o.client.clock);
}

}  // namespace

int TranslateCommand(const Io& io, const Arguments& arguments) {
  TranslateFlags o;
  FlagTable flags;
  AddFlags(io, &flags, &o);
  std::vector<std::string> positional;
  if (const auto exit_status = ParseCommand(io, "translate [flags] [FILE...]", kTranslateAbout,
                                            arguments, &flags, kMostFiles, &positional)) {
    return *exit_status;
  }
  if (AreDocuments(o, positional)) return TranslateDocuments(io, o, positional);
  if (const std::string wrong = Contradiction(o); !wrong.empty()) {
    return UsageError(io, "translate", wrong);
  }
  if (positional.empty() || positional[0] == "-") return Translate(io, o, io.in_fd);
  const int fd = open(positional[0].c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Fail(io, "translate", absl::ErrnoToStatus(errno, "cannot open " + positional[0]));
  }
  const int exit_status = Translate(io, o, fd);
  close(fd);
  return exit_status;
}

}  // namespace dragoman::client
