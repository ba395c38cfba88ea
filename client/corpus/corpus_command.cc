#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <memory>
#include <ostream>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/commands/command.h"
#include "client/commands/request_flags.h"
#include "client/corpus/corpus_report.h"
#include "client/corpus/corpus_shard.h"
#include "client/load/node_daemon.h"
#include "client/status_map.h"
#include "google/protobuf/util/json_util.h"

namespace dragoman::client {
namespace {

using json = nlohmann::ordered_json;
using Models = ModelIdentities;

constexpr char kCorpusAbout[] =
    "Translates the lines or records of files into DIR, under the same names. A file appears when "
    "it is\ncomplete, with NAME.manifest.json beside it. A run that was interrupted continues "
    "after its last\ncomplete block, and a file that is complete is left alone. Names tell what "
    "a file has: .tsv, .jsonl\nor lines of text, each also .gz or .zst. Exit status: 0 done; 75 "
    "run it again (server or disk);\n65 bad input, with file and line; 69 no server; 1 refused; "
    "2 wrong command line.";

// Exit statuses from sysexits.h, which schedulers know.
enum CorpusExit : int { kExitBadInput = 65, kExitNoServer = 69, kExitTryAgain = 75 };

struct CorpusFlags {
  ClientOptions client;
  RequestFlags request;
  std::string out;
  std::string format;
  RecordOptions record;
  std::vector<std::string> columns;
  bool score = false;
  std::string name;
  std::string shard;
  std::string metrics_file;
  std::string local;
  std::vector<std::string> local_flags;
  int64_t max_failed = 0;
  double timeout = 600;
  int64_t concurrency = 64;
  int64_t batch = 16;
};

void AddFlags(const Io& io, FlagTable* flags, CorpusFlags* o) {
  flags->String("out", "DIR", &o->out, "folder of the results, which is made if need be");
  flags->Choice("format", {"txt", "tsv", "jsonl"}, &o->format,
                "what the files have (default: what their names tell)");
  flags->Strings("field", "FIELD", &o->record.fields,
                 "tsv: number of the field to translate, from 1 (default: 1);\n"
                 "jsonl: path to it, such as text or messages[*].content; may\n"
                 "be repeated");
  flags->Bool("replace", &o->record.replace,
              "writes the translation in place of its source instead of\n"
              "beside it (txt: always)");
  flags->String("suffix", "TEXT", &o->record.suffix,
                "jsonl: end of the name of the translation's member\n"
                "(default: _translation)");
  flags->Strings("column", "NAME", &o->columns,
                 "adds a value beside the translation: score, detected,\n"
                 "finish_reason, warnings or error; may be repeated");
  flags->Bool("score", &o->score,
              "scores given translations instead of translating; needs\n"
              "--target-field");
  flags->Strings("target-field", "FIELD", &o->record.targets,
                 "field of the given translation, one for each --field");
  flags->String("shard", "I/N", &o->shard,
                "takes files I, I + N, ... of the list, from 0; /N takes I\n"
                "from JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID (default\n"
                "in a Slurm array: its task and size; else 0/1)");
  flags->String("name", "NAME", &o->name, "name of the result of standard input ('-')");
  flags->String("local", "[NAME=]DIR", &o->local,
                "serves this model on this machine with a dragomand that all\n"
                "such commands share; it ends with the last of them");
  flags->Strings("local-flag", "FLAG", &o->local_flags,
                 "a flag of that dragomand, such as --cpu-workers=4; may be\n"
                 "repeated");
  flags->Int("max-failed", "N", 0, std::numeric_limits<int64_t>::max(), &o->max_failed,
             "lines of a file that may fail; they stay without translation\n"
             "(default: 0)");
  flags->String("metrics-file", "FILE", &o->metrics_file,
                "writes Prometheus metrics to FILE every 10 s, for\n"
                "node_exporter's textfile collector");
  AddServerFlags(flags, &o->client, io);
  o->request.AddTo(flags);
  flags->Number("timeout", "SECONDS", 0.001, 1e6, &o->timeout,
                "limit of a request with all its retries (default: 600)");
  flags->Int("concurrency", "C", 1, 4096, &o->concurrency,
             "requests that are in flight at once (default: 64)");
  flags->Int("batch", "N", 1, 1024, &o->batch, "texts that one request has at most (default: 16)");
}

struct Shard {
  int64_t index = 0;
  int64_t count = 1;
};

// Returns which files are this task's.
absl::StatusOr<Shard> ShardOf(const std::string& text, const Io& io) {
  const auto number = [&io](const char* name, int64_t* value) {
    const std::string set = io.environment ? io.environment(name) : "";
    return !set.empty() && absl::SimpleAtoi(set, value);
  };
  Shard shard;
  int64_t first = 0;
  if (text.empty()) {
    if (!number("SLURM_ARRAY_TASK_ID", &shard.index) ||
        !number("SLURM_ARRAY_TASK_COUNT", &shard.count) ||
        !number("SLURM_ARRAY_TASK_MIN", &first)) {
      return Shard();
    }
    shard.index -= first;
    if (shard.index < shard.count) return shard;
    return absl::InvalidArgumentError(absl::StrCat(
        "the Slurm array has ", shard.count, " tasks and gaps; expected --shard /N with the size ",
        "of the complete array"));
  }
  const size_t slash = text.find('/');
  const std::string index = text.substr(0, slash);
  const bool is_set = !index.empty();
  if (slash == text.npos || !absl::SimpleAtoi(text.substr(slash + 1), &shard.count) ||
      (is_set && !absl::SimpleAtoi(index, &shard.index)) || shard.count < 1 || shard.index < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--shard is '", text, "', expected I/N or /N, such as 0/8"));
  }
  if (!is_set && !number("JOB_COMPLETION_INDEX", &shard.index) &&
      !number("SLURM_ARRAY_TASK_ID", &shard.index)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--shard is '", text,
                     "', but neither JOB_COMPLETION_INDEX nor SLURM_ARRAY_TASK_ID is set"));
  }
  if (shard.index < shard.count) return shard;
  return absl::InvalidArgumentError(
      absl::StrCat("shard ", shard.index, " does not exist, expected 0 to ", shard.count - 1));
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The names of the formats, in the order of RecordOptions::Format.
constexpr const char* kFormats[] = {"txt", "tsv", "jsonl"};

RecordOptions::Format FormatOf(const std::string& flag, std::string_view name) {
  for (int format = 0; format < 3; ++format) {
    if (flag == kFormats[format]) return static_cast<RecordOptions::Format>(format);
  }
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".zst")) name.remove_suffix(4);
  if (name.ends_with(".tsv")) return RecordOptions::Format::kTsv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) {
    return RecordOptions::Format::kJsonl;
  }
  return RecordOptions::Format::kText;
}

absl::StatusOr<std::vector<Column>> ColumnsOf(const CorpusFlags& o) {
  std::vector<Column> columns = {o.score ? Column::kScore : Column::kTranslation};
  for (const std::string& name : o.columns) {
    bool found = false;
    for (const Column column : {Column::kScore, Column::kDetected, Column::kFinishReason,
                                Column::kWarnings, Column::kError}) {
      if (name != ColumnName(column)) continue;
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
        columns.push_back(column);
      }
      found = true;
    }
    if (!found) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--column is '", name, "', expected score, detected, finish_reason, warnings or error"));
    }
  }
  return columns;
}

// A file of the run.
struct Job {
  std::string input;  // "-": standard input
  std::string output;
  int64_t bytes = 0;
  std::unique_ptr<RecordFormat> format;
  json options;  // what decides about the output, for the manifest
};

class CorpusRun {
 public:
  CorpusRun(const Io& io, CorpusFlags* flags) : io_(io), o_(*flags) {}

  int Run(const std::vector<std::string>& inputs) {
    if (absl::Status status = Prepare(inputs); !status.ok()) {
      return UsageError(io_, "corpus", std::string(status.message()));
    }
    CorpusReport::Totals totals{.files = static_cast<int64_t>(jobs_.size())};
    for (const Job& job : jobs_) totals.bytes += job.bytes;
    CorpusReport report(io_, totals, o_.shard, o_.metrics_file);
    const int exit_status = RunJobs(&report);
    if (absl::Status status = report.WriteMetrics(); !status.ok() && exit_status == kExitOk) {
      return End(status);
    }
    return exit_status;
  }

 private:
  absl::Status Prepare(const std::vector<std::string>& inputs) {
    if (o_.out.empty()) return absl::InvalidArgumentError("expected --out DIR");
    if (inputs.empty()) return absl::InvalidArgumentError("expected files, or '-'");
    if (o_.local.empty() && !o_.local_flags.empty()) {
      return absl::InvalidArgumentError("--local-flag needs --local");
    }
    if (o_.score == o_.record.targets.empty()) {
      return absl::InvalidArgumentError("--score and --target-field need each other");
    }
    if (absl::Status status = PrepareRequest(); !status.ok()) return status;
    const auto shard = ShardOf(o_.shard, io_);
    if (!shard.ok()) return shard.status();
    if (shard->count > 1) o_.shard = absl::StrCat(shard->index, "/", shard->count);
    const auto columns = ColumnsOf(o_);
    if (!columns.ok()) return columns.status();
    shard_options_.columns = o_.record.columns = *columns;
    std::set<std::string> outputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto job = JobOf(inputs[i]);
      if (!job.ok()) return job.status();
      if (!outputs.insert(job->output).second) {
        return absl::InvalidArgumentError(absl::StrCat("two files are named ", NameOf(job->output),
                                                       ", expected one of each name"));
      }
      if (static_cast<int64_t>(i) % shard->count == shard->index) {
        jobs_.push_back(*std::move(job));
      }
    }
    return absl::OkStatus();
  }

  absl::Status PrepareRequest() {
    if (o_.request.has_num_alternatives()) {
      return absl::InvalidArgumentError(
          "a record has one translation, expected no "
          "--num-alternatives");
    }
    auto request = o_.request.Request();
    if (!request.ok()) return request.status();
    if (request->priority() == v1::PRIORITY_UNSPECIFIED) request->set_priority(v1::BULK);
    TranslateRunOptions& run = shard_options_.run;
    run.concurrency = static_cast<int>(o_.concurrency);
    run.batch = static_cast<int>(o_.request.has_seed() ? 1 : o_.batch);
    shard_options_.reuses_results = !o_.request.sampling();
    shard_options_.max_failed = o_.max_failed;
    const auto& names = o_.columns;
    if (std::find(names.begin(), names.end(), "score") != names.end()) {
      request->mutable_return_options()->set_scores(true);
    }
    run.request = *std::move(request);
    return o_.score ? PrepareScore() : absl::OkStatus();
  }

  // Makes the request for scores, which has fewer fields.
  absl::Status PrepareScore() {
    v1::TranslateRequest rest = shard_options_.run.request;
    v1::ScoreRequest score;
    score.set_source_language_code(rest.source_language_code());
    score.set_target_language_code(rest.target_language_code());
    score.set_model(rest.model());
    score.set_priority(rest.priority());
    *score.mutable_decoding() = rest.decoding();
    rest.clear_source_language_code();
    rest.clear_target_language_code();
    rest.clear_model();
    rest.clear_priority();
    rest.clear_decoding();
    rest.clear_return_options();
    if (rest.ByteSizeLong() > 0 || !o_.columns.empty() || o_.record.replace) {
      return absl::InvalidArgumentError(
          "scores have no options of texts and no other columns, expected no such flags with "
          "--score");
    }
    shard_options_.run.score = std::move(score);
    return absl::OkStatus();
  }

  absl::StatusOr<Job> JobOf(const std::string& input) {
    Job job;
    job.input = input;
    if (input == "-") {
      if (o_.name.empty() || o_.name.find('/') != o_.name.npos) {
        return absl::InvalidArgumentError(
            "standard input needs --name NAME, such as part-1.jsonl.zst");
      }
    } else {
      struct stat info {};
      if (stat(input.c_str(), &info) != 0) {
        return absl::ErrnoToStatus(errno, "cannot open " + input);
      }
      if (!S_ISREG(info.st_mode)) {
        return absl::InvalidArgumentError(input + " is no file; expected files, or '-'");
      }
      job.bytes = info.st_size;
    }
    const std::string name = input == "-" ? o_.name : NameOf(input);
    job.output = absl::StrCat(o_.out, "/", name);
    struct stat from {};
    struct stat to {};
    if (stat(input.c_str(), &from) == 0 && stat(job.output.c_str(), &to) == 0 &&
        from.st_dev == to.st_dev && from.st_ino == to.st_ino) {
      return absl::InvalidArgumentError(
          absl::StrCat("the result of ", input, " would replace it, expected another --out"));
    }
    RecordOptions record = o_.record;
    record.format = FormatOf(o_.format, name);
    auto format = RecordFormat::Create(record);
    if (!format.ok()) return format.status();
    job.format = *std::move(format);
    v1::TranslateRequest request = shard_options_.run.request;
    request.clear_priority();
    std::string request_json;
    (void)google::protobuf::util::MessageToJsonString(request, &request_json);
    std::vector<std::string_view> columns;
    for (const Column column : record.columns) columns.push_back(ColumnName(column));
    job.options = {{"request", json::parse(request_json)},
                   {"format", kFormats[static_cast<int>(record.format)]},
                   {"fields", record.fields},
                   {"targets", record.targets},
                   {"replace", record.replace},
                   {"suffix", record.suffix},
                   {"columns", columns}};
    return job;
  }

  int RunJobs(CorpusReport* report) {
    // Without a server: a run that has nothing to do needs none.
    const bool all_done = std::all_of(jobs_.begin(), jobs_.end(), [](const Job& job) {
      return IsComplete(job.output, job.input, job.options, nullptr);
    });
    if (all_done) {
      for (const Job& job : jobs_) report->OnFile(job.output, {}, job.bytes, true);
      return kExitOk;
    }
    if (mkdir(o_.out.c_str(), 0777) != 0 && errno != EEXIST) {
      return End(absl::ErrnoToStatus(errno, "cannot make " + o_.out));
    }
    std::unique_ptr<NodeDaemon> node;
    if (!o_.local.empty()) {
      NodeDaemon::Options options{.flags = {"--model", o_.local}};
      options.flags.insert(options.flags.end(), o_.local_flags.begin(), o_.local_flags.end());
      const std::string program = io_.environment ? io_.environment("DRAGOMAND") : "";
      if (!program.empty()) options.program = program;
      auto joined = NodeDaemon::Join(options, io_.environment);
      if (!joined.ok()) return End(joined.status());
      node = *std::move(joined);
      o_.client.server = node->address();
      o_.client.retry.answered = true;
    }
    o_.client.timeout = Seconds(o_.timeout);
    o_.client.retry.patient = true;
    o_.client.retry.budget = static_cast<double>(20 * o_.concurrency);
    auto client = TranslationClient::Create(o_.client);
    if (!client.ok()) return UsageError(io_, "corpus", std::string(client.status().message()));
    auto models = ModelsOf(client->get());
    if (!models.ok()) {
      End(models.status());
      return absl::IsUnavailable(models.status()) ? int{kExitNoServer} : int{kExitFailed};
    }
    int exit_status = kExitOk;
    for (const Job& job : jobs_) {
      if (IsComplete(job.output, job.input, job.options, &*models)) {
        report->OnFile(job.output, {}, job.bytes, true);
        continue;
      }
      const absl::Status status = Translate(job, *models, client->get(), report);
      if (status.ok()) continue;
      exit_status = End(status);
      // Other files may be good.
      if (exit_status != kExitBadInput) break;
    }
    return exit_status;
  }

  absl::Status Translate(const Job& job, const Models& models, TranslationClient* client,
                         CorpusReport* report) {
    auto output = ShardOutput::Open(job.output, job.options, models);
    if (!output.ok()) return output.status();
    const bool is_file = job.input != "-";
    const int fd = is_file ? open(job.input.c_str(), O_RDONLY | O_CLOEXEC) : io_.in_fd;
    if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open " + job.input);
    const ShardInput input{.name = job.input,
                           .fd = fd,
                           .is_file = is_file,
                           .compression = CompressionOf(is_file ? job.input : ""),
                           .output_compression = CompressionOf(job.output)};
    ShardProgress last;
    absl::Status status = TranslateShard(
        shard_options_, input, *job.format, models, client, output->get(),
        [&](const ShardProgress& progress, int64_t raw_bytes) {
          last = progress;
          report->OnProgress(job.output, progress, raw_bytes);
        },
        [&] { return ModelsOf(client); }, &io_.err);
    if (is_file) close(fd);
    if (status.ok()) report->OnFile(job.output, last, job.bytes, false);
    return status;
  }

  // Returns the server's models. A pivot's checksum is made of its models'.
  static absl::StatusOr<Models> ModelsOf(TranslationClient* client) {
    const auto listed = client->ListModels();
    if (!listed.ok()) return listed.status();
    Models models;
    for (const v1::Model& model : listed->models()) {
      if (!model.checksum().empty()) models[model.name()] = {model.checksum(), model.version()};
    }
    for (const v1::Model& model : listed->models()) {
      if (model.pivot_size() == 0) continue;
      models[model.name()].checksum = absl::StrJoin(
          model.pivot(), "+",
          [&](std::string* out, const std::string& part) { out->append(models[part].checksum); });
    }
    return models;
  }

  int End(const absl::Status& status) {
    const bool has_place = absl::IsDataLoss(status);
    io_.err << "dragoman corpus: "
            << (has_place ? std::string(status.message()) : ForPeople(status)) << "\n";
    if (has_place) return kExitBadInput;
    return absl::IsUnavailable(status) ? int{kExitTryAgain} : int{kExitFailed};
  }

  const Io& io_;
  CorpusFlags& o_;
  ShardOptions shard_options_;
  std::vector<Job> jobs_;
};

}  // namespace

int CorpusCommand(const Io& io, const Arguments& arguments) {
  CorpusFlags o;
  FlagTable flags;
  AddFlags(io, &flags, &o);
  const std::string usual_server = o.client.server;
  std::vector<std::string> inputs;
  if (const auto exit_status =
          ParseCommand(io, "corpus [flags] FILE... --out DIR", kCorpusAbout, arguments, &flags,
                       std::numeric_limits<size_t>::max(), &inputs)) {
    return *exit_status;
  }
  if (!o.local.empty() && o.client.server != usual_server) {
    return UsageError(io, "corpus", "--local and --server do not go together");
  }
  return CorpusRun(io, &o).Run(inputs);
}

}  // namespace dragoman::client
