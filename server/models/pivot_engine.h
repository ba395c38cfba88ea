// Two engines as one: the first translates a text into a language between, the second translates
// that.
//
// An item goes on as soon as the first engine is done with it; those that are done at the same time
// go on together. A job is admitted by the first engine. Where the second one's queue is full, its
// items wait and try again, so that what was admitted is answered here too. How many items may be
// on their way to the second engine is bounded, and clients share that capacity as they share a
// queue's: a client whose items wait keeps no other's from being admitted.
//
// Options of the search (beam, penalties, profile, sampling, lengths by ratio) hold for both.
// Options about the text of the translation or its length in tokens hold for the second:
// alternatives, target prefixes, required and forbidden phrases, max_ and min_output_tokens; tokens
// are the source's of the first and the target's of the second. do_not_translate holds for both.
// Refused, because they have no meaning across two models: terms and glossaries (a term's target
// would have to be known in the language between), alignment and the choice of attention for it.
//
// Thread-safe, like Engine. Both models and the timer are borrowed. The second engine is called
// from the timer's thread, because a sink may not submit.
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

// The languages of a job over a language between.
class PivotLanguages final : public engine::ResolvedLanguages {
 public:
  PivotLanguages(std::string language, std::shared_ptr<const engine::ResolvedLanguages> of_first,
                 std::shared_ptr<const engine::ResolvedLanguages> of_second)
      : between(std::move(language)), first(std::move(of_first)), second(std::move(of_second)) {}

  const std::string between;
  // The two languages of each engine, as that engine has resolved them.
  const std::shared_ptr<const engine::ResolvedLanguages> first;
  const std::shared_ptr<const engine::ResolvedLanguages> second;
};

class PivotEngine final : public engine::Engine {
 public:
  // Items of all jobs that the second engine has not taken yet.
  static constexpr int64_t kMaxItems = 8192;

  // INVALID_ARGUMENT: no target language of `first` is a source language of `second`.
  static absl::StatusOr<std::unique_ptr<PivotEngine>> Create(std::string name,
                                                             const ServedModel& first,
                                                             const ServedModel& second,
                                                             const engine::Clock* clock,
                                                             DeadlineTimer* timer);

  // Describes both: the pairs from end to end, the lesser of each limit, the sum of the parameters.
  const engine::ModelInfo& info() const override { return info_; }
  absl::StatusOr<std::shared_ptr<const engine::ResolvedLanguages>> ResolveLanguages(
      std::string_view source, std::string_view target) const override;
  engine::Admission Submit(engine::TranslationJob job,
                           std::shared_ptr<engine::TranslationSink> sink) override;
  void Cancel(engine::JobId job, engine::CancelCause cause) override;
  void StopAdmission() override { admitting_.store(false); }
  int64_t jobs_in_flight() const override;
  void CancelAll(engine::CancelCause cause) override;
  // Counts only jobs of its own: the segments are those of the two engines. Capacities are the
  // first's, live workers the lesser number.
  engine::EngineStats Stats() const override;
  // Does nothing: the two models reload theirs.
  absl::Status ReloadGlossaries(engine::LoadContext* /*load*/) override { return absl::OkStatus(); }

 private:
  friend class PivotJob;

  PivotEngine(engine::ModelInfo info, const ServedModel& first, const ServedModel& second,
              const engine::Clock* clock, DeadlineTimer* timer);

  // INVALID_ARGUMENT for options that cannot go over a language between.
  absl::Status CheckJob(const engine::TranslationJob& job) const;
  void Forget(engine::JobId job);
  // Gives back the capacity of items that the second engine has taken, or that ended before that.
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
