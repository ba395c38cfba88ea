#include "engine/profile/cuda_profile.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_planner.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/cuda_step.h"
#include "engine/decode/cuda/step_costs.h"
#include "engine/decode/cuda/step_mailboxes.h"
#include "engine/profile/profile_steps.h"
#include "kernels/base/kv_pages.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/graph.h"
#include "kernels/cuda/stream.h"
#include "kernels/search/options.h"
#include "kernels/search/plan.h"
#include "kernels/search/rules_image.h"

namespace dragoman::engine {
namespace {

// Before each timed step, the device fills this much memory kDelays times. The device is then still
// busy while the host enqueues the step's launches. So no measured time includes a wait for the
// host. At 4 TB/s the fills take more than a millisecond.
constexpr int64_t kDelayBytes = int64_t{256} << 20;
constexpr int kDelays = 20;

// The number of steps right before the timed steps. The first one uploads the graph to the device.
constexpr int kStepsToWarmUp = 2;

// Records an event before and after each launch of a step, and adds up the times between them.
class TimingProbe final : public StepProbe {
 public:
  explicit TimingProbe(cuda::Stream stream) : stream_(stream) {}

  cuda::Error Before(const char* op) override {
    if (used_ == marks_.size()) {
      Mark mark;
      cuda::Error error = mark.begin.Create(cuda::Event::Timing::kOn);
      if (error == cuda::Error::kNone) error = mark.end.Create(cuda::Event::Timing::kOn);
      if (error != cuda::Error::kNone) return error;
      marks_.push_back(std::move(mark));
    }
    marks_[used_].op = op;
    return marks_[used_].begin.Record(stream_);
  }

  cuda::Error After() override { return marks_[used_++].end.Record(stream_); }

  // Adds the times of the last step to the sums. REQUIRES: the step has ended.
  cuda::Error Collect() {
    for (size_t i = 0; i < used_; ++i) {
      float milliseconds = 0;
      const cuda::Error error = marks_[i].end.MillisecondsSince(marks_[i].begin, &milliseconds);
      if (error != cuda::Error::kNone) return error;
      seconds_[marks_[i].op] += milliseconds / 1e3;
    }
    used_ = 0;
    return cuda::Error::kNone;
  }

  // Returns the total time of the launches with this name, in seconds.
  double seconds(std::string_view op) const {
    const auto found = seconds_.find(op);
    return found == seconds_.end() ? 0 : found->second;
  }

 private:
  struct Mark {
    const char* op = "";
    cuda::Event begin;
    cuda::Event end;
  };
  const cuda::Stream stream_;
  std::vector<Mark> marks_;
  size_t used_ = 0;
  std::map<std::string_view, double> seconds_;
};

int SlotsOf(int max_rows) { return std::max(1, max_rows / kProfiledBeam); }

// Limits the number of pages to what the segments of the profile and one further segment need. With
// fewer pages, the page rule (kernels/search/plan.h) would have one thread look at the slots one by
// one. With all memory of the card, a profiler that saves the memory around each kernel would take
// too long.
MemoryPlan WithFewPages(MemoryPlan plan, int steps) {
  const int max_rows = plan.limits.max_rows;
  const int64_t slots = SlotsOf(max_rows);
  const kernels::SearchOptions search = ProfiledSearch(std::min(kProfiledBeam, max_rows), steps);
  const int64_t self = (slots + 1) * kernels::WorstCasePages(search.beam, search.max_tokens);
  const int64_t cross = slots * kernels::KvLayout::PagesFor(kProfiledSourceTokens);
  plan.pages.self_pages = static_cast<int32_t>(std::min<int64_t>(plan.pages.self_pages, self));
  plan.pages.cross_pages = static_cast<int32_t>(std::min<int64_t>(plan.pages.cross_pages, cross));
  plan.limits.self_pages = plan.pages.self_pages;
  return plan;
}

class StepProfile {
 public:
  // Segments have room for `more_steps` in addition to the timed steps.
  StepProfile(std::shared_ptr<const CudaModel> model, const MemoryPlan& plan, int steps,
              int more_steps = 0)
      : model_(std::move(model)),
        plan_(WithFewPages(plan, steps + more_steps)),
        steps_(steps),
        more_steps_(more_steps) {}

  absl::StatusOr<std::string> Run(const DeviceRates& rates);
  // REQUIRES: more_steps is at least kStepsToWarmUp.
  absl::StatusOr<CudaStepTime> Time();

 private:
  absl::Status Prepare();
  void Admit();
  absl::Status Step(StepProbe* probe);
  absl::Status Check(const char* doing, cuda::Error error) const {
    return CudaStatus(model_->device(), doing, error);
  }
  int slots() const { return SlotsOf(plan_.limits.max_rows); }
  int beam() const { return std::min(kProfiledBeam, plan_.limits.max_rows); }
  StepVariant Variant() const { return {plan_.limits.max_rows, beam()}; }
  const kernels::StepOutput& LastOutput() const {
    return *mailboxes_.host(static_cast<int>((number_ - 1) % kernels::kStepMailboxes)).output;
  }
  // Enqueues `steps` steps on the stream. Each step is one launch of `graph`, or single launches of
  // its kernels if `graph` is nullptr. All steps read the same command.
  absl::Status Enqueue(const cuda::Graph* graph, int steps);
  absl::StatusOr<int64_t> GraphNodes() const;

  const std::shared_ptr<const CudaModel> model_;
  const MemoryPlan plan_;
  const int steps_;
  const int more_steps_;
  cuda::DeviceBuffer pool_;
  cuda::DeviceBuffer delay_;
  StepMailboxes mailboxes_;
  std::unique_ptr<CudaStep> step_;
  int64_t number_ = 0;
  cuda::OwnedStream stream_;
};

absl::Status StepProfile::Prepare() {
  const int device = model_->device();
  const int64_t page =
      model_->program().kv.ElementsPerPage() * kernels::ElementBytes(model_->type());
  const int64_t pages = int64_t{plan_.pages.self_pages} + plan_.pages.cross_pages;
  cuda::Error error = stream_.Create(cuda::StreamPriority::kHigh);
  if (error == cuda::Error::kNone) error = pool_.Allocate(pages * page);
  if (error == cuda::Error::kNone) {
    error = cuda::Fill(stream_.get(), pool_.data(), 0, pages * page);
  }
  if (error != cuda::Error::kNone) return CudaMemoryStatus(device, "K/V", pages * page, error);
  if (absl::Status status = mailboxes_.Allocate(device, plan_.limits); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<CudaStep>> step =
      CudaStep::Create(model_, plan_.limits, pool_.data(), mailboxes_.device());
  if (!step.ok()) return step.status();
  step_ = std::move(*step);
  error = step_->Format(stream_.get());
  if (error == cuda::Error::kNone) error = stream_.Wait();
  return Check("making the batch's tables", error);
}

// Puts a segment into every slot.
void StepProfile::Admit() {
  const kernels::StepMailbox& mailbox = mailboxes_.host(0);
  const kernels::SearchOptions options = ProfiledSearch(beam(), steps_ + more_steps_);
  const std::vector<float> divisors(static_cast<size_t>(options.max_tokens) + 2, 1.0F);
  kernels::SegmentRules rules;
  rules.divisor = divisors.data();
  const auto rules_words =
      static_cast<int32_t>(kernels::RulesImageWords(rules, options.max_tokens));
  const auto pages = static_cast<int32_t>(kernels::KvLayout::PagesFor(kProfiledSourceTokens));

  int32_t words = 0;
  for (int slot = 0; slot < slots(); ++slot) {
    kernels::AdmitCommand& admit = mailbox.admissions[slot];
    admit = kernels::AdmitCommand{};
    admit.slot = slot;
    admit.source_length = kProfiledSourceTokens;
    admit.cross_pages = pages;
    admit.words_begin = words;
    admit.rules_begin = slot * rules_words;
    admit.rules_words = rules_words;
    admit.options = options;
    for (int lane = 0; lane < beam(); ++lane) {
      mailbox.command_words[words++] = slot * beam() + lane;
    }
    for (int32_t i = 0; i < pages; ++i) {
      mailbox.command_words[words++] =
          plan_.pages.self_pages + (slot * pages + i) % plan_.pages.cross_pages;
    }
    kernels::WriteRulesImage(rules, options.max_tokens, mailbox.command_words + words);
    words += rules_words;
  }
  mailbox.command->admissions = slots();
}

absl::Status StepProfile::Step(StepProbe* probe) {
  const kernels::StepMailbox& mailbox =
      mailboxes_.host(static_cast<int>(number_ % kernels::kStepMailboxes));
  *mailbox.command = kernels::StepCommand{};
  mailbox.command->max_rows = plan_.limits.max_rows;
  if (number_ == 0) Admit();
  const CudaStep::Fault fault = step_->Launch(stream_.get(), Variant(), probe);
  if (fault.error != cuda::Error::kNone) return Check(fault.op, fault.error);
  ++number_;
  return Check("a decoding step", stream_.Wait());
}

// Records the CUDA graph of a step, without running it, and returns the number of its nodes.
absl::StatusOr<int64_t> StepProfile::GraphNodes() const {
  cuda::Graph graph;
  const cuda::Error error =
      graph.Record(stream_.get(), [&] { return step_->Launch(stream_.get(), Variant()).error; });
  if (error != cuda::Error::kNone) return Check("recording a step", error);
  return graph.nodes();
}

absl::StatusOr<std::string> StepProfile::Run(const DeviceRates& rates) {
  if (absl::Status status = Prepare(); !status.ok()) return status;
  if (const cuda::Error error = delay_.Allocate(kDelayBytes); error != cuda::Error::kNone) {
    return CudaMemoryStatus(model_->device(), "what delays a step", kDelayBytes, error);
  }
  TimingProbe probe(stream_.get());
  int64_t rows = 0;
  int64_t positions = 0;
  for (int i = 0; i < kStepsBeforeProfile + steps_; ++i) {
    const bool timed = i >= kStepsBeforeProfile;
    for (int k = 0; timed && k < kDelays; ++k) {
      const cuda::Error error = cuda::Fill(stream_.get(), delay_.data(), 0, kDelayBytes);
      if (error != cuda::Error::kNone) return Check("delaying a step", error);
    }
    if (absl::Status status = Step(timed ? &probe : nullptr); !status.ok()) return status;
    if (!timed) continue;
    if (const cuda::Error error = probe.Collect(); error != cuda::Error::kNone) {
      return Check("reading the times", error);
    }
    rows += LastOutput().rows;
    positions += i + 1;
  }
  StepWork work;
  work.program = &model_->program();
  work.type = model_->type();
  work.rows = rows / steps_;
  work.slots = slots();
  work.self_positions = static_cast<double>(positions) / steps_;
  work.source_positions = kProfiledSourceTokens;
  work.fused_rows = model_->fused() != nullptr ? work.rows : 0;
  work.materialized_rows = model_->fused() != nullptr ? 0 : work.rows;
  std::vector<double> seconds;
  for (const StepCost& cost : CostsOf(work)) seconds.push_back(probe.seconds(cost.name) / steps_);
  const absl::StatusOr<int64_t> nodes = GraphNodes();
  if (!nodes.ok()) return nodes.status();
  return absl::StrCat(CostTable(work, rates, seconds), *nodes, " nodes in the graph of a step\n",
                      model_->fused() != nullptr
                          ? ""
                          : absl::StrCat("no fused output layer: ", model_->why_not_fused(), "\n"));
}

absl::Status StepProfile::Enqueue(const cuda::Graph* graph, int steps) {
  for (int i = 0; i < steps; ++i, ++number_) {
    CudaStep::Fault fault;
    if (graph != nullptr) {
      fault = {graph->Launch(stream_.get()), "a graph"};
    } else {
      fault = step_->Launch(stream_.get(), Variant());
    }
    if (fault.error != cuda::Error::kNone) return Check(fault.op, fault.error);
  }
  return absl::OkStatus();
}

absl::StatusOr<CudaStepTime> StepProfile::Time() {
  if (absl::Status status = Prepare(); !status.ok()) return status;
  for (int i = 0; i < kStepsBeforeProfile; ++i) {
    if (absl::Status status = Step(nullptr); !status.ok()) return status;
  }
  CudaStepTime time;
  cuda::Graph graph;
  if (model_->options().graphs) {
    const cuda::Error error =
        graph.Record(stream_.get(), [&] { return step_->Launch(stream_.get(), Variant()).error; });
    if (error != cuda::Error::kNone) return Check("recording a step", error);
    time.nodes = graph.nodes();
  }
  for (int i = 0; i < kernels::kStepMailboxes; ++i) {
    *mailboxes_.host(i).command = kernels::StepCommand{};
    mailboxes_.host(i).command->max_rows = plan_.limits.max_rows;
  }
  cuda::Event begin;
  cuda::Event end;
  const cuda::Graph* const recorded = model_->options().graphs ? &graph : nullptr;
  absl::Status status = Check("timing", begin.Create(cuda::Event::Timing::kOn));
  if (status.ok()) status = Check("timing", end.Create(cuda::Event::Timing::kOn));
  if (status.ok()) status = Enqueue(recorded, kStepsToWarmUp);
  if (status.ok()) status = Check("timing", begin.Record(stream_.get()));
  if (status.ok()) status = Enqueue(recorded, steps_);
  if (status.ok()) status = Check("timing", end.Record(stream_.get()));
  // Waits for the steps. Their errors are reported here.
  if (status.ok()) status = Check("a decoding step", stream_.Wait());
  float milliseconds = 0;
  if (status.ok()) status = Check("reading the times", end.MillisecondsSince(begin, &milliseconds));
  if (!status.ok()) return status;
  const kernels::StepOutput& last = LastOutput();
  if (last.step != number_ - 1 || last.rows != slots() * beam()) {
    return absl::InternalError(absl::StrCat("timed steps: found step ", last.step, " of ",
                                            last.rows, " rows, expected step ", number_ - 1, " of ",
                                            slots() * beam()));
  }
  time.seconds = milliseconds / 1e3 / steps_;
  time.rows = last.rows;
  time.self_positions = kStepsBeforeProfile + kStepsToWarmUp + (steps_ + 1) / 2.0;
  time.fused = model_->fused() != nullptr;
  return time;
}

// A model on a device and the plan of its memory. `text` is printed above the table of the profile.
struct ProfiledModel {
  std::shared_ptr<const CudaModel> model;
  MemoryPlan plan;
  std::string text;
};

absl::StatusOr<ProfiledModel> LoadProfiled(const CudaBackendConfig& config, const Program& program,
                                           const WeightImage& image) {
  absl::StatusOr<CudaPlanner> planner = CudaPlanner::Create(config, program, image);
  if (!planner.ok()) return planner.status();
  absl::StatusOr<std::shared_ptr<const CudaModel>> model = planner->LoadModel(image);
  if (!model.ok()) return model.status();
  const auto longest = static_cast<int32_t>(kernels::KvLayout::PagesFor(kProfiledSourceTokens));
  const absl::StatusOr<MemoryPlan> plan = planner->Plan(0, longest);
  if (!plan.ok()) return plan.status();
  return ProfiledModel{*std::move(model), *plan,
                       absl::StrCat(planner->device_name(), ", ", MemoryText(*plan), "\n")};
}

absl::Status SelectDevice(int device) {
  return CudaStatus(device, "selecting the device", cuda::SetDevice(device));
}

}  // namespace

absl::StatusOr<std::string> ProfileCudaSteps(const CudaBackendConfig& config,
                                             const Program& program, const WeightImage& image,
                                             int steps) {
  absl::Status status = CheckProfile(config.batch, program, steps);
  if (status.ok()) status = SelectDevice(config.device);
  if (!status.ok()) return status;
  const absl::StatusOr<DeviceRates> rates = MeasureRates(config.device, image.type);
  if (!rates.ok()) return rates.status();
  absl::StatusOr<ProfiledModel> loaded = LoadProfiled(config, program, image);
  if (!loaded.ok()) return loaded.status();
  absl::StatusOr<std::string> table =
      StepProfile(std::move(loaded->model), loaded->plan, steps).Run(*rates);
  if (!table.ok()) return table.status();
  return absl::StrCat(loaded->text, *table);
}

absl::StatusOr<CudaStepTime> TimeCudaSteps(const CudaBackendConfig& config, const Program& program,
                                           const WeightImage& image, int steps) {
  absl::Status status = CheckProfile(config.batch, program, steps + kStepsToWarmUp);
  if (status.ok()) status = SelectDevice(config.device);
  if (!status.ok()) return status;
  absl::StatusOr<ProfiledModel> loaded = LoadProfiled(config, program, image);
  if (!loaded.ok()) return loaded.status();
  StepProfile profile(std::move(loaded->model), loaded->plan, steps, kStepsToWarmUp);
  return profile.Time();
}

}  // namespace dragoman::engine
