#include "server/models/pivot_engine.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/api/option_rules.h"
#include "engine/base/field_error.h"
#include "server/base/steady_clock.h"
#include "server/models/pivot_job.h"

namespace dragoman::server {
namespace {

// The most language pairs that a pivot lists. Two multilingual models have a million.
constexpr size_t kMaxPairs = 4096;

std::vector<engine::LanguagePair> JoinPairs(const engine::ModelInfo& first,
                                            const engine::ModelInfo& second) {
  std::vector<engine::LanguagePair> pairs;
  std::set<std::pair<std::string, std::string>> seen;
  for (const engine::LanguagePair& one : first.pairs) {
    for (const engine::LanguagePair& two : second.pairs) {
      const bool joins = two.source.empty() || two.source == one.target;
      if (!joins || one.source == two.target || one.target == two.target) continue;
      if (pairs.size() == kMaxPairs) return pairs;
      if (seen.emplace(one.source, two.target).second) pairs.push_back({one.source, two.target});
    }
  }
  return pairs;
}

std::string Both(const std::string& first, const std::string& second) {
  return first == second ? first : absl::StrCat(first, "+", second);
}

engine::ModelInfo InfoOf(std::string name, const engine::ModelInfo& first,
                         const engine::ModelInfo& second) {
  engine::ModelInfo info;
  info.name = std::move(name);
  info.family = Both(first.family, second.family);
  info.device = Both(first.device, second.device);
  info.compute_type = Both(first.compute_type, second.compute_type);
  info.pairs = JoinPairs(first, second);
  info.source_vocabulary = first.source_vocabulary;
  info.target_vocabulary = second.target_vocabulary;
  info.parameters = first.parameters + second.parameters;
  info.max_source_tokens = first.max_source_tokens;
  info.max_target_tokens = second.max_target_tokens;
  info.max_rows = std::min(first.max_rows, second.max_rows);
  info.max_beam = std::min(first.max_beam, second.max_beam);
  info.default_beam = second.default_beam;
  info.decoder_layers = second.decoder_layers;
  info.decoder_heads = second.decoder_heads;
  info.default_profile = second.default_profile;
  return info;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PivotEngine>> PivotEngine::Create(std::string name,
                                                                 const ServedModel& first,
                                                                 const ServedModel& second,
                                                                 const engine::Clock* clock,
                                                                 DeadlineTimer* timer) {
  engine::ModelInfo info = InfoOf(std::move(name), first.engine->info(), second.engine->info());
  if (info.pairs.empty()) {
    const auto listed = [](const engine::ModelInfo& model) {
      std::string pairs;
      for (const engine::LanguagePair& pair : model.pairs) {
        if (pairs.size() > 200) return pairs + ", ...";
        absl::StrAppend(&pairs, pairs.empty() ? "" : ", ", pair.source.empty() ? "*" : pair.source,
                        "-", pair.target);
      }
      return pairs;
    };
    return absl::InvalidArgumentError(
        absl::StrCat("pivot ", info.name, ": found no language that links its models: ", first.name,
                     " translates ", listed(first.engine->info()), ", ", second.name,
                     " translates ", listed(second.engine->info()),
                     "; expected a target of the first that is a source of the second"));
  }
  return std::unique_ptr<PivotEngine>(
      new PivotEngine(std::move(info), first, second, clock, timer));
}

PivotEngine::PivotEngine(engine::ModelInfo info, const ServedModel& first,
                         const ServedModel& second, const engine::Clock* clock,
                         DeadlineTimer* timer)
    : info_(std::move(info)),
      first_(*first.engine),
      second_(*second.engine),
      first_name_(first.name),
      second_name_(second.name),
      clock_(clock),
      timer_(timer) {}

absl::StatusOr<std::shared_ptr<const engine::ResolvedLanguages>> PivotEngine::ResolveLanguages(
    std::string_view source, std::string_view target) const {
  absl::Status why;
  for (const engine::LanguagePair& pair : first_.info().pairs) {
    auto first = first_.ResolveLanguages(source, pair.target);
    if (!first.ok()) {
      // Prefers an error of the second engine, because then the pivot language can be reached.
      if (why.ok()) why = first.status();
      continue;
    }
    auto second = second_.ResolveLanguages(pair.target, target);
    if (second.ok()) {
      return std::make_shared<const PivotLanguages>(pair.target, *std::move(first),
                                                    *std::move(second));
    }
    why = second.status();
  }
  return why;
}

absl::Status PivotEngine::CheckJob(const engine::TranslationJob& job) const {
  std::vector<engine::FieldError> errors;
  const auto refuse = [&](bool given, std::string field, const char* why) {
    if (!given) return;
    engine::FieldError error;
    error.field = std::move(field);
    error.found = absl::StrCat("one with the pivot ", first_name_, "+", second_name_);
    error.expected = "none";
    error.reason = why;
    errors.push_back(std::move(error));
  };
  constexpr const char* kTerms = "a term would have to be known in the language between as well";
  constexpr const char* kAlignment = "each model attends to a text of its own";
  refuse(!job.terms.empty(), "terms", kTerms);
  refuse(!job.glossary.empty(), "glossary_config", kTerms);
  refuse(job.returns.alignment, "return_options.alignment", kAlignment);
  engine::VisitOptions(job.decoding, [&](const DecodingOption& option, const auto& member) {
    if (option.legs != DecodingOption::Legs::kNone) return;
    refuse(engine::IsGiven(member), "decoding." + std::string(option.name), kAlignment);
  });
  // Checked here because the second model would refuse only after the first has finished.
  if (auto error = engine::CheckWidth(job.decoding, info_.max_rows))
    errors.push_back(*std::move(error));
  return errors.empty() ? absl::OkStatus() : engine::InvalidRequest(errors);
}

engine::Admission PivotEngine::Submit(engine::TranslationJob job,
                                      std::shared_ptr<engine::TranslationSink> sink) {
  const auto refused = [](engine::RejectReason reason, absl::Status status,
                          engine::Nanos retry_after = 0) {
    engine::Admission admission;
    admission.status = std::move(status);
    admission.reason = reason;
    admission.retry_after = retry_after;
    return admission;
  };
  if (!admitting_.load()) {
    return refused(engine::RejectReason::kDraining,
                   absl::UnavailableError("the server is draining"));
  }
  if (absl::Status status = CheckJob(job); !status.ok()) {
    return refused(engine::RejectReason::kInvalid, std::move(status));
  }
  if (job.languages == nullptr) {
    auto resolved = ResolveLanguages(job.source_language, job.target_language);
    if (!resolved.ok()) return refused(engine::RejectReason::kInvalid, resolved.status());
    job.languages = *std::move(resolved);
  }
  const uint64_t client = engine::ClientNumber(job.client);
  const auto items = static_cast<int64_t>(job.contents.size());
  {
    engine::MutexLock lock(&mu_);
    if (!items_.Fits(client, job.share, items)) {
      const bool is_own = items_.FitsAnother(job.share, items);
      return refused(
          is_own ? engine::RejectReason::kClientShare : engine::RejectReason::kQueueFull,
          absl::ResourceExhaustedError(absl::StrCat(
              is_own ? "the client's share of the pivot is full, and the rest is kept for others: "
                     : "the pivot is full: ",
              items_.held(), " of ", kMaxItems, " items are on their way to ", second_name_)),
          kNanosPerSecond);
    }
    items_.Take(client, job.share, items);
  }
  const engine::JobId id = next_job_.fetch_add(1);
  const auto made = std::make_shared<PivotJob>(this, id, std::move(job), std::move(sink));
  {
    // Registers the job first, because it may finish before Start returns.
    engine::MutexLock lock(&mu_);
    jobs_.emplace(id, made);
  }
  engine::Admission admission = made->Start();
  if (!admission.status.ok()) {
    Leave(client, items);
    Forget(id);
  }
  return admission;
}

void PivotEngine::Leave(uint64_t client, int64_t items) {
  engine::MutexLock lock(&mu_);
  items_.Give(client, items);
}

void PivotEngine::Forget(engine::JobId job) {
  std::shared_ptr<PivotJob> forgotten;  // released after the lock
  engine::MutexLock lock(&mu_);
  const auto at = jobs_.find(job);
  if (at == jobs_.end()) return;
  forgotten = std::move(at->second);
  jobs_.erase(at);
}

void PivotEngine::Cancel(engine::JobId job, engine::CancelCause cause) {
  std::shared_ptr<PivotJob> found;
  {
    engine::MutexLock lock(&mu_);
    const auto at = jobs_.find(job);
    if (at == jobs_.end()) return;
    found = at->second;
  }
  found->Cancel(cause);
}

int64_t PivotEngine::jobs_in_flight() const {
  engine::MutexLock lock(&mu_);
  return static_cast<int64_t>(jobs_.size());
}

void PivotEngine::CancelAll(engine::CancelCause cause) {
  std::vector<std::shared_ptr<PivotJob>> jobs;
  {
    engine::MutexLock lock(&mu_);
    for (const auto& [id, job] : jobs_) jobs.push_back(job);
  }
  for (const auto& job : jobs) job->Cancel(cause);
}

engine::EngineStats PivotEngine::Stats() const {
  const engine::EngineStats first = first_.Stats();
  engine::EngineStats stats;
  stats.queue_segment_capacity = first.queue_segment_capacity;
  stats.queue_token_capacity = first.queue_token_capacity;
  stats.live_workers = std::min(first.live_workers, second_.Stats().live_workers);
  return stats;
}

}  // namespace dragoman::server
