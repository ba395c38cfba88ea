#include "tests/engine/support/host_step_device.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/decode/device_batch.h"
#include "kernels/search/batch_step.h"

namespace dragoman::testing {
namespace {

kernels::BatchLimits WithOptions(kernels::BatchLimits limits, const HostDeviceOptions& options) {
  limits.workspaces = 1;
  limits.materialized_workspaces = 1;
  limits.rules_words += options.rules_words;
  return limits;
}

}  // namespace

HostStepDevice::HostStepDevice(const kernels::BatchLimits& limits, engine::KvMemory* memory,
                               std::unique_ptr<engine::Decoder> decoder,
                               const HostDeviceOptions& options)
    : options_(options),
      memory_(memory),
      decoder_(std::move(decoder)),
      buckets_(options.buckets),
      bytes_(kernels::CarveBatch(WithOptions(limits, options), nullptr, &tables_)),
      block_(::operator new(static_cast<size_t>(bytes_), std::align_val_t(256))),
      check_(WithOptions(limits, options)),
      logits_(static_cast<size_t>(int64_t{limits.materialized_rows} * limits.vocabulary)),
      aligned_(static_cast<size_t>(limits.max_rows)),
      order_(static_cast<size_t>(limits.max_rows)),
      random_(options.seed) {
  buckets_.push_back(limits.max_rows);
  kernels::CarveBatch(WithOptions(limits, options), block_.get(), &tables_);
  MakeMailboxes();
  launches_.reserve(1 << 16);  // so that enqueuing does not allocate
  thread_ = std::thread([this] { Run(); });
}

void HostStepDevice::MakeMailboxes() {
  const engine::DeviceNeeds needs = engine::NeedsOf(limits());
  for (MailboxMemory& memory : mailboxes_) {
    memory.Allocate(limits().max_rows,
                    static_cast<size_t>(needs.command_words + options_.command_words),
                    static_cast<size_t>(needs.output_words + options_.output_words));
  }
}

HostStepDevice::~HostStepDevice() {
  {
    engine::MutexLock lock(&mu_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
  if (options_.totals == nullptr) return;
  const kernels::BatchScalars& now = *tables_.now;
  options_.totals->pages_left += limits().self_pages - now.pages.free_count;
  for (int32_t i = 0; i < limits().max_rows; ++i) {
    if (tables_.extras[i].occupied) ++options_.totals->slots_left;
  }
  ++options_.totals->gone;
}

absl::Status HostStepDevice::Enqueue(const Launch& launch) {
  engine::MutexLock lock(&mu_);
  const auto number = static_cast<int64_t>(launches_.size());
  if (number == options_.refuses) {
    while (through_ < number) changed_.Wait(&mu_);
    return absl::InternalError("a step cannot be enqueued");
  }
  launches_.push_back(launch);
  last_of_mailbox_[launch.mailbox] = number;
  changed_.NotifyAll();
  return absl::OkStatus();
}

absl::Status HostStepDevice::Wait(int mailbox) {
  engine::MutexLock lock(&mu_);
  const int64_t step = last_of_mailbox_[mailbox];
  while (through_ <= step) changed_.Wait(&mu_);
  return step < failed_ ? absl::OkStatus() : status_;
}

void HostStepDevice::Run() {
  kernels::FormatBatch(kernels::SingleThread(), tables_);
  bool failed = false;
  for (;;) {
    Launch launch;
    {
      engine::MutexLock lock(&mu_);
      const auto next = static_cast<size_t>(through_);
      while (next == launches_.size() && !stopping_) changed_.Wait(&mu_);
      if (next == launches_.size()) return;
      launch = launches_[next];
    }
    absl::Status status;
    if (!failed) {
      if (options_.gate != nullptr) options_.gate->Pass();
      status = RunStep(launch);
    }
    engine::MutexLock lock(&mu_);
    if (!status.ok()) {
      failed = true;
      failed_ = through_;
      status_ = status;
    }
    ++through_;
    changed_.NotifyAll();
  }
}

absl::Status HostStepDevice::RunStep(const Launch& launch) {
  const kernels::StepMailbox& mailbox = mailboxes_[launch.mailbox].mailbox;
  kernels::BatchScalars& now = *tables_.now;
  if (now.step == options_.fails_at) return absl::InternalError("device lost");
  if (absl::Status status = check_.Check(tables_, mailbox, launch); !status.ok()) return status;
  kernels::BeginStep(kernels::SingleThread(), tables_, mailbox);
  if (absl::Status status = Prepare(launch); !status.ok()) return status;
  if (absl::Status status = RunModel(); !status.ok()) return status;
  Decide(mailbox);
  if (options_.totals != nullptr) {
    ++options_.totals->steps;
    options_.totals->undelivered += mailbox.output->undelivered;
    options_.totals->waiting += mailbox.output->waiting;
  }
  return absl::OkStatus();
}

absl::Status HostStepDevice::Prepare(const Launch& launch) {
  kernels::BatchScalars& now = *tables_.now;
  if (now.plan.rows > launch.bucket) return absl::InternalError("more rows than the bucket has");
  align_.clear();
  int32_t materialized = 0;
  for (int32_t row = 0; row < now.plan.rows; ++row) {
    kernels::PrepareStepRow(tables_, row);
    const kernels::SearchOptions& o = tables_.states[tables_.row_slot[row]].options;
    if (o.align && !launch.align) return absl::InternalError("nobody announced alignments");
    if (o.align) align_.push_back({row, o.alignment_layer, o.alignment_heads});
    if (IsMaterialized(o)) {
      ++materialized;
    } else if (tables_.requests[row].k > launch.max_k) {
      return absl::InternalError("a row asks for more candidates than were announced");
    }
  }
  if (materialized > 0 && !launch.materialized)
    return absl::InternalError("nobody announced materialized rows");
  if (materialized > limits().materialized_rows)
    return absl::InternalError("too many materialized rows");
  kernels::ListMaterializedRows(
      kernels::SingleThread(), tables_,
      [this](const kernels::SearchOptions& o) { return IsMaterialized(o); });
  for (int32_t i = 0; i < now.materialized_count; ++i) {
    kernels::LogitRequest& request = tables_.requests[tables_.materialized_rows[i]];
    if (request.logits != nullptr) {
      request.logits = logits_.data() + int64_t{i} * limits().vocabulary;
    }
  }
  return absl::OkStatus();
}

absl::Status HostStepDevice::RunModel() {
  const kernels::BatchTables& t = tables_;
  if (t.now->plan.rows == 0) return absl::OkStatus();
  engine::StepInput step;
  step.rows = {t.now->plan.rows, t.row_slot, t.row_lane, t.row_position};
  step.tokens = t.row_token;
  step.requests = t.requests;
  step.self = {memory_->pool(), t.lane_pages,     limits().pages_per_lane(),
               t.slot_lanes,    t.lanes.ancestry, static_cast<int32_t>(limits().stride())};
  step.cross = {memory_->pool(), t.cross_pages, limits().pages_per_lane(), t.source_length};
  step.slots = t.views;
  step.align = align_;
  step.aligned = aligned_.data();
  if (absl::Status status = decoder_->Step(step, t.summaries); !status.ok()) return status;
  for (size_t i = 0; i < align_.size(); ++i) {
    const int32_t row = align_[i].row;
    const kernels::SlotView& view = t.views[t.row_slot[row]];
    view.arrays.aligned[view.At(t.row_lane[row], t.row_position[row])] = aligned_[i];
  }
  return absl::OkStatus();
}

void HostStepDevice::Decide(const kernels::StepMailbox& mailbox) {
  const kernels::SingleThread group;
  const kernels::BatchScalars& now = *tables_.now;
  for (int32_t i = 0; i < now.materialized_count; ++i) {
    kernels::FoldMaterializedStepRow(group, tables_, i, tables_.materialized_workspaces[0]);
  }
  for (const int32_t i : Shuffled(now.plan.slot_count)) {
    kernels::StepSlot(group, tables_, i, tables_.step_workspaces[0]);
  }
  for (const int32_t i : Shuffled(now.order_count)) kernels::Deliver(group, tables_, i, mailbox);
  kernels::EndStep(group, tables_, mailbox);
}

std::span<const int32_t> HostStepDevice::Shuffled(int32_t count) {
  const auto end = order_.begin() + count;
  std::iota(order_.begin(), end, 0);
  std::shuffle(order_.begin(), end, random_);
  return {order_.data(), static_cast<size_t>(count)};
}

}  // namespace dragoman::testing
