#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/bench/search/coverage.h"
#include "tests/bench/search/grid_search.h"
#include "tests/bench/search/model_scores.h"
#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/searches.h"
#include "tests/bench/search/subcommands.h"

namespace dragoman::bench {
namespace {

std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields;
  size_t begin = 0;
  for (size_t tab = line.find('\t'); tab != std::string::npos; tab = line.find('\t', begin)) {
    fields.push_back(line.substr(begin, tab - begin));
    begin = tab + 1;
  }
  fields.push_back(line.substr(begin));
  return fields;
}

[[noreturn]] void Refuse(const std::string& why) {
  std::cerr << "search_bench: " << why << "\n";
  std::exit(2);
}

constexpr char kGrid[] = "grid:";

// Parses --search: "hf" (the server's default), "fixed", "fixed-ours", "var:DELTA:M" or
// "grid:BANK".
engine::DecodingOptions SearchOf(const std::string& name, int beam) {
  engine::DecodingOptions asked;
  asked.beam_size = beam;
  if (name == "hf" || name.rfind(kGrid, 0) == 0) return asked;
  if (name == "fixed") return Fixed(beam);
  if (name == "fixed-ours") return FixedOurs(beam);
  const size_t colon = name.rfind(':');
  if (name.rfind("var:", 0) == 0 && colon > 4 && colon != std::string::npos) {
    return Variable(beam, std::stof(name.substr(4, colon - 4)), std::stoi(name.substr(colon + 1)));
  }
  Refuse("--search is " + name + ", expected hf, fixed, fixed-ours, var:DELTA:M or grid:BANK");
}

int64_t ConstraintTokens(const Task& task) {
  size_t tokens = 0;
  for (const auto& phrase : task.phrases) tokens += phrase.size();
  return static_cast<int64_t>(tokens);
}

struct Translations {
  std::vector<std::vector<int32_t>> tokens;  // by text
  double score = 0;                          // sum over all texts
  int64_t row_steps = 0;
  int64_t unmet = 0;
  double seconds = 0;
};

Translations Translate(Runner& runner, int n, int beam, const std::vector<Task>& tasks) {
  const RunResult result =
      runner.Run(OfSegments(engine::RefillRule::kContinuous, engine::WindowOrder::kLongestFirst, n,
                            beam, 4 * int64_t{n}),
                 tasks);
  Translations translations;
  translations.row_steps = result.row_steps;
  translations.seconds = result.decode_seconds;
  for (const auto& nbest : result.nbest) {
    const engine::DecodedHypothesis& best = nbest.front();
    translations.tokens.push_back(best.tokens);
    translations.score += double{best.score};
    if (best.reason == kernels::FinishReason::kConstraintsUnmet) ++translations.unmet;
  }
  return translations;
}

// Translates one text after the other. The time includes encoding.
Translations TranslateByGrid(const BenchModel& model, int bank, const std::vector<Task>& tasks) {
  Translations translations;
  const double begun = ThreadSeconds();
  for (const Task& task : tasks) {
    GridOptions options;
    options.bank = bank;
    options.max_tokens = task.search.max_tokens;
    options.eos = task.search.eos;
    options.start = model.spec().tokens.decoder_start;
    options.length_penalty = task.search.length_penalty;
    options.prune = task.search.constraint_prune;
    if (bank * (ConstraintTokens(task) + 1) > kernels::kMaxSlotLanes) {
      Refuse(absl::StrCat("--search grid: ", bank, " hypotheses for each of 0 to ",
                          ConstraintTokens(task), " constraint tokens, expected at most ",
                          kernels::kMaxSlotLanes, " in all"));
    }
    ModelScores scores(model, task);
    const GridResult result = GridSearch(task.phrases, options, scores);
    translations.tokens.push_back(result.tokens);
    translations.score += double{result.score};
    translations.row_steps += result.row_steps;
    if (!ContainsAll(result.tokens, task.phrases)) ++translations.unmet;
  }
  translations.seconds = ThreadSeconds() - begun;
  return translations;
}

double Rounded(double x, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::round(x * scale) / scale;
}

}  // namespace

bool RunTranslate(Runner& runner, Arguments& arguments, Report& report) {
  const BenchModel& model = runner.model();
  const std::string input = arguments.Text("pairs", "");
  const std::string output = arguments.Text("output", "");
  const int beam = static_cast<int>(arguments.Number("beam", 5));
  const int n = static_cast<int>(arguments.Number("segments", 16));
  const std::string search = arguments.Text("search", "hf");
  const engine::DecodingOptions asked = SearchOf(search, beam);
  const std::string prune = arguments.Text("constraint-prune", "20");
  const float threshold =
      prune == "off" ? std::numeric_limits<float>::infinity() : std::stof(prune);
  arguments.RefuseOthers();
  const bool grid = search.rfind(kGrid, 0) == 0;
  if (grid && !runner.on_cpu()) Refuse("--search grid runs on the CPU only");
  std::ifstream file(input);
  std::vector<Task> tasks;
  std::string line;
  int64_t left_out = 0;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = Fields(line);
    std::vector<std::vector<int32_t>> phrases;
    for (size_t i = 1; i < fields.size(); ++i) {
      const std::vector<int> ids = model.tokenizer().EncodeTarget(fields[i]).ids;
      bool known = !ids.empty();
      for (const int id : ids) known = known && !model.tokenizer().IsSpecial(id);
      if (known) {
        phrases.emplace_back(ids.begin(), ids.end());
      } else {
        ++left_out;  // the server refuses such a phrase
      }
    }
    tasks.push_back(model.MakeTask(model.Encode({fields[0]})[0], asked, std::move(phrases)));
    tasks.back().search.constraint_prune = threshold;
  }
  const Translations translations =
      grid ? TranslateByGrid(model, std::stoi(search.substr(sizeof(kGrid) - 1)), tasks)
           : Translate(runner, n, beam, tasks);
  std::ofstream out(output);
  for (const std::vector<int32_t>& tokens : translations.tokens) {
    out << model.tokenizer().Decode({tokens.begin(), tokens.end()}) << "\n";
  }
  std::vector<int64_t> constraint_tokens;
  constraint_tokens.reserve(tasks.size());
  for (const Task& task : tasks) constraint_tokens.push_back(ConstraintTokens(task));
  report.Counts({{"texts", tasks.size()},
                 {"row_steps", translations.row_steps},
                 {"seconds", Rounded(translations.seconds, 3)},
                 {"score", Rounded(translations.score / static_cast<double>(tasks.size()), 4)},
                 {"left_out", left_out},
                 {"unmet", translations.unmet},
                 {"constraint_tokens", constraint_tokens}});
  return translations.unmet == 0 && out.good();
}

}  // namespace dragoman::bench
