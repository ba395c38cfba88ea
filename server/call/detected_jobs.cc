#include "server/call/detected_jobs.h"

#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "server/call/detect/detection_line.h"
#include "server/models/model_router.h"
#include "server/models/source_choice.h"

namespace dragoman::server {
namespace {

engine::ItemResult Unchanged(int index, std::string text) {
  engine::ItemResult result;
  result.index = index;
  engine::Hypothesis same;
  same.text = std::move(text);
  result.hypotheses.push_back(std::move(same));
  return result;
}

uint64_t DrawSeed() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

// A single word says little about its language: "Hand" is German and English. A word is returned
// unchanged only if it is in the target language with at least this confidence. Measured with
// lid.176.ftz and a model from German to English: 98 of 101 common German words are translated, and
// 52 of their English equivalents are returned unchanged. With 0.9 instead of 0.8, these numbers
// are 99 and 32.
constexpr double kSureOfWord = 0.8;

bool IsOneWord(std::string_view text) {
  const DetectionLine line = MakeDetectionLine(text);
  return line.has_letters && line.text.find(' ') == std::string::npos;
}

// Returns the only source language of `choice` other than its target; nothing if there are several.
std::optional<std::string> OnlySource(const SourceChoice& choice) {
  std::optional<std::string> only;
  for (const std::string& code : choice.candidates) {
    if (code == choice.target) continue;
    if (only.has_value()) return std::nullopt;
    only = code;
  }
  return only;
}

// The part of a request whose items are in one language.
struct Part {
  ModelPtr model;
  engine::TranslationJob job;
  std::vector<int> items;
};

class Parts {
 public:
  // `without_items` is the job of each part without its items. All arguments outlive the object.
  Parts(const std::vector<ModelPtr>& models, std::string_view model,
        const engine::TranslationJob& without_items)
      : models_(models), model_(model), without_items_(without_items) {}

  // Returns the part for items in this language; nothing if no model translates the language.
  std::optional<size_t> Find(const std::string& language) {
    const auto [at, is_new] = by_language_.try_emplace(language);
    if (is_new) at->second = Make(language);
    return at->second;
  }

  Part& at(size_t part) { return parts_[part]; }

  // Returns the plans of all parts, or the first error.
  absl::StatusOr<std::vector<JobPart>> Prepare() {
    std::vector<JobPart> prepared;
    for (Part& part : parts_) {
      engine::Engine* const engine = part.model->engine.get();
      absl::StatusOr<std::unique_ptr<engine::Plan>> plan = engine->Prepare(std::move(part.job));
      if (!plan.ok()) return plan.status();
      prepared.push_back({part.model, engine, *std::move(plan), std::move(part.items)});
    }
    return prepared;
  }

 private:
  std::optional<size_t> Make(const std::string& language) {
    const std::string& target = without_items_.target_language;
    absl::StatusOr<Route> route = RouteRequest(models_, model_, language, target);
    if (!route.ok()) return std::nullopt;
    // RouteRequest does not check the languages if a model is named or there is only one.
    auto found =
        route->model->engine->FindLanguages(route->languages.source, route->languages.target);
    if (!found.ok()) return std::nullopt;
    Part part{std::move(route->model), without_items_, {}};
    part.job.source_language = std::move(found->source);
    part.job.target_language = std::move(found->target);
    parts_.push_back(std::move(part));
    return parts_.size() - 1;
  }

  const std::vector<ModelPtr>& models_;
  const std::string_view model_;
  const engine::TranslationJob& without_items_;
  std::map<std::string, std::optional<size_t>> by_language_;
  std::vector<Part> parts_;
};

std::vector<std::string> NamesOf(const std::vector<JobPart>& parts) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const JobPart& part : parts) {
    if (seen.insert(part.model->name).second) names.push_back(part.model->name);
  }
  return names;
}

}  // namespace

absl::StatusOr<DetectedJobs> DetectJobs(const LanguageDetector& detector,
                                        const std::vector<ModelPtr>& models, std::string_view model,
                                        engine::TranslationJob job) {
  const absl::StatusOr<SourceChoice> choice =
      ChooseSources(models, model, job.target_language, detector.languages());
  if (!choice.ok()) return choice.status();
  std::vector<std::string> contents = std::exchange(job.contents, {});
  std::vector<std::string> prefixes = std::exchange(job.target_prefixes, {});
  job.target_language = choice->target;
  // All parts share one seed, as the items of one job do. So a request that is sent again with this
  // seed has the same random draws.
  auto& sampling = job.decoding.sampling;
  if (sampling.has_value() && !sampling->seed.has_value()) sampling->seed = DrawSeed();

  const auto languages = detector.Among(choice->candidates);
  const std::optional<std::string> only_source = OnlySource(*choice);
  DetectedJobs out;
  Parts parts(models, model, job);
  for (size_t i = 0; i < contents.size(); ++i) {
    DetectedItem& item = out.items.emplace_back();
    const std::string text = TextToDetect(contents[i], job.format);
    const bool is_word = IsOneWord(text);
    bool sure = !is_word;
    std::optional<size_t> part;
    for (DetectedLanguage& found : languages->Detect(text)) {
      const bool is_target = found.language == choice->target;
      if (!is_target) part = parts.Find(found.language);
      if (!is_target && !part.has_value()) continue;
      // The word may be in the target language. A later candidate that is a source language
      // replaces the target language.
      if (part.has_value() || item.language.empty()) {
        item.language = std::move(found.language);
        item.confidence = found.confidence;
      }
      sure = sure || part.has_value() || found.confidence >= kSureOfWord;
      if (sure) break;
    }
    if (!sure && only_source.has_value()) {
      part = parts.Find(*only_source);
      if (part.has_value()) item.language = *only_source;
      if (part.has_value()) item.confidence = 0;
    }
    const int index = static_cast<int>(i);
    if (!part.has_value()) {
      out.done.push_back(Unchanged(index, std::move(contents[i])));
      continue;
    }
    Part& to = parts.at(*part);
    item.model = to.model->name;
    to.items.push_back(index);
    to.job.contents.push_back(std::move(contents[i]));
    if (!prefixes.empty()) to.job.target_prefixes.push_back(std::move(prefixes[i]));
  }
  absl::StatusOr<std::vector<JobPart>> prepared = parts.Prepare();
  if (!prepared.ok()) return prepared.status();
  out.parts = *std::move(prepared);
  out.models = NamesOf(out.parts);
  return out;
}

}  // namespace dragoman::server
