#include "server/models/joint_job.h"

#include <algorithm>
#include <utility>

namespace dragoman::server {

// The sink of one part, whose items have different numbers in the engine's job.
class JointJob::PartSink final : public engine::TranslationSink {
 public:
  PartSink(std::shared_ptr<JointJob> job, size_t part) : job_(std::move(job)), part_(part) {}

  void OnSegment(engine::SegmentUpdate update) override {
    update.item = ItemOf(update.item);
    job_->Tell(
        [update = std::move(update)](engine::TranslationSink* sink) { sink->OnSegment(update); });
  }
  void OnItem(engine::ItemResult result) override {
    result.index = ItemOf(result.index);
    job_->Tell(
        [result = std::move(result)](engine::TranslationSink* sink) { sink->OnItem(result); });
  }
  void OnDone(const absl::Status& status, const engine::JobTimings& timings) override {
    job_->OnPartDone(part_, status, timings);
  }

 private:
  int ItemOf(int item) const { return job_->parts_[part_].items[static_cast<size_t>(item)]; }

  const std::shared_ptr<JointJob> job_;
  const size_t part_;
};

JointJob::JointJob(const engine::Clock* clock, std::vector<JobPart> parts,
                   std::vector<engine::ItemResult> done,
                   std::shared_ptr<engine::TranslationSink> sink)
    : clock_(clock),
      begun_(clock->Now()),
      parts_(std::move(parts)),
      done_(std::move(done)),
      queue_(std::move(sink), /*held=*/true),
      states_(parts_.size()) {}

engine::Admission JointJob::Start() {
  for (size_t i = 0; i < parts_.size(); ++i) {
    engine::Admission admission = parts_[i].model->engine->Submit(
        std::move(parts_[i].job), std::make_shared<PartSink>(shared_from_this(), i));
    if (!admission.status.ok()) {
      {
        engine::MutexLock lock(&mu_);
        states_[i].over = true;
      }
      queue_.LetGo();
      Stop(admission.status, CauseOf(admission.status));
      return admission;
    }
    std::optional<engine::CancelCause> cause;
    {
      engine::MutexLock lock(&mu_);
      states_[i].job = admission.job;
      if (stopped_.has_value()) cause = cause_;
    }
    // An earlier part has already ended with an error.
    if (cause.has_value()) parts_[i].model->engine->Cancel(admission.job, *cause);
  }
  for (engine::ItemResult& result : done_) {
    Tell([result = std::move(result)](engine::TranslationSink* sink) { sink->OnItem(result); });
  }
  done_.clear();
  {
    engine::MutexLock lock(&mu_);
    started_ = true;
  }
  queue_.Open();
  FinishIfOver();
  return engine::Admission{};
}

void JointJob::Cancel(engine::CancelCause cause) { Stop(StatusOf(cause), cause); }

void JointJob::Stop(absl::Status status, engine::CancelCause cause) {
  std::vector<std::pair<size_t, engine::JobId>> running;
  {
    engine::MutexLock lock(&mu_);
    if (finished_ || stopped_.has_value()) return;
    stopped_ = std::move(status);
    cause_ = cause;
    for (size_t i = 0; i < states_.size(); ++i) {
      if (!states_[i].over && states_[i].job.has_value()) running.emplace_back(i, *states_[i].job);
    }
  }
  for (const auto& [part, job] : running) parts_[part].model->engine->Cancel(job, cause);
  FinishIfOver();
}

void JointJob::OnPartDone(size_t part, const absl::Status& status,
                          const engine::JobTimings& timings) {
  {
    engine::MutexLock lock(&mu_);
    states_[part].over = true;
    AddTimings(timings, &parts_[part].items, &timings_);
  }
  if (!status.ok()) Stop(status, CauseOf(status));
  FinishIfOver();
}

void JointJob::FinishIfOver() {
  absl::Status status;
  engine::JobTimings timings;
  {
    engine::MutexLock lock(&mu_);
    if (finished_ || !started_) return;
    if (!std::all_of(states_.begin(), states_.end(), [](const Part& part) { return part.over; })) {
      return;
    }
    finished_ = true;
    if (stopped_.has_value()) status = *stopped_;
    timings_.total = clock_->Now() - begun_;
    timings = timings_;
  }
  Tell([this, status, timings](engine::TranslationSink* sink) {
    sink->OnDone(status, timings);
    queue_.LetGo();
  });
}

void JointJob::Tell(SinkQueue::Call call) {
  const std::shared_ptr<JointJob> self = shared_from_this();  // the call may release the others
  queue_.Tell(std::move(call));
}

}  // namespace dragoman::server
