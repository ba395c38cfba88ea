// Measures the cost of a row of every option at its extreme, in rows of plain beam search.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/request/search_settings.h"
#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/subcommands.h"

namespace dragoman::bench {
namespace {

using Phrases = std::vector<std::vector<int32_t>>;

// The parts of a task besides the options of its search.
struct Extras {
  Phrases required = {};
  Phrases forbidden = {};
  bool partials = false;
  bool align = false;
};

struct RowCase {
  std::string name;
  engine::DecodingOptions asked;
  Extras extras;
  std::vector<Task> tasks = {};
  std::vector<double> micros = {};
  std::vector<double> ratio = {};
};

// Returns a search in which every step has the same number of rows and every output has `length`
// tokens. For 64 rows, `beam` is 64 (one segment) or 4 (sixteen segments).
engine::DecodingOptions Plain(int beam, int length) {
  engine::DecodingOptions asked;
  asked.beam_size = beam;
  asked.num_alternatives = beam;
  asked.min_output_tokens = length;
  asked.max_output_tokens = length;
  asked.max_length_extra = 1000;
  return asked;
}

engine::DecodingOptions Sampled(int draws, int length, int top_k, float top_p, float temperature) {
  engine::DecodingOptions asked = Plain(1, length);
  asked.beam_size.reset();
  asked.num_alternatives = draws;
  asked.temperature = temperature;
  asked.sampling = engine::Sampling{top_k, top_p, 1};
  return asked;
}

engine::DecodingOptions With(engine::DecodingOptions asked,
                             void (*change)(engine::DecodingOptions&)) {
  change(asked);
  return asked;
}

Phrases SingleTokens(const BenchModel& model, size_t count, uint64_t seed) {
  std::mt19937_64 generator(seed);
  Phrases phrases;
  for (size_t i = 0; i < count; ++i) {
    phrases.push_back({model.ordinary_ids()[Draw(generator, model.ordinary_ids().size())]});
  }
  return phrases;
}

// Returns phrases that put half of the automaton's nodes after each of the two most frequent tokens
// of `plain`.
Phrases AfterFrequent(const BenchModel& model, const RunResult& plain) {
  std::vector<int64_t> counts(static_cast<size_t>(model.spec().shape.target_vocab));
  for (const auto& hypotheses : plain.nbest) {
    for (const int32_t token : hypotheses.front().tokens) ++counts[static_cast<size_t>(token)];
  }
  std::vector<int32_t> ids = model.ordinary_ids();
  std::ranges::stable_sort(ids, std::ranges::greater(),
                           [&](int32_t id) { return counts[static_cast<size_t>(id)]; });
  Phrases phrases;
  std::mt19937_64 generator(4);
  for (int i = 0; i < kernels::kMaxForbiddenNodes - 10; ++i) {
    phrases.push_back({ids[static_cast<size_t>(i % 2)], ids[2 + Draw(generator, ids.size() - 2)]});
  }
  return phrases;
}

std::vector<Task> MakeTasks(const BenchModel& model, const std::vector<int32_t>& source,
                            const RowCase& c, int rows) {
  std::vector<Task> tasks;
  Task task = model.MakeTask(source, c.asked, c.extras.required);
  task.search.row_cost = 1;  // gives every step the same number of rows
  if (!c.extras.forbidden.empty()) {
    task.forbidden = std::make_shared<const engine::ForbiddenTable>(c.extras.forbidden);
  }
  task.partials = c.extras.partials;
  task.search.align = c.extras.align;
  for (int i = 0; i < rows / task.search.beam; ++i) {
    task.search.sampling.ordinal = i;
    tasks.push_back(task);
  }
  return tasks;
}

// The other cases are compared with the first.
void Measure(Runner& runner, Report& report, const std::string& title,
             const std::vector<int32_t>& source, std::vector<RowCase> cases, int rows,
             int64_t rounds) {
  RunConfig config = TopUpByRows(rows, 1, engine::WindowOrder::kArrival, 256);
  config.pages_per_row = 40;
  for (RowCase& c : cases) c.tasks = MakeTasks(runner.model(), source, c, rows);
  for (int64_t round = 0; round < rounds; ++round) {
    for (RowCase& c : cases) {
      const RunResult result = runner.Run(config, c.tasks);
      c.micros.push_back(result.decode_seconds * 1e6 / static_cast<double>(result.row_steps));
      c.ratio.push_back(c.micros.back() / cases[0].micros.back());
    }
  }
  report.Table(absl::StrCat(title, ": ", rows, " rows a step, source of ", source.size(),
                            " tokens, ", rounds, " rounds"),
               {"search", "us per row-step", "x plain", "counted as"});
  for (const RowCase& c : cases) {
    report.Row({c.name, Cell(Median(c.micros), 1), Cell(Median(c.ratio), 2),
                Cell(int64_t{engine::RowCost(c.tasks[0].search)})});
  }
}

}  // namespace

bool RunRowCosts(Runner& runner, Arguments& arguments, Report& report) {
  const BenchModel& model = runner.model();
  const int rows = static_cast<int>(arguments.Number("rows", 64));
  const int64_t rounds = arguments.Number("rounds", 3);
  const std::string part = arguments.Text("part", "all");
  const auto sources = InputSources(model, arguments, 64, 1, 1);
  arguments.RefuseOthers();
  const auto wanted = [&](const char* name) { return part == "all" || part == name; };

  // Sources are the first 30 or 500 tokens of one text.
  std::vector<int32_t> words;
  for (const auto& source : sources) words.insert(words.end(), source.begin(), source.end() - 1);
  const auto source_of = [&](size_t tokens) {
    std::vector<int32_t> source(words.begin(), words.begin() + static_cast<ptrdiff_t>(tokens - 1));
    source.push_back(model.spec().tokens.eos);
    return source;
  };

  constexpr int kShort = 40;
  if (wanted("sampling")) {
    std::vector<RowCase> cases = {{"beam 4", Plain(4, kShort), {}}};
    cases.push_back({"beam 64", Plain(64, kShort), {}});
    cases.push_back({"64 draws", Sampled(64, kShort, 0, 1.0F, 1.0F), {}});
    cases.push_back({"temperature 3", Sampled(64, kShort, 0, 1.0F, 3.0F), {}});
    cases.push_back({"temperature 0.2", Sampled(64, kShort, 0, 1.0F, 0.2F), {}});
    cases.push_back({"top_k 1", Sampled(64, kShort, 1, 1.0F, 1.0F), {}});
    cases.push_back({"top_k 50", Sampled(64, kShort, 50, 1.0F, 1.0F), {}});
    cases.push_back({"top_k 4,000, temperature 3", Sampled(64, kShort, 4000, 1.0F, 3.0F), {}});
    cases.push_back({"top_k 1,000,000", Sampled(64, kShort, 1'000'000, 1.0F, 1.0F), {}});
    cases.push_back({"top_p 0.9", Sampled(64, kShort, 0, 0.9F, 1.0F), {}});
    cases.push_back({"top_k 4,000, top_p 0.9, penalty 1.3, temperature 3",
                     With(Sampled(64, kShort, 4000, 0.9F, 3.0F),
                          [](engine::DecodingOptions& asked) { asked.repetition_penalty = 1.3F; }),
                     {}});
    Measure(runner, report, "sampling", source_of(30), std::move(cases), rows, rounds);
  }
  if (wanted("scores")) {
    const auto penalty = [](engine::DecodingOptions& asked) { asked.repetition_penalty = 1.3F; };
    const auto ct2_penalty = [](engine::DecodingOptions& asked) {
      asked.profile = engine::Profile::kCt2;
      asked.repetition_penalty = 1.3F;
    };
    std::vector<RowCase> cases = {{"beam 4", Plain(4, kShort), {}}};
    const RunResult plain = runner.Run(TopUpByRows(rows, 1, engine::WindowOrder::kArrival, 256),
                                       MakeTasks(model, source_of(30), cases[0], rows));
    cases.push_back({"beam 1", Plain(1, kShort), {}});
    cases.push_back({"repetition penalty, beam 4", With(Plain(4, kShort), penalty), {}});
    cases.push_back({"repetition penalty, beam 64", With(Plain(64, kShort), penalty), {}});
    cases.push_back({"repetition penalty, beam 1", With(Plain(1, kShort), penalty), {}});
    cases.push_back({"repetition penalty, profile CT2", With(Plain(4, kShort), ct2_penalty), {}});
    cases.push_back({"eos_penalty, profile CT2",
                     With(Plain(4, kShort),
                          [](engine::DecodingOptions& asked) {
                            asked.profile = engine::Profile::kCt2;
                            asked.eos_penalty = 0.5F;
                          }),
                     {}});
    cases.push_back(
        {"profile ARTICLE, beam 64",
         With(Plain(64, kShort),
              [](engine::DecodingOptions& asked) { asked.profile = engine::Profile::kArticle; }),
         {}});
    cases.push_back(
        {"profile PAPER, beam 64",
         With(Plain(64, kShort),
              [](engine::DecodingOptions& asked) { asked.profile = engine::Profile::kPaper; }),
         {}});
    cases.push_back(
        {"2,000 forbidden tokens", Plain(4, kShort), Extras{{}, SingleTokens(model, 2000, 2)}});
    cases.push_back({"4,096 nodes after two frequent tokens", Plain(4, kShort),
                     Extras{{}, AfterFrequent(model, plain)}});
    cases.push_back({"partials, beam 64", Plain(64, kShort), Extras{{}, {}, true}});
    Measure(runner, report, "scores", source_of(30), std::move(cases), rows, rounds);
  }
  constexpr int kConstrained = 140;
  if (wanted("constraints")) {
    std::vector<RowCase> cases = {{"beam 4", Plain(4, kConstrained), {}}};
    const Phrases singles = SingleTokens(model, kernels::kMaxConstraintTokens, 1);
    Phrases one(1);
    for (const auto& phrase : singles) one[0].push_back(phrase[0]);
    Phrases alike(8, std::vector<int32_t>(16, singles[0][0]));
    for (const int beam : {4, 64}) {
      const std::string with = absl::StrCat(", beam ", beam);
      cases.push_back({"128 phrases" + with, Plain(beam, kConstrained), Extras{singles}});
      cases.push_back({"one phrase of 128" + with, Plain(beam, kConstrained), Extras{one}});
      cases.push_back({"8 times the same 16" + with, Plain(beam, kConstrained), Extras{alike}});
    }
    cases.push_back({"128 phrases, BANKS, beam 64",
                     With(Plain(64, kConstrained),
                          [](engine::DecodingOptions& asked) {
                            asked.constraint_allocation = kernels::Allocation::kBanks;
                          }),
                     Extras{singles}});
    Measure(runner, report, "constraints", source_of(30), std::move(cases), rows, rounds);
  }
  constexpr int kLong = 450;
  if (wanted("long")) {
    std::vector<RowCase> cases = {{"beam 4", Plain(4, kLong), {}}};
    for (const int n : {1, 3}) {
      engine::DecodingOptions asked = Plain(4, kLong);
      asked.no_repeat_ngram = n;
      cases.push_back({absl::StrCat("no_repeat_ngram ", n), asked, {}});
    }
    cases.push_back({"repetition penalty",
                     With(Plain(4, kLong),
                          [](engine::DecodingOptions& asked) { asked.repetition_penalty = 1.3F; }),
                     {}});
    cases.push_back({"64 draws, repetition penalty",
                     With(Sampled(64, kLong, 0, 1.0F, 1.0F),
                          [](engine::DecodingOptions& asked) { asked.repetition_penalty = 1.3F; }),
                     {}});
    cases.push_back({"beam 64, partials", Plain(64, kLong), Extras{{}, {}, true}});
    Measure(runner, report, "long outputs", source_of(30), std::move(cases), rows, rounds);
  }
  if (wanted("source")) {
    std::vector<RowCase> cases = {{"beam 4", Plain(4, kShort), {}}};
    cases.push_back({"alignment of all heads", Plain(4, kShort), Extras{{}, {}, false, true}});
    Measure(runner, report, "long sources", source_of(500), std::move(cases), rows, rounds);
  }
  return true;
}

}  // namespace dragoman::bench
