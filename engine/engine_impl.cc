#include "engine/engine_impl.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/field_error.h"
#include "engine/base/on_cpus.h"
#include "engine/base/out_of_memory.h"
#include "engine/decode/backend.h"
#include "engine/model/layouts/ensemble_source.h"
#include "engine/page_plans.h"
#include "engine/request/model_tokenizer.h"

namespace dragoman::engine {
namespace {

int CountWorkers(const std::vector<WorkerPlace>& places) {
  int workers = 0;
  for (const WorkerPlace& place : places) workers += place.workers;
  return workers;
}

absl::Status CheckCounts(const std::vector<WorkerPlace>& places, const EngineConfig& config) {
  const auto check = [](const char* name, int64_t found, int64_t least) {
    if (found >= least) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("engine: ", name, " is ", found, ", expected at least ", least));
  };
  for (const WorkerPlace& place : places) {
    if (absl::Status status = check("workers", place.workers, 1); !status.ok()) return status;
  }
  for (const absl::Status& status :
       {check("max_rows", config.max_rows, 1),
        check("threads_per_worker", config.threads_per_worker, 1),
        check("max_threads_per_worker", config.max_threads_per_worker, 0),
        check("tokenizer_threads", config.tokenizer_threads, 1),
        check("detokenizer_threads", config.detokenizer_threads, 0),
        check("max_queue_segments", config.max_queue_segments, 1),
        check("max_queue_tokens", config.max_queue_tokens, 1),
        check("encoded_queue_segments", config.encoded_queue_segments, 1),
        check("kv_memory_mb", config.kv_memory_mb, 0)}) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

Admission Refuse(RejectReason reason, absl::Status status, Nanos retry_after = 0) {
  return {std::move(status), reason, retry_after, 0};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(const std::string& model_directory,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer, LoadContext* load) {
  LoadContext own;
  if (load == nullptr) load = &own;
  LimitLoad(config, &load->memory());
  // Refuses unsupported settings before any file is read.
  if (absl::Status status = CheckDevicesTake(config); !status.ok()) return status;
  absl::StatusOr<LoadedModel> loaded = OrOutOfMemory(
      "reading the model in " + model_directory,
      [&] { return LoadFor(model_directory, config.ensemble, config.tokenizer, load); });
  if (!loaded.ok()) return loaded.status();
  if (!config.devices.warning.empty()) loaded->notes.push_back(config.devices.warning);
  absl::StatusOr<std::shared_ptr<const LexicalShortlist>> shortlist =
      OrOutOfMemory("reading the shortlist in " + model_directory,
                    [&] { return ShortlistFor(model_directory, config, &*loaded, load); });
  if (!shortlist.ok()) return shortlist.status();
  loaded->shortlist = *std::move(shortlist);
  const absl::StatusOr<LoadMemory::Hold> packed = CheckWeightsFit(
      ParametersOf(*loaded), HostWeightBytes(config, *loaded), config, &load->memory());
  if (!packed.ok()) return packed.status();
  absl::StatusOr<std::vector<WorkerPlace>> places =
      OrOutOfMemory("packing the weights", [&] { return CreatePlaces(config, &*loaded); });
  if (!places.ok()) return places.status();
  if (absl::Status status = CheckGoesOn(load); !status.ok()) return status;
  return EngineImpl::Create(*std::move(loaded), *std::move(places), config, clock, observer, load,
                            SentinelTrial::kRun);
}

absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(LoadedModel loaded,
                                                     std::vector<WorkerPlace> places,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer,
                                                     SentinelTrial trial) {
  return EngineImpl::Create(std::move(loaded), std::move(places), config, clock, observer, nullptr,
                            trial);
}

absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(LoadedModel loaded,
                                                     std::shared_ptr<const StepModel> model,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer) {
  return CreateEngine(std::move(loaded), {{CreateCpuBackend(std::move(model)), config.workers}},
                      config, clock, observer);
}

absl::StatusOr<std::unique_ptr<Engine>> EngineImpl::Create(
    LoadedModel loaded, std::vector<WorkerPlace> places, const EngineConfig& config,
    const Clock* clock, EngineObserver* observer, LoadContext* load, SentinelTrial trial) {
  if (const absl::Status status = CheckCounts(places, config); !status.ok()) return status;
  if (const absl::Status status = CheckSchedulerOptions(config.scheduler, config.max_rows);
      !status.ok()) {
    return status;
  }
  std::unique_ptr<EngineImpl> engine(
      new EngineImpl(std::move(loaded), std::move(places), config, clock, observer));
  engine->loaded_.weights = nullptr;  // each place has its own packed copy
  absl::Status status =
      OrOutOfMemory("making the tokenizer", [&] { return engine->MakeTokenizer(); });
  const int64_t vocabularies = load == nullptr ? 0 : load->memory().kept();
  engine->vocabulary_bytes_ = vocabularies;
  if (status.ok()) {
    status = OrOutOfMemory("loading the glossaries",
                           [&] { return engine->glossaries_.Load(*engine->tokenizer_, load); });
  }
  if (load != nullptr) engine->glossary_bytes_.store(load->memory().kept() - vocabularies);
  if (status.ok()) status = CheckGoesOn(load);
  if (status.ok()) {
    status = OrOutOfMemory("making the workers, their tables and threads",
                           [&] { return engine->StartWorkers(); });
  }
  if (!status.ok()) return status;
  engine->FillInfo();
  if (trial == SentinelTrial::kRun) engine->TrySentinels();
  engine->gate_.Open();
  return engine;
}

void EngineImpl::TrySentinels() {
  sentinels_ = dragoman::engine::TrySentinels(*this, *tokenizer_);
  ledger_.Reset();
}

EngineImpl::EngineImpl(LoadedModel loaded, std::vector<WorkerPlace> places,
                       const EngineConfig& config, const Clock* clock, EngineObserver* observer)
    : config_(config),
      clock_(clock),
      gate_(observer),
      observer_(&gate_),
      loaded_(std::move(loaded)),
      places_(std::move(places)),
      worker_count_(CountWorkers(places_)),
      parameters_(ParametersOf(loaded_)),
      glossaries_(config.glossary_directory),
      queue_({config.max_queue_segments, config.max_queue_tokens}, clock),
      policy_(config.scheduler) {}

absl::Status EngineImpl::MakeTokenizer() {
  absl::StatusOr<std::unique_ptr<Tokenizer>> tokenizer = dragoman::engine::MakeTokenizer(loaded_);
  if (!tokenizer.ok()) return tokenizer.status();
  tokenizer_ = std::move(*tokenizer);
  max_source_tokens_ = loaded_.tokenizer.max_source_tokens;
  text_ = std::make_unique<TextStage>(tokenizer_.get(), max_source_tokens_);
  resolver_ =
      std::make_unique<RequestResolver>(&loaded_, tokenizer_.get(), &glossaries_, &sentinels_,
                                        config_.default_profile, config_.max_rows);
  word_edges_ = MakeWordEdges(*tokenizer_, loaded_.spec.shape.target_vocab);
  planner_.tokenizer = tokenizer_.get();
  planner_.text = text_.get();
  planner_.start_token = loaded_.spec.tokens.decoder_start;
  planner_.shortlist = loaded_.shortlist.get();
  planner_.word_edges = word_edges_.get();
  return absl::OkStatus();
}

absl::Status EngineImpl::StartWorkers() {
  const ModelSpec& spec = loaded_.spec;
  const BatchConfig batch = BatchConfigOf(spec, config_);
  const absl::StatusOr<std::vector<PagePlan>> plans =
      PlanPagesOfPlaces(places_, spec, max_source_tokens_, batch, TextBytes(), config_);
  if (!plans.ok()) return plans.status();
  // Any worker may get any segment, so the smallest number of self pages is the limit.
  planner_.self_pages =
      std::min_element(plans->begin(), plans->end(), [](const PagePlan& a, const PagePlan& b) {
        return a.self_pages < b.self_pages;
      })->self_pages;

  detokenizers_ = std::make_unique<WorkerPool>("detokenize", config_.detokenizer_threads);
  const SegmentAccounting accounting{&ledger_, observer_};
  services_.source_piece = [this](int32_t id) {
    return std::string(loaded_.source_vocabulary.PieceOf(id));
  };
  services_.target_piece = [this](int32_t id) {
    return std::string(loaded_.TargetVocabulary().PieceOf(id));
  };
  services_.detokenizers = detokenizers_.get();
  services_.clock = clock_;
  services_.accounting = accounting;
  services_.search_again = [this](std::unique_ptr<Segment> segment) {
    std::vector<std::unique_ptr<Segment>> one;
    const RequestQueue::Reservation nothing{.client = segment->client};
    one.push_back(std::move(segment));
    for (std::unique_ptr<Segment>& refused : queue_.Push(nothing, std::move(one))) {
      Fail(std::move(refused), WorkerStoppedError(), services_.accounting);
    }
  };
  services_.on_finished = [this](JobId id) {
    std::shared_ptr<Job> job;  // so that the job is destroyed after the lock is released
    MutexLock lock(&mu_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    job = std::move(found->second);
    jobs_.erase(found);
  };

  WorkerConfig worker;
  worker.batch = batch;
  worker.encoded_segments = config_.encoded_queue_segments;
  worker.window = config_.scheduler.window;
  worker.workers = worker_count_;
  const WorkerShared shared{&queue_, &ledger_, &policy_, clock_, observer_};
  live_workers_.store(worker_count_);
  for (size_t place = 0; place < places_.size(); ++place) {
    worker.pages = (*plans)[place];
    worker.threads = MostThreadsOfWorker(config_, places_[place]);
    for (int i = 0; i < places_[place].workers; ++i) {
      // Makes the worker on its processors, so that its threads stay there and its tables are on
      // their NUMA node.
      absl::StatusOr<std::unique_ptr<Worker>> made = absl::InternalError("not made");
      const std::vector<std::vector<int>>& cpus = places_[place].cpus;
      const absl::Status there =
          OnCpus(cpus.empty() ? std::vector<int>() : cpus[static_cast<size_t>(i)], [&] {
            made =
                Worker::Create(worker, *places_[place].backend, shared, [this] { OnWorkerDead(); });
          });
      if (!there.ok()) return there;
      if (!made.ok()) return made.status();
      workers_.push_back(std::move(*made));
      worker_places_.push_back(place);
    }
  }
  tokenizers_ = std::make_unique<WorkerPool>("tokenize", config_.tokenizer_threads);
  return absl::OkStatus();
}

void EngineImpl::FillInfo() {
  const ModelSpec& spec = loaded_.spec;
  ModelInfo info;
  info.name = config_.model_name.empty() ? loaded_.name : config_.model_name;
  info.family = spec.family;
  for (const DeviceMemory& memory : Stats().memory) {
    absl::StrAppend(&info.device, info.device.empty() ? "" : ",", memory.device);
  }
  info.compute_type = places_.front().backend->info().compute_type;
  for (const ModelLanguagePair& pair : loaded_.languages.Pairs()) {
    info.pairs.push_back({pair.source, pair.target});
  }
  info.source_vocabulary = spec.shape.source_vocab;
  info.target_vocabulary = spec.shape.target_vocab;
  info.parameters = parameters_;
  info.max_source_tokens = max_source_tokens_;
  const absl::StatusOr<SearchSettings> longest = resolver_->DefaultSettings();
  info.max_target_tokens = longest.ok() ? longest->search.max_tokens : 0;
  info.max_rows = config_.max_rows;
  info.max_beam = std::min(kernels::kMaxBeam, config_.max_rows);
  info.decoder_layers = spec.shape.decoder_layers;
  info.decoder_heads = spec.shape.decoder_heads;
  info.default_profile = config_.default_profile;
  info.default_beam = std::min(spec.generation.num_beams, info.max_beam);
  info.glossaries = glossaries_.Names();
  info.notes = loaded_.notes;
  MutexLock lock(&info_mu_);
  PublishInfo(std::move(info));
}

void EngineImpl::PublishInfo(ModelInfo info) {
  infos_.push_back(std::make_unique<const ModelInfo>(std::move(info)));
  info_.store(infos_.back().get(), std::memory_order_release);
}

EngineImpl::~EngineImpl() {
  CancelAll(CancelCause::kDrain);
  tokenizers_.reset();  // runs the tasks that are queued
  queue_.Close();
  workers_.clear();  // drops the remaining segments and joins the threads
  detokenizers_.reset();
}

absl::StatusOr<LanguagePair> EngineImpl::FindLanguages(std::string_view source,
                                                       std::string_view target) const {
  absl::StatusOr<ResolvedPair> pair = loaded_.languages.Resolve(source, target);
  if (!pair.ok()) return pair.status();
  return LanguagePair{std::move(pair->source), std::move(pair->target)};
}

absl::StatusOr<std::unique_ptr<Plan>> EngineImpl::Prepare(TranslationJob job) {
  absl::StatusOr<std::unique_ptr<JobPlan>> plan = resolver_->Prepare(std::move(job));
  if (!plan.ok()) return plan.status();
  JobPlan& made = **plan;
  if (made.settings.search.sampling.enabled && !made.job.decoding.sampling->seed.has_value()) {
    made.settings.search.sampling.seed = DrawSeed();
  }
  return *std::move(plan);
}

Admission EngineImpl::Submit(std::unique_ptr<Plan> plan, std::shared_ptr<TranslationSink> sink) {
  auto& [job, settings, request, size] = static_cast<JobPlan&>(*plan);
  if (live_workers_.load() == 0) {
    return Refuse(RejectReason::kDraining,
                  absl::UnavailableError("every worker of the model has stopped"));
  }
  const Nanos left = job.deadline - clock_->Now();
  if (left <= 0) {
    return Refuse(RejectReason::kDeadline,
                  absl::DeadlineExceededError("the deadline passed before the call was admitted"));
  }
  const uint64_t client = ClientNumber(job.client);
  const Nanos wait = queue_.EstimateWait(client, job.share, job.priority, left);
  if (wait > left) {
    return Refuse(RejectReason::kDeadline,
                  absl::ResourceExhaustedError(absl::StrCat(
                      "the queue is too long for the deadline: about ", wait / 1'000'000,
                      " ms to wait, ", left / 1'000'000, " ms left")),
                  queue_.stats().retry_after);
  }
  RequestQueue::Reservation reservation;
  const RejectReason full =
      queue_.Reserve(client, job.share, size.segments, size.tokens, &reservation);
  if (full != RejectReason::kNone) return RefuseFull(full);

  const JobId id = next_job_.fetch_add(1);
  auto admitted =
      std::make_shared<Job>(id, std::move(job), settings,
                            Languages{request.text.source_language, request.target_language},
                            reservation, std::move(sink), &services_);
  {
    MutexLock lock(&mu_);
    jobs_.emplace(id, admitted);
  }
  // Shared, because a std::function must be copyable.
  auto planned = std::make_shared<const PlannerRequest>(std::move(request));
  tokenizers_->Post([this, admitted, planned] { Tokenize(admitted, *planned); });
  return {absl::OkStatus(), RejectReason::kNone, 0, id};
}

Admission EngineImpl::RefuseFull(RejectReason reason) const {
  const RequestQueue::Stats stats = queue_.stats();
  const std::string in_use =
      absl::StrCat(stats.segments, " of ", stats.capacity.segments, " segments and ", stats.tokens,
                   " of ", stats.capacity.tokens, " source tokens are in use");
  if (reason == RejectReason::kClientShare) {
    return Refuse(
        reason,
        absl::ResourceExhaustedError(absl::StrCat(
            "the client's share of the queue is full, and the rest is kept for others: ", in_use)),
        stats.retry_after);
  }
  return Refuse(reason, absl::ResourceExhaustedError(absl::StrCat("the queue is full: ", in_use)),
                stats.retry_after);
}

uint64_t EngineImpl::DrawSeed() const {
  if (config_.draw_seed) return config_.draw_seed();
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

void EngineImpl::Tokenize(const std::shared_ptr<Job>& job, const PlannerRequest& request) {
  if (job->abandoned().has_value()) {
    queue_.Unreserve(job->reservation());
    return;
  }
  const Nanos begun = clock_->Now();
  std::vector<ItemPlan> plans =
      JobPlanner(&job->request(), &job->settings(), &request, &planner_).Plan();
  int64_t segments = 0;
  int64_t tokens = 0;
  for (const ItemPlan& plan : plans) {
    segments += static_cast<int64_t>(plan.segments.size());
    for (const SegmentPlan& segment : plan.segments) {
      tokens += static_cast<int64_t>(segment.source.size());
    }
  }
  const Nanos took = clock_->Now() - begun;
  observer_->OnStage(Stage::kTokenize, took);
  if (!queue_.FitsCapacity(segments, tokens)) {
    queue_.Unreserve(job->reservation());
    FieldError error;
    error.field = "contents";
    error.found = absl::StrCat(segments, " segments of ", tokens, " source tokens in all");
    error.expected = absl::StrCat("at most ", config_.max_queue_segments, " and ",
                                  config_.max_queue_tokens, ", the capacity of the server's queue");
    job->EndWith(InvalidRequest(std::move(error)));
    return;
  }
  observer_->OnJobTokenized(tokens, job->settings().search.beam);
  std::vector<std::unique_ptr<Segment>> made = job->Begin(std::move(plans), took);
  ledger_.Accept(static_cast<int64_t>(made.size()));
  for (std::unique_ptr<Segment>& refused : queue_.Push(job->reservation(), std::move(made))) {
    Fail(std::move(refused), WorkerStoppedError(), services_.accounting);
  }
}

void EngineImpl::Abandon(const std::shared_ptr<Job>& job, CancelCause cause) {
  if (!job->End(cause)) return;
  for (std::unique_ptr<Segment>& segment : queue_.Remove(job.get())) {
    Drop(std::move(segment), Stage::kQueue, 0, services_.accounting);
  }
  for (const std::unique_ptr<Worker>& worker : workers_) worker->DropEncoded(job.get());
}

void EngineImpl::Cancel(JobId id, CancelCause cause) {
  std::shared_ptr<Job> job;
  {
    MutexLock lock(&mu_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    job = found->second;
  }
  Abandon(job, cause);
}

void EngineImpl::CancelAll(CancelCause cause) {
  std::vector<std::shared_ptr<Job>> jobs;
  {
    MutexLock lock(&mu_);
    for (const auto& [id, job] : jobs_) jobs.push_back(job);
  }
  for (const std::shared_ptr<Job>& job : jobs) Abandon(job, cause);
}

absl::Status EngineImpl::ReloadGlossaries(LoadContext* load) {
  const absl::Status loaded =
      OrOutOfMemory("loading the glossaries", [&] { return glossaries_.Load(*tokenizer_, load); });
  if (!loaded.ok()) return loaded;
  if (load != nullptr) glossary_bytes_.store(load->memory().kept());
  // The lock covers both the reading and the publishing of the names, so that two reloads publish
  // their names in order.
  MutexLock lock(&info_mu_);
  std::vector<std::string> names = glossaries_.Names();
  if (names == infos_.back()->glossaries) return absl::OkStatus();
  ModelInfo info = *infos_.back();
  info.glossaries = std::move(names);
  PublishInfo(std::move(info));
  return absl::OkStatus();
}

void EngineImpl::OnWorkerDead() {
  if (live_workers_.fetch_sub(1) != 1) return;
  queue_.Close();
  for (std::unique_ptr<Segment>& segment : queue_.Remove(nullptr)) {
    Fail(std::move(segment), WorkerStoppedError(), services_.accounting);
  }
}

int64_t EngineImpl::jobs_in_flight() const {
  MutexLock lock(&mu_);
  return static_cast<int64_t>(jobs_.size());
}

EngineStats EngineImpl::Stats() const {
  EngineStats stats;
  stats.segments = ledger_.Snapshot();
  {
    MutexLock lock(&mu_);
    for (const auto& [id, job] : jobs_)
      ++(job->running() ? stats.requests_running : stats.requests_waiting);
  }
  const RequestQueue::Stats queue = queue_.stats();
  stats.queue_segments = queue.segments;
  stats.queue_tokens = queue.tokens;
  stats.queue_segment_capacity = queue.capacity.segments;
  stats.queue_token_capacity = queue.capacity.tokens;
  stats.queue_oldest_age = queue.oldest_age;
  const Nanos now = clock_->Now();
  Nanos furthest_behind = now;
  int64_t self = 0, self_used = 0;
  int64_t cross = 0, cross_used = 0;
  // The index in stats.memory of each place's device. All NUMA nodes of the host are one device.
  std::vector<size_t> device_of;
  for (const WorkerPlace& place : places_) {
    const BackendInfo& info = place.backend->info();
    size_t device = 0;
    while (device < stats.memory.size() && stats.memory[device].device != info.device) ++device;
    if (device == stats.memory.size()) stats.memory.push_back({info.device, info.device_name});
    stats.memory[device].weights += info.weight_bytes;
    device_of.push_back(device);
  }
  for (size_t i = 0; i < workers_.size(); ++i) {
    const Worker::Stats w = workers_[i]->stats();
    DeviceMemory& memory = stats.memory[device_of[worker_places_[i]]];
    memory.kv += w.kv_bytes;
    memory.workspace += w.workspace_bytes;
    memory.kv_resident += w.kv_resident_bytes;
    stats.encoded_segments += w.encoded.segments;
    stats.encoded_tokens += w.encoded.tokens;
    stats.encoded_segment_capacity += w.encoded.capacity;
    stats.encoded_oldest_age = std::max(stats.encoded_oldest_age, w.encoded.oldest_age);
    stats.rows += w.decode.rows;
    stats.row_capacity += w.decode.row_capacity;
    stats.last_step = std::max(stats.last_step, w.decode.last_step);
    if (w.decode.busy) furthest_behind = std::min(furthest_behind, w.decode.last_step);
    stats.stalled = stats.stalled || (w.decode.busy && now - w.decode.last_step > config_.watchdog);
    self += w.self_pages;
    self_used += w.decode.self_pages_used;
    cross += w.cross_pages;
    cross_used += w.cross_pages_used;
  }
  for (DeviceMemory& memory : stats.memory) {
    if (memory.device == "cpu") memory.workspace += TextBytes();
  }
  if (furthest_behind < now) stats.last_step = furthest_behind;
  stats.kv_self_usage = static_cast<double>(self_used) / static_cast<double>(self);
  stats.kv_cross_usage = static_cast<double>(cross_used) / static_cast<double>(cross);
  stats.detokenize_backlog = detokenizers_->backlog();
  stats.live_workers = live_workers_.load();
  return stats;
}

}  // namespace dragoman::engine
