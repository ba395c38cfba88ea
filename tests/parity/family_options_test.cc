// Runs every family of models with everything that a request can ask for. Each option must have its
// effect, and README.md's table must have a line for each family. An option that a family refuses
// fails here until the table says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/create_engine.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/fakes.h"
#include "tests/parity/family_list.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::parity {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kText[] = "Der alte Mann fütterte die Enten im Park.";

// An engine with a family's model, and helpers that run jobs on it.
class Served {
 public:
  explicit Served(const Family& family) : family_(family) {
    std::string directory = kModels + std::string(family.models[0]);
    if (*family.replaced != '\0') directory = WithOtherTokenizer(directory);
    engine::EngineConfig config;
    config.max_rows = 64;
    for (size_t m = 1; m < family.models.size(); ++m) {
      config.ensemble.directories.push_back(kModels + std::string(family.models[m]));
    }
    auto engine = ExpectOk(engine::CreateEngine(directory, config, &clock_, &observer_));
    if (engine.ok()) engine_ = *std::move(engine);
  }

  bool ok() const { return engine_ != nullptr; }

  engine::TranslationJob Job() const {
    engine::TranslationJob job;
    job.contents = {kText};
    job.source_language = family_.source;
    job.target_language = family_.target;
    job.decoding.beam_size = 4;
    job.decoding.max_output_tokens = 24;
    job.returns.scores = job.returns.tokens = job.returns.token_scores = true;
    return job;
  }

  // Runs a job. Returns its item, or the status with which the job or the item was refused.
  absl::StatusOr<engine::ItemResult> Try(engine::TranslationJob job) {
    sink_ = std::make_shared<testing::CollectingSink>();
    const engine::Admission admission = engine_->Translate(std::move(job), sink_);
    if (!admission.status.ok()) return admission.status;
    if (absl::Status status = sink_->Wait(); !status.ok()) return status;
    if (!sink_->items().at(0).status.ok()) return sink_->items()[0].status;
    return sink_->items()[0];
  }
  // Runs a job that must not be refused.
  engine::ItemResult Translate(engine::TranslationJob job) {
    auto result = ExpectOk(Try(std::move(job)));
    return result.ok() ? *std::move(result)
                       : engine::ItemResult{.hypotheses = std::vector<engine::Hypothesis>(1)};
  }
  engine::Hypothesis Best(engine::TranslationJob job) {
    return Translate(std::move(job)).hypotheses.at(0);
  }

  // Returns the partial results of the latest job.
  std::vector<engine::SegmentUpdate> updates() const { return sink_->updates(); }

  // Returns words of sampled outputs that are not in the best translation of kText.
  std::vector<std::string> OtherWords() {
    const std::string best = Best(Job()).text;
    engine::TranslationJob job = Job();
    job.decoding.beam_size.reset();
    job.decoding.sampling = engine::Sampling{};
    job.decoding.sampling->seed = 5;
    job.decoding.num_alternatives = 16;
    std::vector<std::string> words;
    for (const engine::Hypothesis& drawn : Translate(std::move(job)).hypotheses) {
      std::istringstream text(drawn.text);
      for (std::string word; text >> word;) {
        const bool is_word = word.size() >= 3 && std::all_of(word.begin(), word.end(), [](char c) {
                               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
                             });
        if (is_word && best.find(word) == std::string::npos) words.push_back(word);
      }
    }
    return words;
  }

 private:
  std::string WithOtherTokenizer(const std::string& directory) {
    std::filesystem::copy(directory, own_.path(), std::filesystem::copy_options::recursive);
    std::ifstream in(own_.path() + "/tokenizer_config.json");
    std::string text(std::istreambuf_iterator<char>(in), {});
    const std::string replaced = family_.replaced;
    const size_t at = text.find(replaced);
    EXPECT_NE(at, std::string::npos);
    own_.Write("tokenizer_config.json", text.replace(at, replaced.size(), family_.replacement));
    return own_.path();
  }

  const Family& family_;
  const TempDirectory own_;
  testing::FakeClock clock_;
  testing::CountingObserver observer_;
  std::unique_ptr<engine::Engine> engine_;
  std::shared_ptr<testing::CollectingSink> sink_;
};

// Fails the test if an option does not have its effect.
using Check = void (*)(Served&);

void Beams(Served& served) {
  for (const int beam : {1, 4, 8}) {
    engine::TranslationJob job = served.Job();
    job.decoding.beam_size = job.decoding.num_alternatives = beam;
    const engine::ItemResult result = served.Translate(std::move(job));
    EXPECT_EQ(result.hypotheses.size(), static_cast<size_t>(beam));
    std::set<std::vector<std::string>> lists;
    for (size_t rank = 0; rank < result.hypotheses.size(); ++rank) {
      lists.insert(result.hypotheses[rank].tokens);
      if (rank > 0) {
        EXPECT_LE(result.hypotheses[rank].score, result.hypotheses[rank - 1].score);
      }
    }
    EXPECT_EQ(lists.size(), result.hypotheses.size()) << "hypotheses are there twice";
  }
}

void Profiles(Served& served) {
  for (const engine::Profile profile :
       {engine::Profile::kHf, engine::Profile::kCt2, engine::Profile::kMarian,
        engine::Profile::kPaper, engine::Profile::kArticle}) {
    engine::TranslationJob job = served.Job();
    job.decoding.profile = profile;
    EXPECT_LT(served.Best(std::move(job)).log_prob, 0.0F);
  }
}

// Pruning narrows the beam, so fewer hypotheses are returned.
void PrunedSearch(Served& served) {
  engine::TranslationJob job = served.Job();
  job.decoding.profile = engine::Profile::kPaper;
  job.decoding.beam_size = job.decoding.num_alternatives = 16;
  const engine::ItemResult whole = served.Translate(job);
  job.decoding.pruning.absolute_delta = 0.5F;
  job.decoding.pruning.max_candidates = 2;
  const engine::ItemResult pruned = served.Translate(job);
  EXPECT_LT(pruned.hypotheses.size(), whole.hypotheses.size());
  EXPECT_GE(pruned.hypotheses.size(), 1U);
}

void Required(Served& served) {
  for (const std::string& word : served.OtherWords()) {
    engine::TranslationJob job = served.Job();
    job.decoding.required_phrases = {{word, false}};
    const auto result = served.Try(std::move(job));
    if (!result.ok()) continue;  // the model has no pieces for this word
    EXPECT_THAT(result->hypotheses[0].text, HasSubstr(word));
    EXPECT_NE(result->hypotheses[0].finish_reason, kernels::FinishReason::kConstraintsUnmet);
    return;
  }
  ADD_FAILURE() << "no word that can be required";
}

// mT5's small model often writes pieces that its tokenizer would not choose for the same text, so
// some forbidden phrases match nothing.
void Forbidden(Served& served) {
  for (const char* text :
       {kText, "Guten Morgen, meine Damen und Herren!", "Wo ist der Bahnhof?",
        "Ich habe heute leider keine Zeit.", "Die Kinder spielen im Garten.",
        "Das Buch liegt auf dem Tisch.", "Gestern hat es den ganzen Tag geregnet."}) {
    engine::TranslationJob job = served.Job();
    job.contents = {text};
    job.decoding.min_output_tokens = 4;
    const std::string free = served.Best(job).text;
    std::istringstream words(free);
    for (std::string word; words >> word;) {
      job.decoding.forbidden_phrases = {word};
      const auto result = served.Try(job);
      if (result.ok() && result->hypotheses[0].text != free) return;
    }
  }
  ADD_FAILURE() << "nothing changes, whatever is forbidden";
}

void Terms(Served& served) {
  for (const std::string& word : served.OtherWords()) {
    engine::TranslationJob job = served.Job();
    job.terms = {{"Mann", word, false}};
    const auto result = served.Try(std::move(job));
    if (!result.ok()) continue;  // the model has no pieces for this word
    EXPECT_THAT(result->hypotheses[0].text, HasSubstr(word));
    engine::TranslationJob kept = served.Job();
    kept.do_not_translate = {"Enten"};
    EXPECT_THAT(served.Best(std::move(kept)).text, HasSubstr("Enten"));
    return;
  }
  ADD_FAILURE() << "no word that can be a term";
}

void Prefix(Served& served) {
  for (const std::string& word : served.OtherWords()) {
    engine::TranslationJob job = served.Job();
    job.target_prefixes = {word};
    const auto result = served.Try(std::move(job));
    if (!result.ok()) continue;
    EXPECT_THAT(result->hypotheses[0].text, StartsWith(word));
    return;
  }
  ADD_FAILURE() << "no word that can be a prefix";
}

// A given translation has the log-probs of a search that is forced to write it, and those of a
// search that finds it: in float32 the same bits. The profile is one that does not renormalise.
void Scores(Served& served) {
  engine::TranslationJob job = served.Job();
  job.decoding.profile = engine::Profile::kMarian;
  job.decoding.num_alternatives = 4;
  const auto scored = [&](const std::string& target) {
    engine::TranslationJob scoring = served.Job();
    scoring.decoding = {};
    scoring.decoding.profile = engine::Profile::kMarian;
    scoring.targets = {target};
    return served.Best(std::move(scoring));
  };
  size_t compared = 0;
  for (const engine::Hypothesis& found : served.Translate(job).hypotheses) {
    const engine::Hypothesis given = scored(found.text);
    if (given.tokens != found.tokens || found.finish_reason != kernels::FinishReason::kEos)
      continue;
    for (size_t i = 0; i < given.token_scores.size(); ++i) {
      EXPECT_NEAR(given.token_scores[i], found.token_scores.at(i), 1e-5F) << found.text;
    }
    EXPECT_NEAR(given.score, found.score, 1e-5F);
    ++compared;
  }
  for (const std::string& word : served.OtherWords()) {
    job.target_prefixes = {word};
    const auto forced = served.Try(job);
    if (!forced.ok()) continue;
    const engine::Hypothesis given = scored(word);
    for (size_t i = 0; i < given.tokens.size(); ++i) {
      EXPECT_EQ(given.token_scores[i], forced->hypotheses[0].token_scores.at(i)) << word;
    }
    EXPECT_LT(given.token_scores.back(), 0) << word;
    ++compared;
  }
  EXPECT_GE(compared, 1U);
}

// Counts the tokens that occurred before. Ids without a piece are all named "", so they do not
// count.
size_t Repeated(const engine::Hypothesis& found) {
  std::set<std::string> seen;
  return static_cast<size_t>(std::count_if(
      found.tokens.begin(), found.tokens.end(),
      [&](const std::string& token) { return !token.empty() && !seen.insert(token).second; }));
}

void NgramBans(Served& served) {
  engine::TranslationJob job = served.Job();
  job.decoding.min_output_tokens = 22;
  EXPECT_GT(Repeated(served.Best(job)), 0U);
  job.decoding.no_repeat_ngram = 1;
  const engine::Hypothesis found = served.Best(std::move(job));
  EXPECT_GE(found.tokens.size(), 22U);
  EXPECT_EQ(Repeated(found), 0U);
}

void Repetition(Served& served) {
  engine::TranslationJob job = served.Job();
  job.decoding.min_output_tokens = 22;
  const size_t free = Repeated(served.Best(job));
  job.decoding.repetition_penalty = 5.0F;
  EXPECT_LT(Repeated(served.Best(job)), free);
}

void Lengths(Served& served) {
  engine::TranslationJob job = served.Job();
  job.decoding.min_output_tokens = job.decoding.max_output_tokens = 10;
  const auto at_ten = served.Best(job).tokens.size();
  job.decoding.min_output_tokens = job.decoding.max_output_tokens = 13;
  EXPECT_EQ(served.Best(job).tokens.size(), at_ten + 3);
  EXPECT_GE(at_ten, 10U);
  EXPECT_LE(at_ten, 11U);  // including the language's token
}

void Draws(Served& served) {
  engine::TranslationJob job = served.Job();
  job.decoding.beam_size.reset();
  job.decoding.min_output_tokens = 8;
  job.decoding.sampling = engine::Sampling{};
  job.decoding.sampling->seed = 7;
  job.decoding.num_alternatives = 4;
  const engine::ItemResult first = served.Translate(job);
  const engine::ItemResult again = served.Translate(job);
  job.decoding.sampling->seed = 8;
  const engine::ItemResult other = served.Translate(job);
  EXPECT_EQ(first.hypotheses.size(), 4U);
  size_t same = 0;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(first.hypotheses[i].tokens, again.hypotheses[i].tokens);
    same += first.hypotheses[i].tokens == other.hypotheses[i].tokens ? 1 : 0;
  }
  EXPECT_LT(same, 4U);
}

void Alignment(Served& served) {
  engine::TranslationJob job = served.Job();
  job.decoding.min_output_tokens = 12;  // so that some tokens have text
  job.returns.alignment = true;
  const engine::Hypothesis found = served.Best(std::move(job));
  EXPECT_FALSE(found.alignment.empty());
  std::set<int64_t> sources;
  for (const engine::AlignmentLink& link : found.alignment) {
    EXPECT_LE(0, link.source.begin);
    EXPECT_LE(link.source.begin, link.source.end);
    EXPECT_LE(link.source.end, static_cast<int64_t>(std::string(kText).size()));
    EXPECT_LE(link.target.end, static_cast<int64_t>(found.text.size()));
    sources.insert(link.source.begin);
  }
}

void Html(Served& served) {
  engine::TranslationJob job = served.Job();
  job.contents = {"<p><b>Der alte Mann</b> fütterte die Enten im Park.</p>"};
  job.format = engine::TextFormat::kHtml;
  const std::string text = served.Best(std::move(job)).text;
  for (const char* tag : {"<p>", "<b>", "</b>", "</p>"}) EXPECT_THAT(text, HasSubstr(tag));
  EXPECT_THAT(text, StartsWith("<p>"));
}

void Partials(Served& served) {
  engine::TranslationJob job = served.Job();
  job.returns.partials = true;
  job.decoding.beam_size = 1;
  job.decoding.min_output_tokens = 12;
  const std::string text = served.Best(std::move(job)).text;
  const std::vector<engine::SegmentUpdate> updates = served.updates();
  EXPECT_FALSE(updates.empty());
  for (const engine::SegmentUpdate& update : updates) EXPECT_THAT(text, StartsWith(update.text));
}

struct Column {
  const char* name;
  Check check;
};

const std::vector<Column>& Columns() {
  static const std::vector<Column> columns = {
      {"n-best, beams 1, 4, 8", Beams},
      {"five profiles", Profiles},
      {"pruned search", PrunedSearch},
      {"required phrases", Required},
      {"forbidden phrases", Forbidden},
      {"terms, do not translate", Terms},
      {"prefix", Prefix},
      {"score", Scores},
      {"n-gram bans", NgramBans},
      {"repetition penalty", Repetition},
      {"lengths", Lengths},
      {"sampling", Draws},
      {"alignment", Alignment},
      {"HTML", Html},
      {"partials", Partials},
  };
  return columns;
}

// Returns a line of the table, as README.md has it.
std::string Line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line;
}

std::set<std::string> LinesOfReadMe() {
  std::ifstream in(DRAGOMAN_SOURCE_DIR "/tests/parity/README.md");
  EXPECT_TRUE(in.is_open());
  std::set<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

class FamilyOptions : public ::testing::TestWithParam<Family> {};

TEST_P(FamilyOptions, HaveTheirEffectAndStandInTheTable) {
  Served served(GetParam());
  ASSERT_TRUE(served.ok());
  std::vector<std::string> cells = {GetParam().name};
  for (const Column& column : Columns()) {
    SCOPED_TRACE(column.name);
    column.check(served);
    cells.emplace_back("yes");
  }
  EXPECT_TRUE(LinesOfReadMe().contains(Line(cells))) << "README.md has no line " << Line(cells);
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyOptions, ::testing::ValuesIn(AllFamilies()), FamilyName);

TEST(FamilyTable, HasThatHeader) {
  std::vector<std::string> names = {"family"};
  for (const Column& column : Columns()) names.emplace_back(column.name);
  EXPECT_TRUE(LinesOfReadMe().contains(Line(names))) << "README.md has no line " << Line(names);
}

}  // namespace
}  // namespace dragoman::parity
