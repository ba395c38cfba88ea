#include "client/marian/marian_command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/commands/translate_run.h"
#include "client/corpus/compressed_file.h"
#include "client/load/local_daemon.h"
#include "client/status_map.h"

namespace dragoman::client {
namespace {

namespace fs = std::filesystem;

// The lines of a file, which may be compressed as its name says.
class CompressedLines : public TextSource {
 public:
  static absl::StatusOr<std::unique_ptr<CompressedLines>> Open(const std::string& path,
                                                               const Io& io) {
    const bool is_stdin = path == "stdin" || path == "-";
    const int fd = is_stdin ? dup(io.in_fd) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open " + path);
    return std::unique_ptr<CompressedLines>(new CompressedLines(path, fd));
  }
  ~CompressedLines() override { close(file_->fd()); }

  absl::Status Read(std::deque<TextItem>* items) override {
    std::string content;
    if (absl::Status status = file_->Read(&content); !status.ok()) {
      return absl::Status(status.code(), absl::StrCat(path_, ": ", status.message()));
    }
    size_t at = 0;
    for (size_t newline; (newline = content.find('\n', at)) != content.npos; at = newline + 1) {
      Append(content.substr(at, newline - at));
      items->push_back({std::exchange(line_, {}), ""});
    }
    Append(content.substr(at));
    if (file_->ended() && !line_.empty()) items->push_back({std::exchange(line_, {}), ""});
    return absl::OkStatus();
  }
  bool ended() const override { return file_->ended(); }
  int fd() const override { return file_->fd(); }
  bool has_buffered() const override { return file_->has_buffered(); }

 private:
  CompressedLines(std::string path, int fd)
      : path_(std::move(path)), file_(Decompressor::Create(fd, CompressionOf(path_))) {}
  // Keeps one byte more than a text may have, so that the run refuses it.
  void Append(const std::string& part) {
    if (line_.size() <= kMaxTextBytes) line_ += part;
  }

  const std::string path_;
  const std::unique_ptr<Decompressor> file_;
  std::string line_;
};

// Pairs of lines of two sources, or of the two fields of one.
class LinePairs : public TextSource {
 public:
  LinePairs(std::unique_ptr<CompressedLines> sources, std::unique_ptr<CompressedLines> targets)
      : sources_(std::move(sources)), targets_(std::move(targets)) {}

  absl::Status Read(std::deque<TextItem>* items) override {
    if (absl::Status status = sources_->Read(&source_lines_); !status.ok()) return status;
    while (targets_ != nullptr && !targets_->ended() &&
           (target_lines_.size() < source_lines_.size() || sources_->ended())) {
      if (absl::Status status = targets_->Read(&target_lines_); !status.ok()) return status;
    }
    while (!source_lines_.empty() && (targets_ == nullptr || !target_lines_.empty())) {
      TextItem item = std::move(source_lines_.front());
      source_lines_.pop_front();
      if (targets_ != nullptr) {
        item.target = std::move(target_lines_.front().text);
        target_lines_.pop_front();
      } else if (const size_t tab = item.text.find('\t'); tab != item.text.npos) {
        item.target = item.text.substr(tab + 1);
        item.text.resize(tab);
      }
      items->push_back(std::move(item));
    }
    if (!ended() || (source_lines_.empty() && target_lines_.empty())) return absl::OkStatus();
    return absl::InvalidArgumentError("source and target have different numbers of lines");
  }
  bool ended() const override {
    return sources_->ended() && (targets_ == nullptr || targets_->ended());
  }
  int fd() const override { return sources_->fd(); }
  bool has_buffered() const override { return sources_->ended() || sources_->has_buffered(); }

 private:
  const std::unique_ptr<CompressedLines> sources_;
  const std::unique_ptr<CompressedLines> targets_;
  std::deque<TextItem> source_lines_;
  std::deque<TextItem> target_lines_;
};

std::string OneLine(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

class MarianPrinter : public ResultSink {
 public:
  MarianPrinter(const MarianOptions& options, std::ostream* out, std::ostream* err)
      : options_(options), out_(*out), err_(*err) {}

  void OnLine(int64_t number, LineResult* result) override {
    if (!result->status.ok()) {
      status_ = absl::Status(result->status.code(),
                             absl::StrCat("line ", number, ": ", result->status.message()));
      err_ << ForPeople(status_) << "\n";
    }
    const v1::Translation& best = result->translation;
    if (!options_.pairs.empty()) {
      PrintScore(result->score);
    } else if (!options_.n_best) {
      out_ << OneLine(best.translated_text()) << "\n";
    } else if (result->empty || !result->status.ok()) {
      // Readers of the lists count a line of the source for every `beam` lines.
      for (int i = 0; i < options_.beam; ++i) Print(number, "", 0, 0);
    } else {
      Print(number, best.translated_text(), best.log_prob(), best.score());
      for (const v1::Alternative& other : best.alternatives()) {
        Print(number, other.text(), other.log_prob(), other.score());
      }
    }
  }
  void OnIdle() override { out_.flush(); }
  bool stopped() const override { return !out_; }

  // Prints the summary of the scores.
  void Close() {
    if (!options_.summary.has_value()) return;
    const auto lines = static_cast<double>(lines_);
    const auto words = static_cast<double>(words_);
    double cost = -sum_;
    if (*options_.summary == "perplexity") cost = std::exp(-sum_ / words);
    if (*options_.summary == "ce-mean-words") cost = -sum_ / words;
    if (*options_.summary == "cross-entropy") cost = -sum_ / lines;
    out_ << absl::StrFormat("%g\n", cost);
  }

  // The error of the last line that failed.
  const absl::Status& status() const { return status_; }

 private:
  void Print(int64_t number, const std::string& text, float log_prob, float score) {
    out_ << number - 1 << " ||| " << OneLine(text)
         << absl::StrFormat(" ||| F0= %g ||| %g\n", log_prob, score);
  }
  void PrintScore(const v1::PairScore& score) {
    ++lines_;
    words_ += score.token_scores_size();
    sum_ += score.log_prob();
    if (options_.summary.has_value()) return;
    out_ << absl::StrFormat("%g\n", options_.normalize > 0 ? score.score() : score.log_prob());
  }

  const MarianOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  absl::Status status_;
  int64_t lines_ = 0;
  int64_t words_ = 0;
  double sum_ = 0;
};

// A folder with links to the model's files and a decoder.yml that names them, as the daemon reads
// it. The daemon needs it until it listens.
class ModelFolder {
 public:
  static absl::StatusOr<std::unique_ptr<ModelFolder>> Create(const MarianOptions& options,
                                                             const std::string& model) {
    std::string path = (fs::temp_directory_path() / "marian-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) return absl::ErrnoToStatus(errno, "cannot make " + path);
    std::unique_ptr<ModelFolder> folder(new ModelFolder(path));
    std::ofstream config(path + "/decoder.yml");
    const auto link = [&](const std::string& file, const std::string& name) {
      std::error_code error;
      fs::create_symlink(fs::absolute(file), path + "/" + name, error);
      return fs::exists(path + "/" + name);
    };
    std::string missing;
    const std::string kind = model.ends_with(".npz") ? "marian.npz" : "marian.bin";
    if (!link(model, kind)) missing = model;
    if (fs::exists(model + ".yml")) link(model + ".yml", kind + ".yml");
    const std::string& source = options.vocabularies[0];
    const std::string& target = options.vocabularies[1];
    if (!link(source, "srcvocab.model.spm")) missing = source;
    if (!link(target, "trgvocab.model.spm")) missing = target;
    config << "models: [" << kind << "]\nvocabs: [srcvocab.model.spm, trgvocab.model.spm]\n"
           << "beam-size: " << options.beam << "\nnormalize: " << options.normalize
           << "\nallow-unk: " << (options.allow_unk ? "true" : "false") << "\n";
    if (!options.shortlist.empty()) {
      if (!link(options.shortlist, "lex.model.bin")) missing = options.shortlist;
      config << "shortlist: [lex.model.bin, false]\n";
    }
    if (!missing.empty()) return absl::NotFoundError("there is no file " + missing);
    return folder;
  }
  ~ModelFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit ModelFolder(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

std::vector<std::string> DaemonFlags(const MarianOptions& options,
                                     const std::vector<std::unique_ptr<ModelFolder>>& folders) {
  std::vector<std::string> flags;
  if (folders.size() == 1) {
    flags = {"--model", "marian=" + folders[0]->path()};
  } else {
    flags = {"--ensemble",
             "marian=" + absl::StrJoin(folders, ",", [](std::string* out, const auto& folder) {
               out->append(folder->path());
             })};
    // Marian adds weighted log-probabilities.
    flags.insert(flags.end(), {"--ensemble-mean", "log-probability"});
    if (!options.weights.empty()) {
      flags.insert(flags.end(), {"--ensemble-weights", absl::StrJoin(options.weights, ",")});
    }
  }
  flags.insert(flags.end(), {"--compute-type", options.compute_type, "--default-profile", "marian",
                             "--language-model", "off", "--log-level", "warn"});
  if (options.cpu_threads > 0) {
    flags.insert(flags.end(), {"--device", "cpu", "--cpu-workers", "1", "--threads-per-worker",
                               absl::StrCat(options.cpu_threads)});
  } else {
    std::vector<std::string> cards;
    for (const std::string& device : options.devices) cards.push_back("cuda:" + device);
    flags.insert(flags.end(), {"--device", cards.empty() ? "auto" : absl::StrJoin(cards, ",")});
  }
  if (!options.shortlist.empty()) flags.insert(flags.end(), {"--lexical-shortlist", "on"});
  return flags;
}

TranslateRunOptions RunOptions(const MarianOptions& options) {
  TranslateRunOptions run;
  run.concurrency = 64;
  v1::TranslateRequest& request = run.request;
  request.set_priority(v1::BULK);
  request.mutable_segmentation()->set_split(v1::Segmentation::NONE);
  request.set_preserve(false);
  request.set_recase(false);
  request.set_guard(v1::TranslateRequest::OFF);
  v1::DecodingOptions* decoding = request.mutable_decoding();
  decoding->set_profile(v1::DecodingOptions::MARIAN);
  decoding->set_length_penalty(static_cast<float>(options.normalize));
  if (!options.pairs.empty()) {
    v1::ScoreRequest& score = run.score.emplace();
    score.set_priority(v1::BULK);
    *score.mutable_decoding() = *decoding;
    return run;
  }
  // Marian's limit counts the source's end-of-sentence, max_length_ratio does not.
  decoding->set_max_length_ratio(static_cast<float>(options.max_length_factor));
  decoding->set_max_length_extra(static_cast<int>(options.max_length_factor));
  if (options.sampling_top_k.has_value()) {
    decoding->mutable_sampling()->set_top_k(*options.sampling_top_k);
  } else {
    decoding->set_beam_size(options.beam);
  }
  if (options.n_best) decoding->set_num_alternatives(options.beam);
  request.mutable_return_options()->set_scores(true);
  return run;
}

absl::StatusOr<std::unique_ptr<TextSource>> OpenInput(const MarianOptions& options, const Io& io) {
  const std::string& path = options.pairs.empty() ? options.input : options.pairs[0];
  auto lines = CompressedLines::Open(path, io);
  if (!lines.ok()) return lines.status();
  if (options.pairs.empty() && !options.is_tsv) return *std::move(lines);
  std::unique_ptr<CompressedLines> targets;
  if (options.pairs.size() == 2) {
    auto opened = CompressedLines::Open(options.pairs[1], io);
    if (!opened.ok()) return opened.status();
    targets = *std::move(opened);
  }
  return std::make_unique<LinePairs>(*std::move(lines), std::move(targets));
}

absl::Status Run(const MarianOptions& options, const Io& io) {
  std::vector<std::unique_ptr<ModelFolder>> folders;
  for (const std::string& model : options.models) {
    auto folder = ModelFolder::Create(options, model);
    if (!folder.ok()) return folder.status();
    folders.push_back(*std::move(folder));
  }
  auto input = OpenInput(options, io);
  if (!input.ok()) return input.status();
  std::ofstream file;
  std::ostream* out = &io.out;
  if (options.output != "stdout" && options.output != "-") {
    file.open(options.output, std::ios::binary | std::ios::trunc);
    if (!file) return absl::ErrnoToStatus(errno, "cannot write " + options.output);
    out = &file;
  }
  const std::string set = io.environment ? io.environment("DRAGOMAND") : "";
  const auto daemon =
      LocalDaemon::Start(set.empty() ? UsualDaemon() : set, DaemonFlags(options, folders));
  if (!daemon.ok()) return daemon.status();
  folders.clear();
  ClientOptions client_options;
  client_options.server = (*daemon)->address();
  client_options.timeout = std::chrono::hours(24);
  client_options.retry.patient = true;
  const auto client = TranslationClient::Create(client_options);
  if (!client.ok()) return client.status();
  MarianPrinter printer(options, out, &io.err);
  absl::Status status = RunTranslate(RunOptions(options), client->get(), input->get(), &printer);
  printer.Close();
  out->flush();
  if (!*out) return absl::UnavailableError("cannot write all of " + options.output);
  return status.ok() ? printer.status() : status;
}

}  // namespace

int MarianCommand(MarianProgram program, const Io& io, const Arguments& arguments) {
  const char* const name = program == MarianProgram::kDecoder ? "marian-decoder" : "marian-scorer";
  if (arguments == Arguments{"--version"}) {
    io.out << "v1.12.0 dragoman " << DRAGOMAN_VERSION << "\n";
    return kExitOk;
  }
  const auto options = ParseMarianOptions(program, arguments);
  if (!options.ok()) {
    io.err << name << ": " << options.status().message() << "\n";
    return kExitUsage;
  }
  const absl::Status status = Run(*options, io);
  if (!options->log.empty()) {
    std::ofstream(options->log, std::ios::app)
        << name << ": " << (status.ok() ? "done" : ForPeople(status)) << "\n";
  }
  if (status.ok()) return kExitOk;
  io.err << name << ": " << ForPeople(status) << "\n";
  return kExitFailed;
}

}  // namespace dragoman::client
