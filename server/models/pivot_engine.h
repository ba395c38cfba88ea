// Translates with two engines: the first translates a text into the pivot language, the second
// translates the result.
//
// The first engine admits a job. An item goes to the second engine as soon as the first has
// finished it; items that finish at the same time go together. If the queue of the second engine is
// full, the items wait and try again, so that every admitted job is answered. At most kMaxItems
// wait for the second engine. Clients share that capacity as they share a queue's, so a client's
// waiting items do not keep others from being admitted.
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
// Thread-safe, like Engine. Both models and the timer are borrowed. The second engine is called on
// the timer's thread, because a sink must not submit a job.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/base/mutex.h"
#include "engine/base/shared_capacity.h"
#include "server/base/deadline_timer.h"
#include "server/models/served_model.h"

namespace dragoman::server {

class PivotJob;

// The languages of a pivot job. `between` is the pivot language.
class PivotLanguages final : public engine::ResolvedLanguages {
 public:
  PivotLanguages(std::string language, std::shared_ptr<const engine::ResolvedLanguages> of_first,
                 std::shared_ptr<const engine::ResolvedLanguages> of_second)
      : between(std::move(language)), first(std::move(of_first)), second(std::move(of_second)) {}

  const std::string between;
  // The way each engine resolved them.
  const std::shared_ptr<const engine::ResolvedLanguages> first;
  const std::shared_ptr<const engine::ResolvedLanguages> second;
};

class PivotEngine final : public engine::Engine {
 public:
  // The limit on items, of all jobs, that the second engine has not taken yet.
  static constexpr int64_t kMaxItems = 8192;

  // INVALID_ARGUMENT if no target language of `first` is a source language of `second`.
  static absl::StatusOr<std::unique_ptr<PivotEngine>> Create(std::string name,
                                                             const ServedModel& first,
                                                             const ServedModel& second,
                                                             const engine::Clock* clock,
                                                             DeadlineTimer* timer);

  // Describes both models: the end-to-end pairs, the lesser limits, the sum of the parameters.
  const engine::ModelInfo& info() const override { return info_; }
  absl::StatusOr<std::shared_ptr<const engine::ResolvedLanguages>> ResolveLanguages(
      std::string_view source, std::string_view target) const override;
  engine::Admission Submit(engine::TranslationJob job,
                           std::shared_ptr<engine::TranslationSink> sink) override;
  void Cancel(engine::JobId job, engine::CancelCause cause) override;
  void StopAdmission() override { admitting_.store(false); }
  int64_t jobs_in_flight() const override;
  void CancelAll(engine::CancelCause cause) override;
  // Sets only the capacities (those of the first engine) and live_workers (the lesser number). The
  // two engines count the segments.
  engine::EngineStats Stats() const override;
  // Does nothing: the models reload their own.
  absl::Status ReloadGlossaries(engine::LoadContext* /*load*/) override { return absl::OkStatus(); }

 private:
  friend class PivotJob;

  PivotEngine(engine::ModelInfo info, const ServedModel& first, const ServedModel& second,
              const engine::Clock* clock, DeadlineTimer* timer);

  // INVALID_ARGUMENT for options that a pivot refuses.
  absl::Status CheckJob(const engine::TranslationJob& job) const;
  void Forget(engine::JobId job);
  // Releases the capacity of items that the second engine has taken, or that ended before that.
  void Leave(uint64_t client, int64_t items);

  const engine::ModelInfo info_;
  engine::Engine& first_;
  engine::Engine& second_;
  const std::string first_name_;
  const std::string second_name_;
  const engine::Clock* const clock_;
  DeadlineTimer* const timer_;
  std::atomic<bool> admitting_{true};
  std::atomic<engine::JobId> next_job_{1};

  mutable engine::Mutex mu_;
  engine::SharedCapacity items_ ABSL_GUARDED_BY(mu_){kMaxItems};
  std::map<engine::JobId, std::shared_ptr<PivotJob>> jobs_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
