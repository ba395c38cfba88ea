// Translates with two engines: the first translates a text into the pivot language, the second
// translates the result.
//
// The first engine admits a job (composite_job.h). At most kMaxItems items wait for the second
// engine. Clients share these places fairly, as they share a queue, so the waiting items of one
// client do not keep jobs of others from being admitted.
//
// Options:
//   * Search options (beam, penalties, profile, sampling, lengths by ratio) and do_not_translate
//     apply to both engines.
//   * Options about the translated text or its length in tokens apply to the second: alternatives,
//     target prefixes, required and forbidden phrases, max_ and min_output_tokens.
//   * Terms and glossaries are refused, because a term would have to be known in the pivot
//     language. Alignment, and the choice of attention for it, is refused, because each model
//     attends to its own text.
// Returned source tokens are those of the first engine, target tokens those of the second.
//
// Thread-safe, like Engine. Both models and the timer are borrowed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/base/field_error.h"
#include "engine/base/mutex.h"
#include "engine/base/shared_capacity.h"
#include "server/base/deadline_timer.h"
#include "server/models/served_model.h"

namespace dragoman::server {

class CompositeJob;
class PivotEngine;

// The plan of a job through a pivot language.
struct PivotPlan final : engine::Plan {
  PivotEngine* engine = nullptr;  // the engine that made the plan
  std::string between;            // the pivot language
  std::unique_ptr<engine::Plan> first;
  int64_t items = 0;
  engine::TranslationJob job;         // without items
  std::vector<std::string> prefixes;  // the target prefixes of the job
};

class PivotEngine final : public engine::Engine {
 public:
  // The maximum number of items, of all jobs, that the second engine has not taken yet.
  static constexpr int64_t kMaxItems = 8192;

  // INVALID_ARGUMENT if no target language of `first` is a source language of `second`.
  static absl::StatusOr<std::unique_ptr<PivotEngine>> Create(std::string name,
                                                             const ServedModel& first,
                                                             const ServedModel& second,
                                                             const engine::Clock* clock,
                                                             DeadlineTimer* timer);

  // Describes both models together. The language pairs are the pairs of a source of the first model
  // and a target of the second. The limit on source tokens is the first model's, and that on target
  // tokens the second model's. The limits on rows and beams are the smaller ones. The number of
  // parameters is the sum.
  const engine::ModelInfo& info() const override { return info_; }
  absl::StatusOr<engine::LanguagePair> FindLanguages(std::string_view source,
                                                     std::string_view target) const override;
  // Checks the options for both engines.
  absl::StatusOr<std::unique_ptr<engine::Plan>> Prepare(engine::TranslationJob job) override;
  engine::Admission Submit(std::unique_ptr<engine::Plan> plan,
                           std::shared_ptr<engine::TranslationSink> sink) override;
  void Cancel(engine::JobId job, engine::CancelCause cause) override;
  int64_t jobs_in_flight() const override;
  void CancelAll(engine::CancelCause cause) override;
  // Sets only the capacities, which are those of the first engine, and live_workers, which is the
  // smaller of both numbers. The two engines count the segments.
  engine::EngineStats Stats() const override;
  // Does nothing: both models reload their own glossaries.
  absl::Status ReloadGlossaries(engine::LoadContext* /*load*/) override { return absl::OkStatus(); }

  // The following are for CompositeJob.
  engine::Engine& first() const { return first_; }
  engine::Engine& second() const { return second_; }
  DeadlineTimer* timer() const { return timer_; }
  // Keeps `job` until Forget, and takes capacity for its items. Returns the job's number or a
  // refusal.
  engine::Admission Enter(std::shared_ptr<CompositeJob> job, const PivotPlan& plan);
  // Releases the capacity of items that the second engine has taken, or that ended before that.
  void Leave(const std::string& client, int64_t items);
  void Forget(engine::JobId job);
  // Returns the parts of the result that are the same for all items.
  engine::PivotPart PartOf(const PivotPlan& plan) const;

 private:
  // A pair of languages with the pivot language between them.
  struct Route {
    std::string source, between, target;
  };

  PivotEngine(engine::ModelInfo info, const ServedModel& first, const ServedModel& second,
              const engine::Clock* clock, DeadlineTimer* timer);

  absl::StatusOr<Route> FindRoute(std::string_view source, std::string_view target) const;
  // Returns errors for options that a pivot refuses.
  std::vector<engine::FieldError> CheckJob(const engine::TranslationJob& job) const;

  const engine::ModelInfo info_;
  engine::Engine& first_;
  engine::Engine& second_;
  const std::string first_name_;
  const std::string second_name_;
  const std::vector<std::string> betweens_;  // the targets of the first model
  const engine::Clock* const clock_;
  DeadlineTimer* const timer_;

  mutable engine::Mutex mu_;
  engine::SharedCapacity items_ ABSL_GUARDED_BY(mu_){kMaxItems};
  engine::JobId last_job_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<engine::JobId, std::shared_ptr<CompositeJob>> jobs_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
