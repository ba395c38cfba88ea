#include "server/models/pivot_engine.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/api/option_rules.h"
#include "engine/base/field_error.h"
#include "server/base/steady_clock.h"
#include "server/models/composite_job.h"
#include "server/models/pivot_parts.h"

namespace dragoman::server {
namespace {

// The maximum number of language pairs that a pivot lists. Two multilingual models have a million.
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
      betweens_(LanguagesOfPairs(first.engine->info().pairs).targets),
      clock_(clock),
      timer_(timer) {}

absl::StatusOr<PivotEngine::Route> PivotEngine::FindRoute(std::string_view source,
                                                          std::string_view target) const {
  absl::Status why;
  for (const std::string& between : betweens_) {
    absl::StatusOr<engine::LanguagePair> first = first_.FindLanguages(source, between);
    if (!first.ok()) {
      // An error of the second engine replaces this one, because then the pivot language can be
      // reached.
      if (why.ok()) why = first.status();
      continue;
    }
    absl::StatusOr<engine::LanguagePair> second = second_.FindLanguages(between, target);
    if (second.ok()) return Route{std::move(first->source), between, std::move(second->target)};
    why = second.status();
  }
  return why;
}

absl::StatusOr<engine::LanguagePair> PivotEngine::FindLanguages(std::string_view source,
                                                                std::string_view target) const {
  absl::StatusOr<Route> route = FindRoute(source, target);
  if (!route.ok()) return route.status();
  return engine::LanguagePair{std::move(route->source), std::move(route->target)};
}

std::vector<engine::FieldError> PivotEngine::CheckJob(const engine::TranslationJob& job) const {
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
  refuse(!job.targets.empty(), "pairs", "the text in the language between is not given");
  refuse(!job.terms.empty(), "terms", kTerms);
  refuse(!job.glossary.empty(), "glossary_config", kTerms);
  refuse(job.returns.alignment, "return_options.alignment", kAlignment);
  engine::VisitOptions(job.decoding, [&](const DecodingOption& option, const auto& member) {
    if (option.legs != DecodingOption::Legs::kNone) return;
    refuse(engine::IsGiven(member), "decoding." + std::string(option.name), kAlignment);
  });
  return errors;
}

absl::StatusOr<std::unique_ptr<engine::Plan>> PivotEngine::Prepare(engine::TranslationJob job) {
  absl::StatusOr<Route> route = FindRoute(job.source_language, job.target_language);
  if (!route.ok()) return route.status();
  job.source_language = std::move(route->source);
  job.target_language = std::move(route->target);
  auto first = first_.Prepare(FirstLeg(job, route->between));
  // The texts of the second model are not known yet. It gets empty ones here, to check the options.
  std::vector<int> items(job.contents.size());
  std::iota(items.begin(), items.end(), 0);
  std::vector<std::string> prefixes = std::exchange(job.target_prefixes, {});
  job.contents.clear();
  const auto second = second_.Prepare(SecondLeg(job, prefixes, route->between, items,
                                                std::vector<engine::ItemResult>(items.size())));

  std::vector<engine::FieldError> errors = CheckJob(job);
  for (const absl::Status& status : {first.status(), second.status()}) {
    const std::vector<engine::FieldError> found = engine::FieldErrorsOf(status);
    if (!status.ok() && found.empty() && errors.empty()) return status;
    for (const engine::FieldError& error : found) {
      if (std::ranges::find(errors, error) == errors.end()) errors.push_back(error);
    }
  }
  if (!errors.empty()) return engine::InvalidRequest(errors);

  auto plan = std::make_unique<PivotPlan>();
  plan->engine = this;
  plan->between = std::move(route->between);
  plan->first = *std::move(first);
  plan->items = static_cast<int64_t>(items.size());
  plan->job = std::move(job);
  plan->prefixes = std::move(prefixes);
  return plan;
}

engine::Admission PivotEngine::Submit(std::unique_ptr<engine::Plan> plan,
                                      std::shared_ptr<engine::TranslationSink> sink) {
  std::vector<JobPart> parts(1);
  parts[0].engine = this;
  parts[0].items.resize(static_cast<size_t>(static_cast<const PivotPlan&>(*plan).items));
  std::iota(parts[0].items.begin(), parts[0].items.end(), 0);
  parts[0].plan = std::move(plan);
  return std::make_shared<CompositeJob>(clock_, std::move(parts), std::vector<engine::ItemResult>(),
                                        std::move(sink))
      ->Start();
}

engine::Admission PivotEngine::Enter(std::shared_ptr<CompositeJob> job, const PivotPlan& plan) {
  const uint64_t client = engine::ClientNumber(plan.job.client);
  engine::MutexLock lock(&mu_);
  if (!items_.Fits(client, plan.job.share, plan.items)) {
    const bool is_own = items_.FitsAnother(plan.job.share, plan.items);
    return {
        absl::ResourceExhaustedError(absl::StrCat(
            is_own ? "the client's share of the pivot is full, and the rest is kept for others: "
                   : "the pivot is full: ",
            items_.held(), " of ", kMaxItems, " items are on their way to ", second_name_)),
        is_own ? engine::RejectReason::kClientShare : engine::RejectReason::kQueueFull,
        kNanosPerSecond};
  }
  items_.Take(client, plan.job.share, plan.items);
  engine::Admission admission;
  admission.job = ++last_job_;
  jobs_.emplace(admission.job, std::move(job));
  return admission;
}

void PivotEngine::Leave(const std::string& client, int64_t items) {
  engine::MutexLock lock(&mu_);
  items_.Give(engine::ClientNumber(client), items);
}

engine::PivotPart PivotEngine::PartOf(const PivotPlan& plan) const {
  engine::PivotPart part;
  part.first_model = first_name_;
  part.second_model = second_name_;
  part.language = plan.between;
  return part;
}

void PivotEngine::Forget(engine::JobId job) {
  std::shared_ptr<CompositeJob> forgotten;  // released after the lock
  engine::MutexLock lock(&mu_);
  const auto at = jobs_.find(job);
  if (at == jobs_.end()) return;
  forgotten = std::move(at->second);
  jobs_.erase(at);
}

void PivotEngine::Cancel(engine::JobId job, engine::CancelCause cause) {
  std::shared_ptr<CompositeJob> found;
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
  std::vector<std::shared_ptr<CompositeJob>> jobs;
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
