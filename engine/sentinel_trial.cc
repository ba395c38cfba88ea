#include "engine/sentinel_trial.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/base/mutex.h"
#include "engine/request/sentinels.h"

namespace dragoman::engine {
namespace {

constexpr size_t kMostTargets = 8;

// The stems are in mixed case, because models treat such words as names. Models treat words in
// capitals as abbreviations, which need other articles in some languages.
constexpr const char* kStems[] = {"Xk", "Kx"};

// The texts contain no words, because the source may be in any language. $1 to $3 are sentinels.
constexpr const char* kTexts[] = {"$1", "$1, $2, $3", "($1) 12", "$1: 3. $2 - 4."};

// Returns one of kTexts with the sentinels of a stem.
std::string WithStem(const char* text, const std::string& stem) {
  return absl::StrReplaceAll(text, {{"$", stem}});
}

// Collects the best translation of each item of a job.
class Results final : public TranslationSink {
 public:
  void OnSegment(SegmentUpdate) override {}
  void OnItem(ItemResult result) override {
    MutexLock lock(&mu_);
    if (result.status.ok() && !result.hypotheses.empty()) {
      texts_[result.index] = std::move(result.hypotheses.front().text);
    }
  }
  void OnDone(const absl::Status&, const JobTimings&) override {
    MutexLock lock(&mu_);
    done_ = true;
    ended_.NotifyAll();
  }

  // Waits for the end of the job and returns the texts by item.
  std::map<int, std::string> Wait() {
    MutexLock lock(&mu_);
    while (!done_) ended_.Wait(&mu_);
    return texts_;
  }

 private:
  Mutex mu_;
  CondVar ended_;
  std::map<int, std::string> texts_ ABSL_GUARDED_BY(mu_);
  bool done_ ABSL_GUARDED_BY(mu_) = false;
};

std::vector<Sentinel> SentinelsOf(const std::string& text, const std::string& stem) {
  std::vector<Sentinel> sentinels;
  for (int number = 1; number <= 3; ++number) {
    Sentinel sentinel;
    sentinel.word = absl::StrCat(stem, number);
    sentinel.text = sentinel.word;
    if (text.find(sentinel.word) != text.npos) sentinels.push_back(std::move(sentinel));
  }
  return sentinels;
}

bool Copies(Engine& engine, const LanguagePair& pair, const std::string& stem) {
  TranslationJob job;
  for (const char* text : kTexts) job.contents.push_back(WithStem(text, stem));
  const std::vector<std::string> texts = job.contents;
  job.source_language = pair.source;
  job.target_language = pair.target;
  job.split = SplitMode::kNone;
  job.decoding.max_length_ratio = 2.0F;
  job.decoding.max_length_extra = 10;
  auto results = std::make_shared<Results>();
  if (!engine.Translate(std::move(job), results).status.ok()) return false;
  size_t copied = 0;
  for (auto& [item, text] : results->Wait()) {
    const std::vector<Sentinel> sentinels = SentinelsOf(texts[static_cast<size_t>(item)], stem);
    const RestoredText restored = RestoreSentinels({std::move(text), {}}, sentinels);
    if (restored.lost_phrases == 0) ++copied;
  }
  return 2 * copied >= texts.size();
}

// Reports whether both vocabularies can spell the sentinels of a stem.
bool Spells(const Tokenizer& tokenizer, const std::string& stem) {
  const std::string word = absl::StrCat(stem, "1234567890");
  const EncodedText source = tokenizer.EncodeSource(word);
  const EncodedPhrase target = tokenizer.EncodePhrase(word, true);
  const int source_unk = tokenizer.special().source_unk.value_or(tokenizer.special().unk);
  return std::ranges::count(source.ids, source_unk) == 0 &&
         std::ranges::count(target.ids, tokenizer.special().unk) == 0;
}

}  // namespace

SentinelStems TrySentinels(Engine& engine, const Tokenizer& tokenizer) {
  // Tries one language pair for each target language, because the target language decides which
  // words the decoder copies.
  std::vector<LanguagePair> pairs;
  for (const LanguagePair& pair : engine.info().pairs) {
    const auto is_same = [&](const LanguagePair& other) { return other.target == pair.target; };
    if (std::ranges::none_of(pairs, is_same)) pairs.push_back(pair);
  }
  SentinelStems stems;
  if (pairs.size() > kMostTargets) return stems;
  for (const LanguagePair& pair : pairs) {
    for (const std::string stem : kStems) {
      if (!Spells(tokenizer, stem) || !Copies(engine, pair, stem)) continue;
      stems[pair.target] = stem;
      break;
    }
  }
  return stems;
}

}  // namespace dragoman::engine
