// Declares EngineImpl, which implements Engine: admission, the pools of threads that tokenize and
// detokenize, the request queue and the workers. Private to engine/. The functions of
// engine/api/create_engine.h and create_loaded_engine.h create it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/api/create_engine.h"
#include "engine/api/engine.h"
#include "engine/api/glossary_terms.h"
#include "engine/base/worker_pool.h"
#include "engine/create_loaded_engine.h"
#include "engine/gated_observer.h"
#include "engine/model/layouts/model_source.h"
#include "engine/request/job.h"
#include "engine/request/job_planner.h"
#include "engine/request/model_tokenizer.h"
#include "engine/request/request_resolver.h"
#include "engine/request/text_stage.h"
#include "engine/schedule/ledger.h"
#include "engine/schedule/policy.h"
#include "engine/schedule/request_queue.h"
#include "engine/schedule/worker.h"
#include "engine/sentinel_trial.h"
#include "engine/text/terms/glossaries.h"
#include "engine/worker_places.h"

namespace dragoman::engine {

class EngineImpl final : public Engine, public GlossarySource {
 public:
  static absl::StatusOr<std::unique_ptr<Engine>> Create(
      LoadedModel loaded, std::vector<WorkerPlace> places, const EngineConfig& config,
      const Clock* clock, EngineObserver* observer, LoadContext* load, SentinelTrial trial);
  ~EngineImpl() override;

  const ModelInfo& info() const override { return *info_.load(std::memory_order_acquire); }
  absl::StatusOr<LanguagePair> FindLanguages(std::string_view source,
                                             std::string_view target) const override;
  absl::StatusOr<std::unique_ptr<Plan>> Prepare(TranslationJob job) override;
  Admission Submit(std::unique_ptr<Plan> plan, std::shared_ptr<TranslationSink> sink) override;
  void Cancel(JobId job, CancelCause cause) override;
  int64_t jobs_in_flight() const override;
  void CancelAll(CancelCause cause) override;
  EngineStats Stats() const override;
  absl::Status ReloadGlossaries(LoadContext* load) override;
  std::shared_ptr<const GlossaryTerms> FindGlossary(std::string_view name) const override {
    return glossaries_.Find(name);
  }

 private:
  EngineImpl(LoadedModel loaded, std::vector<WorkerPlace> places, const EngineConfig& config,
             const Clock* clock, EngineObserver* observer);

  absl::Status MakeTokenizer();
  absl::Status StartWorkers();
  void FillInfo();
  // Finds the sentinels that the model copies (engine/sentinel_trial.h). Its translations also warm
  // the model up.
  void TrySentinels();
  int64_t TextBytes() const { return vocabulary_bytes_ + glossary_bytes_.load(); }
  void PublishInfo(ModelInfo info) ABSL_EXCLUSIVE_LOCKS_REQUIRED(info_mu_);

  uint64_t DrawSeed() const;
  // Returns the refusal of a request for which the queue has no room.
  Admission RefuseFull(RejectReason reason) const;

  // Makes the job's segments and queues them. Runs in the tokenizer pool.
  void Tokenize(const std::shared_ptr<Job>& job, const PlannerRequest& request);
  void Abandon(const std::shared_ptr<Job>& job, CancelCause cause);
  void OnWorkerDead();

  const EngineConfig config_;
  const Clock* const clock_;
  GatedObserver gate_;  // forwards to the caller's observer; opens when the engine is ready
  EngineObserver* const observer_;
  LoadedModel loaded_;
  const std::vector<WorkerPlace> places_;
  const int worker_count_;  // the number of workers of all places
  const int64_t parameters_;
  // The last entry of infos_. Older entries stay, because callers may still read them. Each reload
  // that changes the names of the glossaries adds an entry.
  std::atomic<const ModelInfo*> info_{nullptr};
  int max_source_tokens_ = 0;
  // Bytes of host memory. `vocabulary_bytes_` is for vocabularies and tokenizer, `glossary_bytes_`
  // for glossaries. LoadMemory::Keep counted both.
  int64_t vocabulary_bytes_ = 0;
  std::atomic<int64_t> glossary_bytes_{0};

  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<const WordEdgeTable> word_edges_;
  std::unique_ptr<TextStage> text_;
  SentinelStems sentinels_;  // constant after Create
  std::unique_ptr<const RequestResolver> resolver_;
  PlannerFacts planner_;
  Glossaries glossaries_;

  Ledger ledger_;
  RequestQueue queue_;
  const Policy policy_;
  JobServices services_;

  std::atomic<int> live_workers_{0};
  std::atomic<JobId> next_job_{1};

  Mutex info_mu_;
  std::vector<std::unique_ptr<const ModelInfo>> infos_ ABSL_GUARDED_BY(info_mu_);

  mutable Mutex mu_;
  std::unordered_map<JobId, std::shared_ptr<Job>> jobs_ ABSL_GUARDED_BY(mu_);

  // The destructor stops the tokenizers first, then the workers, then the detokenizers.
  std::unique_ptr<WorkerPool> detokenizers_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<size_t> worker_places_;  // for each worker, the index of its place in places_
  std::unique_ptr<WorkerPool> tokenizers_;
};

}  // namespace dragoman::engine
