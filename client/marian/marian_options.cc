#include "client/marian/marian_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dragoman::client {
namespace {

// Values by option, in the order of the command line. An option without a value has none.
using Values = std::map<std::string, std::vector<std::string>>;

constexpr std::pair<char, const char*> kShort[] = {
    {'c', "config"},    {'m', "models"},    {'v', "vocabs"},    {'i', "input"},
    {'o', "output"},    {'b', "beam-size"}, {'n', "normalize"}, {'d', "devices"},
    {'w', "workspace"}, {'t', "train-sets"}};

// Options that change no output, or none that this program has.
const std::set<std::string>& Dropped() {
  static const auto* const names = new std::set<std::string>{"workspace",
                                                             "mini-batch",
                                                             "mini-batch-words",
                                                             "mini-batch-fit",
                                                             "maxi-batch",
                                                             "maxi-batch-sort",
                                                             "log-level",
                                                             "log-time-zone",
                                                             "quiet-translation",
                                                             "num-devices",
                                                             "optimize",
                                                             "skip-cost",
                                                             "max-length",
                                                             "max-length-crop",
                                                             "max-length-break",
                                                             "data-threads",
                                                             "no-nccl",
                                                             "clip-gemm",
                                                             "stat-freq",
                                                             "relative-paths",
                                                             "ignore-model-config",
                                                             "model-mmap",
                                                             "authors",
                                                             "cite",
                                                             "build-info",
                                                             "tsv-fields",
                                                             "mini-batch-overstuff",
                                                             "shuffle",
                                                             "tempdir",
                                                             "sqlite",
                                                             "interpolate-env-vars",
                                                             "dump-config",
                                                             "seed",
                                                             "input-types",
                                                             "type",
                                                             "sentencepiece-alphas",
                                                             "shuffle-in-ram",
                                                             "fp16-mode"};
  return *names;
}

// Reads "key: value", "key: [a, b]" and "key:" with lines "- a" below it.
absl::Status ReadConfig(const std::string& path, Values* values) {
  std::ifstream file(path);
  if (!file) return absl::InvalidArgumentError(absl::StrCat("-c: cannot read ", path));
  std::vector<std::string>* list = nullptr;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (const size_t comment = line.find(" #"); comment != line.npos) line.resize(comment);
    if (line.starts_with('#')) continue;
    std::string_view text = absl::StripAsciiWhitespace(line).empty() ? "" : std::string_view(line);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
      text.remove_suffix(1);
    }
    if (text.empty() || text == "---") continue;
    const auto unquoted = [](std::string_view value) {
      std::string word(value);
      absl::StripAsciiWhitespace(&word);
      const bool is_quoted = word.size() >= 2 && (word.front() == '"' || word.front() == '\'') &&
                             word.front() == word.back();
      return is_quoted ? word.substr(1, word.size() - 2) : word;
    };
    const size_t first = text.find_first_not_of(' ');
    if (text.substr(first).starts_with("- ") && list != nullptr) {
      list->push_back(unquoted(text.substr(first + 2)));
      continue;
    }
    const size_t colon = text.find(':');
    if (colon == text.npos || first > 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("-c: ", path, ":", number, ": expected 'option: value'"));
    }
    list = &(*values)[std::string(text.substr(0, colon))];
    list->clear();
    const std::string value = unquoted(text.substr(colon + 1));
    if (value.starts_with('[') && value.ends_with(']')) {
      std::string_view rest = std::string_view(value).substr(1, value.size() - 2);
      while (!rest.empty()) {
        const size_t comma = std::min(rest.find(','), rest.size());
        list->push_back(unquoted(rest.substr(0, comma)));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
      }
    } else if (!value.empty()) {
      list->push_back(value);
    }
  }
  return absl::OkStatus();
}

bool IsOption(const std::string& argument) {
  double number = 0;
  return argument.size() > 1 && argument[0] == '-' && !absl::SimpleAtod(argument, &number);
}

absl::StatusOr<Values> ReadCommandLine(const std::vector<std::string>& arguments) {
  Values values;
  for (size_t i = 0; i < arguments.size();) {
    std::string name = arguments[i++];
    if (!IsOption(name)) {
      return absl::InvalidArgumentError(absl::StrCat("unexpected argument '", name, "'"));
    }
    std::vector<std::string> given;
    if (name.starts_with("--")) {
      name = name.substr(2);
      if (const size_t equals = name.find('='); equals != name.npos) {
        given.push_back(name.substr(equals + 1));
        name.resize(equals);
      }
    } else {
      const auto* const found = std::find_if(std::begin(kShort), std::end(kShort),
                                             [&](const auto& s) { return s.first == name[1]; });
      if (found == std::end(kShort)) {
        return absl::InvalidArgumentError(absl::StrCat("unknown option '", name, "'"));
      }
      if (name.size() > 2) given.push_back(name.substr(2));
      name = found->second;
    }
    while (i < arguments.size() && !IsOption(arguments[i])) given.push_back(arguments[i++]);
    values[name] = std::move(given);
  }
  return values;
}

// Takes options out of `values` and keeps the first error.
class Reader {
 public:
  explicit Reader(Values values) : values_(std::move(values)) {}

  bool Has(const std::string& name) const { return values_.contains(name); }
  std::optional<std::vector<std::string>> Take(const std::string& name) {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    std::vector<std::string> taken = std::move(found->second);
    values_.erase(found);
    return taken;
  }
  void List(const std::string& name, std::vector<std::string>* list) {
    if (auto taken = Take(name)) *list = *std::move(taken);
  }
  void Text(const std::string& name, std::string* text) {
    const auto taken = Take(name);
    if (!taken.has_value()) return;
    if (taken->size() == 1) {
      *text = taken->front();
    } else {
      Wrong(name, "one value");
    }
  }
  void Flag(const std::string& name, bool* flag) {
    const auto taken = Take(name);
    if (!taken.has_value()) return;
    const std::string value = taken->empty() ? "true" : absl::AsciiStrToLower(taken->front());
    if (value != "true" && value != "false") return Wrong(name, "true or false");
    *flag = value == "true";
  }
  // `absent` is the value of an option without one.
  void Number(const std::string& name, std::optional<double> absent, double* number) {
    const auto taken = Take(name);
    if (!taken.has_value()) return;
    if (taken->empty() && absent.has_value()) {
      *number = *absent;
    } else if (taken->size() != 1 || !absl::SimpleAtod(taken->front(), number)) {
      Wrong(name, "a number");
    }
  }
  void Whole(const std::string& name, int absent, int* number) {
    double value = *number;
    Number(name, absent, &value);
    if (value < 0 || value > 4096 || value != static_cast<int>(value)) {
      return Wrong(name, "a whole number from 0 to 4096");
    }
    *number = static_cast<int>(value);
  }
  void Wrong(const std::string& name, const std::string& expected) {
    Fail(absl::InvalidArgumentError(absl::StrCat("--", name, ": expected ", expected)));
  }
  void Refuse(const std::string& name, const std::string& supported) {
    Fail(absl::UnimplementedError(
        absl::StrCat("--", name, " is not supported, expected ", supported)));
  }
  void Drop() {
    for (const std::string& name : Dropped()) values_.erase(name);
    std::erase_if(values_, [](const auto& value) {
      // Names of the intgemm builds, whose types are read before.
      return value.first.starts_with("dim-") || value.first.starts_with("enc-") ||
             value.first.starts_with("dec-") || value.first.starts_with("transformer-");
    });
  }
  // Returns the first error; the first unknown option is one.
  absl::Status Finish() const {
    if (!status_.ok() || values_.empty()) return status_;
    return absl::InvalidArgumentError(absl::StrCat("unknown option '--", values_.begin()->first,
                                                   "'; see marian-nmt.github.io/docs/cmd"));
  }

 private:
  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  Values values_;
  absl::Status status_;
};

void ReadTypes(Reader* in, MarianOptions* options) {
  bool half = false;
  in->Flag("fp16", &half);
  std::vector<std::string> precision;
  in->List("precision", &precision);
  if (half || (!precision.empty() && precision.front() == "float16")) {
    options->compute_type = "float16";
  }
  std::string gemm;
  in->Text("gemm-precision", &gemm);
  bool is_int8 = gemm.starts_with("int8");
  for (const char* name : {"int8", "int8shift", "int8shiftAll", "int8shiftAlpha",
                           "int8shiftAlphaAll", "int8Alpha", "int8AlphaAll"}) {
    bool flag = false;
    in->Flag(name, &flag);
    is_int8 |= flag;
  }
  if (is_int8) options->compute_type = "int8";
}

void ReadSampling(Reader* in, MarianOptions* options) {
  const auto sampling = in->Take("output-sampling");
  if (!sampling.has_value() || (sampling->size() == 1 && sampling->front() == "false")) return;
  const std::string kind = sampling->empty() ? "full" : sampling->front();
  int top_k = 0;
  const bool is_topk = kind == "topk" && sampling->size() <= 2;
  if (is_topk && (sampling->size() < 2 ? (top_k = 10) : absl::SimpleAtoi((*sampling)[1], &top_k))) {
    options->sampling_top_k = top_k;
  } else if (kind == "full" && sampling->size() <= 1) {
    options->sampling_top_k = 0;
  } else {
    in->Refuse("output-sampling", "full or topk K");
  }
  // Marian samples in every row of the beam and ranks them.
  if (options->beam != 1 || options->n_best) {
    in->Refuse("output-sampling", "it with --beam-size 1 and no --n-best");
  }
}

void ReadShortlist(Reader* in, MarianOptions* options) {
  const auto shortlist = in->Take("shortlist");
  if (!shortlist.has_value() || shortlist->empty()) return;
  options->shortlist = shortlist->front();
  if (!options->shortlist.ends_with(".bin")) in->Refuse("shortlist", "a binary one (.bin)");
}

// Options that would change what is printed.
void RefuseOthers(Reader* in) {
  double penalty = 0;
  in->Number("word-penalty", std::nullopt, &penalty);
  if (penalty != 0) in->Refuse("word-penalty", "0");
  for (const char* name : {"word-scores", "no-spm-decode", "no-spm-encode", "right-left",
                           "force-decode", "output-approx-knn", "factors-combine"}) {
    const auto taken = in->Take(name);
    if (taken.has_value() && (taken->empty() || taken->front() != "false")) {
      in->Refuse(name, "none");
    }
  }
  const auto alignment = in->Take("alignment");
  if (alignment.has_value() && !(alignment->size() == 1 && alignment->front().empty())) {
    in->Refuse("alignment", "none; dragoman translate --alignment has them by bytes");
  }
}

}  // namespace

absl::StatusOr<MarianOptions> ParseMarianOptions(MarianProgram program,
                                                 const std::vector<std::string>& arguments) {
  auto given = ReadCommandLine(arguments);
  if (!given.ok()) return given.status();
  Values values;
  if (const auto config = given->find("config"); config != given->end()) {
    for (const std::string& path : config->second) {
      Values read;
      if (absl::Status status = ReadConfig(path, &read); !status.ok()) return status;
      const auto relative = read.find("relative-paths");
      if (relative != read.end() && relative->second == std::vector<std::string>{"true"}) {
        const std::string folder = path.substr(0, path.rfind('/') + 1);
        for (const char* name : {"models", "vocabs", "shortlist"}) {
          size_t left = std::string_view(name) == "shortlist" ? 1 : read[name].size();
          for (std::string& file : read[name]) {
            if (left-- > 0 && !file.starts_with('/')) file.insert(0, folder);
          }
        }
        std::erase_if(read, [](const auto& value) { return value.second.empty(); });
      }
      for (auto& [name, list] : read) values[name] = std::move(list);
    }
    given->erase(config);
  }
  // marian-scorer has one model, and says so by --model.
  for (auto& [name, list] : *given) values[name == "model" ? "models" : name] = std::move(list);
  if (const auto model = values.find("model"); model != values.end()) {
    values.try_emplace("models", model->second);
    values.erase("model");
  }

  MarianOptions options;
  Reader in(std::move(values));
  in.List("models", &options.models);
  in.List("vocabs", &options.vocabularies);
  in.Text("input", &options.input);
  in.Text("output", &options.output);
  in.Text("log", &options.log);
  in.Flag("quiet", &options.quiet);
  in.Whole("beam-size", 12, &options.beam);
  in.Number("normalize", 1.0, &options.normalize);
  in.Flag("n-best", &options.n_best);
  in.Number("max-length-factor", std::nullopt, &options.max_length_factor);
  in.Flag("allow-unk", &options.allow_unk);
  in.Flag("tsv", &options.is_tsv);
  in.List("devices", &options.devices);
  in.Whole("cpu-threads", 1, &options.cpu_threads);
  std::vector<std::string> weights;
  in.List("weights", &weights);
  for (const std::string& weight : weights) {
    if (!absl::SimpleAtod(weight, &options.weights.emplace_back())) in.Wrong("weights", "numbers");
  }
  ReadTypes(&in, &options);
  ReadSampling(&in, &options);
  ReadShortlist(&in, &options);
  RefuseOthers(&in);
  if (program == MarianProgram::kScorer) {
    in.List("train-sets", &options.pairs);
    if (const auto summary = in.Take("summary")) {
      options.summary = summary->empty() ? "cross-entropy" : summary->front();
      const std::array<std::string, 4> kinds = {"cross-entropy", "ce-mean-words", "perplexity",
                                                "ce-sum"};
      if (std::find(kinds.begin(), kinds.end(), *options.summary) == kinds.end()) {
        in.Wrong("summary", "cross-entropy, ce-mean-words, perplexity or ce-sum");
      }
    }
    if (options.pairs.size() != (options.is_tsv ? 1 : 2)) {
      in.Wrong("train-sets", options.is_tsv ? "a file with --tsv" : "a source and a target");
    }
    if (options.n_best) in.Refuse("n-best", "pairs of lines");
    if (options.models.size() > 1) in.Refuse("models", "one model");
  }
  if (options.models.empty()) in.Wrong("models", "a model");
  if (options.vocabularies.size() != 2)
    in.Wrong("vocabs", "one of the source and one of the target");
  for (const std::string& file : options.vocabularies) {
    if (!file.ends_with(".spm")) in.Refuse("vocabs", "SentencePiece vocabularies (.spm)");
  }
  if (options.beam == 0) in.Wrong("beam-size", "a number from 1");
  in.Drop();
  if (absl::Status status = in.Finish(); !status.ok()) return status;
  return options;
}

}  // namespace dragoman::client
