#include <fasttext/fasttext.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <new>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/base/allocator.h"
#include "server/call/detect/candidates.h"
#include "server/call/detect/classifier_file.h"
#include "server/call/detect/detection_line.h"
#include "server/call/detect/open_detector.h"

namespace dragoman::server {
namespace {

// The weight of a language that is not a candidate. A candidate has weight 1, because a server's
// texts are likely in its languages. Measured with this weight and kLeastConfidence: 97 % of
// Tatoeba's lines of at most 20 characters are detected correctly and 1 % wrongly, and 9 % of texts
// in other languages are detected as German or English (tests/bench/README.md, "Detection of
// languages").
constexpr double kOtherWeight = 0.1;

// If the best candidate has less confidence, the language is unknown, because the text is more
// likely in another language.
constexpr double kLeastConfidence = 0.5;

// lid.176 names its languages as Wikipedia does, where "als" is Alemannic and not Tosk Albanian.
std::string KeyOfLabel(const std::string& code) {
  return LanguageKey(code == "als" ? "gsw" : code);
}

// The indices of a text's words and subwords in the model's dictionary.
using Words = std::vector<int32_t>;

class Model final : public fasttext::FastText {
 public:
  // REQUIRES: CheckClassifier has accepted the bytes.
  void Read(std::string bytes) {
    std::istringstream in(std::move(bytes));
    // With these exceptions, reading stops at the end of the file. Without them, fastText would
    // continue.
    in.exceptions(std::ios::eofbit | std::ios::failbit | std::ios::badbit);
    if (!checkModel(in)) throw std::invalid_argument("another version");
    loadModel(in);
  }
};

class FastTextDetector final : public LanguageDetector {
 public:
  // Errors do not name the file. REQUIRES: CheckClassifier has accepted the bytes.
  absl::Status Load(std::string bytes, int64_t most_bytes);

  std::unique_ptr<LanguageChoice> Among(const std::vector<std::string>& candidates) const override;
  const std::vector<std::string>& languages() const override { return languages_; }
  const DetectorMemory& memory() const { return memory_; }

  // Returns the keys (LanguageKey) of all labels, without duplicates. The functions below use
  // indices into this list.
  const std::vector<std::string>& keys() const { return keys_; }

  // Returns the probability of each key, summed over its labels. Empty if the model has none of the
  // text's words and subwords.
  std::vector<double> Probabilities(const DetectionLine& line) const;

 private:
  Words WordsOf(const std::string& line) const;

  Model model_;
  DetectorMemory memory_;
  std::vector<std::string> keys_;
  std::vector<size_t> key_of_label_;
  std::vector<std::string> languages_;
  size_t words_of_nothing_ = 0;
};

// A detector of the candidates of one call.
class FastTextChoice final : public LanguageChoice {
 public:
  FastTextChoice(const FastTextDetector* detector, const std::vector<std::string>& candidates)
      : detector_(*detector), candidates_(candidates) {
    for (size_t key = 0; key < detector_.keys().size(); ++key) {
      if (candidates_.Has(detector_.keys()[key])) keys_.push_back(key);
    }
  }

  std::vector<DetectedLanguage> Detect(std::string_view text) const override;

 private:
  const FastTextDetector& detector_;
  const Candidates candidates_;
  std::vector<size_t> keys_;  // indices of the candidates' keys in detector_.keys()
};

absl::Status FastTextDetector::Load(std::string bytes, int64_t most_bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t before = AllocatedBytes() - size;
  model_.Read(std::move(bytes));
  // Assumes that other threads allocate and free little meanwhile.
  const int64_t held = std::max(AllocatedBytes() - before, size);
  memory_ = {.held = held, .loading = held + size};
  if (memory_.loading > most_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("found a classifier that takes ", memory_.loading,
                     " bytes while it is loaded, expected at most ", most_bytes,
                     ", which is the memory that is left"));
  }

  const std::string prefix = model_.getArgs().label;
  std::map<std::string, size_t> known;
  for (int32_t i = 0; i < model_.getDictionary()->nlabels(); ++i) {
    std::string label = model_.getDictionary()->getLabel(i);
    if (absl::StartsWith(label, prefix)) label.erase(0, prefix.size());
    const std::string key = KeyOfLabel(label);
    const auto [at, is_new] = known.emplace(key, keys_.size());
    key_of_label_.push_back(at->second);
    if (!is_new) continue;
    keys_.push_back(key);
    if (!key.empty()) languages_.push_back(std::move(label));
  }
  if (languages_.size() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("found labels of ", languages_.size(), " languages, expected two or more"));
  }
  words_of_nothing_ = WordsOf("").size();
  return absl::OkStatus();
}

std::unique_ptr<LanguageChoice> FastTextDetector::Among(
    const std::vector<std::string>& candidates) const {
  return std::make_unique<FastTextChoice>(this, candidates);
}

Words FastTextDetector::WordsOf(const std::string& line) const {
  std::istringstream in(line + "\n");
  Words words;
  Words labels;
  model_.getDictionary()->getLine(in, words, labels);
  return words;
}

std::vector<double> FastTextDetector::Probabilities(const DetectionLine& line) const {
  Words words = WordsOf(line.text);
  // A quantized model lacks rare words and subwords, but may have their lower-case forms.
  if (words.size() <= words_of_nothing_ && line.has_capitals) {
    words = WordsOf(LowerCase(line.text));
  }
  if (words.size() <= words_of_nothing_) return {};
  fasttext::Predictions predictions;
  model_.predict(static_cast<int32_t>(key_of_label_.size()), words, predictions, 0);
  std::vector<double> out(keys_.size());
  for (const auto& [log_probability, label] : predictions) {
    out[key_of_label_[static_cast<size_t>(label)]] +=
        std::exp(static_cast<double>(log_probability));
  }
  return out;
}

std::vector<DetectedLanguage> FastTextChoice::Detect(std::string_view text) const {
  const DetectionLine line = MakeDetectionLine(text);
  if (!line.has_letters) return {};
  std::vector<DetectedLanguage> found;
  double sum = 0;
  try {
    const std::vector<double> probabilities = detector_.Probabilities(line);
    if (probabilities.empty()) return {};
    for (const size_t key : keys_) {
      const std::string* candidate = candidates_.Find(detector_.keys()[key], line.script);
      if (candidate == nullptr || !(probabilities[key] > 0)) continue;
      found.push_back({*candidate, probabilities[key]});
      sum += probabilities[key];
    }
  } catch (const std::exception&) {
    return {};  // fastText throws for NaN from a broken model
  }
  // fastText's logarithms are inexact, so that probabilities may sum to more than 1.
  const double all = sum + kOtherWeight * std::max(0.0, 1 - sum);
  for (DetectedLanguage& language : found) language.confidence /= all;
  std::sort(found.begin(), found.end(), [](const DetectedLanguage& a, const DetectedLanguage& b) {
    return a.confidence != b.confidence ? a.confidence > b.confidence : a.language < b.language;
  });
  if (found.empty() || found.front().confidence < kLeastConfidence) return {};
  return found;
}

}  // namespace

const char* DetectionLibrary() { return "fastText"; }

absl::StatusOr<OpenedDetector> OpenDetector(const std::string& file, const std::string& sha256,
                                            int64_t most_bytes) {
  const auto refused = [&file](absl::StatusCode code, absl::string_view why) {
    return absl::Status(code, absl::StrCat(file, ": ", why));
  };
  auto detector = std::make_unique<FastTextDetector>();
  try {
    // The model needs at least as much memory as the file, and the file remains in memory, so the
    // file may have half of most_bytes.
    absl::StatusOr<std::string> bytes = ReadClassifierFile(file, most_bytes / 2);
    if (!bytes.ok()) return refused(bytes.status().code(), bytes.status().message());
    const absl::Status known = CheckClassifier(*bytes, sha256);
    if (!known.ok()) return refused(known.code(), known.message());
    const absl::Status loaded = detector->Load(*std::move(bytes), most_bytes);
    if (!loaded.ok()) return refused(loaded.code(), loaded.message());
  } catch (const std::bad_alloc&) {
    return refused(absl::StatusCode::kResourceExhausted, "found no memory to load it");
  } catch (const std::exception& e) {
    return refused(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("found what fastText does not read: ", e.what()));
  }
  const DetectorMemory memory = detector->memory();
  return OpenedDetector{std::move(detector), memory};
}

}  // namespace dragoman::server
